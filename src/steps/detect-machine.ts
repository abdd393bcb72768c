import { isObject } from '../core/json.ts';
import { ensureAnswered } from './playback.ts';
import { BEEP_TIMEOUT_MS, detectOptions } from './ring.ts';
import { defineStep } from './step.ts';
import { nextEvent } from './waiting.ts';

export const detectMachine = defineStep({
  verb: 'detect_machine',
  activity: 'detecting',
  outcomes: () => ['human', 'machine', 'beep', 'fax', 'unknown'],
  waits: true,
  needsCall: true,
  async *run(context) {
    yield* ensureAnswered(context);
    const args = isObject(context.input) ? context.input : {};
    const detectId = context.leg.request({ type: 'detect_machine', ...detectOptions(args, BEEP_TIMEOUT_MS) });
    const { result, afterMs } = yield* nextEvent('machine_detected', (event) => event.detectId === detectId);
    return { outcome: result === 'stopped' ? 'unknown' : result, result: { after_ms: afterMs } };
  },
});
