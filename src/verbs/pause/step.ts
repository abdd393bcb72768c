import { durationMs } from '../../steps/arguments.ts';
import { defineStep } from '../../steps/step.ts';
import type { PauseArgs, PauseOutcome } from '../../steps/verb-types.ts';
import { delay } from '../../steps/waiting.ts';

export const step = defineStep<PauseArgs, PauseOutcome>({
  verb: 'pause',
  async *run(context) {
    yield* delay(context, durationMs(context.input.duration));
    return { outcome: 'done' };
  },
});
