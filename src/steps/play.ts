import { count, flag, longForm } from './arguments.ts';
import { hear, openLine } from './line.ts';
import { defineStep } from './step.ts';

export const play = defineStep({
  verb: 'play',
  outcomes: () => ['done', 'interrupted', 'error'],
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
