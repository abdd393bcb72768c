/** The verb `check_queue`: reads the figures of a queue from a venue event, so that a replay gets the same figures. */
import { mapIn } from '../../language/steps/arguments.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { CheckQueueArgs, CheckQueueOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

export const step = defineStep<CheckQueueArgs, CheckQueueOutcome>({
  verb: 'check_queue',
  async *run(context) {
    const { name, agents } = context.input;
    const memberId = context.enterVenue('queue', name, { looks: true, ...(agents !== undefined && { agents }) });
    const { data } = yield* nextEvent('venue', (event) => event.memberId === memberId && event.name === 'figures');
    context.exitVenue(memberId);
    const result = mapIn(data);
    if (Number(result['free']) > 0) return { outcome: 'free', result };
    return { outcome: agents === undefined && result['agents'] === 0 ? 'no_agents' : 'busy', result };
  },
});
