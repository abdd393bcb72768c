import type { Json } from '../core/json.ts';
import { count, flag, longForm } from './arguments.ts';
import { hear, openLine } from './line.ts';
import { defineStep } from './step.ts';

export const play = defineStep({
  verb: 'play',
  outcomes: (args) => (mayBeInterrupted(args) ? ['done', 'interrupted', 'error'] : ['done', 'error']),
  success: 'done',
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['', '/prompt'],
  async *run(context) {
    const args = longForm(context.input, 'prompt');
    const claims = flag(args['barge_in'], false) ? '' : undefined;
    yield* openLine(context, flag(args['early'], false));
    for (let round = count(args['repeat'], 1); round > 0; round--) {
      const heard = yield* hear(context, args['prompt'] ?? [], claims);
      if (heard.how === 'broken') return { outcome: 'error', fault: heard.fault };
      if (heard.how === 'interrupted') {
        context.leg.putBack(heard.digit);
        return { outcome: 'interrupted' };
      }
    }
    return { outcome: 'done' };
  },
});

/** Only where a key stops the prompt; arguments that are one template may say so when they are rendered. */
function mayBeInterrupted(args: Json): boolean {
  if (typeof args === 'string') return /^\$\{.*\}$/s.test(args);
  return (longForm(args, 'prompt')['barge_in'] ?? false) !== false;
}
