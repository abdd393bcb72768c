import { durationMs } from './arguments.ts';
import { defineStep } from './step.ts';
import type { PauseArgs } from './step-arguments.ts';
import { delay } from './waiting.ts';

export const pause = defineStep<PauseArgs>({
  verb: 'pause',
  needsCall: true,
  async *run(context) {
    yield* delay(context, durationMs(context.input.duration));
    return { outcome: 'done' };
  },
});
