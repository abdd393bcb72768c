import { durationMs, longForm } from './arguments.ts';
import { defineStep } from './step.ts';
import { delay } from './waiting.ts';

export const pause = defineStep({
  verb: 'pause',
  outcomes: () => ['done'],
  success: 'done',
  waits: true,
  needsCall: true,
  async *run(context) {
    yield* delay(context, durationMs(longForm(context.input, 'duration')['duration'], 0));
    return { outcome: 'done' };
  },
});
