import { ensureAnswered } from '../../steps/playback.ts';
import { detectOptions } from '../../steps/ring.ts';
import { defineStep } from '../../steps/step.ts';
import type { DetectMachineArgs, DetectMachineOutcome } from '../../steps/verb-types.ts';
import { nextEvent } from '../../steps/waiting.ts';

export const step = defineStep<DetectMachineArgs, DetectMachineOutcome>({
  verb: 'detect_machine',
  async *run(context) {
    yield* ensureAnswered(context);
    const detectId = context.leg.request({ type: 'detect_machine', ...detectOptions(context.input) });
    const { result, afterMs } = yield* nextEvent('machine_detected', (event) => event.detectId === detectId);
    return { outcome: result === 'stopped' ? 'unknown' : result, result: { after_ms: afterMs } };
  },
});
