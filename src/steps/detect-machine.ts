import { isObject } from '../core/json.ts';
import { openLine } from './line.ts';
import { BEEP_TIMEOUT_MS, detectOptions } from './ring.ts';
import { defineStep } from './step.ts';
import { next } from './waiting.ts';

export const detectMachine = defineStep({
  verb: 'detect_machine',
  occupies: 'detecting',
  outcomes: () => ['human', 'machine', 'beep', 'fax', 'unknown'],
  waits: true,
  needsCall: true,
  async *run(context) {
    yield* openLine(context);
    const args = isObject(context.input) ? context.input : {};
    const detectId = context.leg.detectMachine(detectOptions(args, BEEP_TIMEOUT_MS));
    const { result, afterMs } = yield* next('machine_detected', (event) => event.detectId === detectId);
    return { outcome: result === 'stopped' ? 'unknown' : result, result: { after_ms: afterMs } };
  },
});
