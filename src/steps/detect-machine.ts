import { ensureAnswered } from './playback.ts';
import { detectOptions } from './ring.ts';
import { defineStep } from './step.ts';
import type { DetectMachineArgs } from './step-arguments.ts';
import { nextEvent } from './waiting.ts';

export const detectMachine = defineStep<DetectMachineArgs>({
  verb: 'detect_machine',
  activity: 'detecting',
  needsCall: true,
  async *run(context) {
    yield* ensureAnswered(context);
    const detectId = context.leg.request({ type: 'detect_machine', ...detectOptions(context.input) });
    const { result, afterMs } = yield* nextEvent('machine_detected', (event) => event.detectId === detectId);
    return { outcome: result === 'stopped' ? 'unknown' : result, result: { after_ms: afterMs } };
  },
});
