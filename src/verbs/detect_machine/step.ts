import { ensureAnswered } from '../../language/steps/playback.ts';
import { detectOptions } from '../../language/steps/ring.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { DetectMachineArgs, DetectMachineOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

export const step = defineStep<DetectMachineArgs, DetectMachineOutcome>({
  verb: 'detect_machine',
  async *run(context) {
    yield* ensureAnswered(context);
    const detectId = context.leg.request({ type: 'detect_machine', ...detectOptions(context.input) });
    const { result, afterMs } = yield* nextEvent('machine_detected', (event) => event.detectId === detectId);
    return { outcome: result === 'stopped' ? 'unknown' : result, result: { after_ms: afterMs } };
  },
});
