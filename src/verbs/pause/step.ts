import { durationMs } from '../../language/steps/arguments.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { PauseArgs, PauseOutcome } from '../../language/steps/verb-types.ts';
import { delay } from '../../language/steps/waiting.ts';

export const step = defineStep<PauseArgs, PauseOutcome>({
  verb: 'pause',
  async *run(context) {
    yield* delay(context, durationMs(context.input.duration));
    return { outcome: 'done' };
  },
});
