import { durationMs, longForm } from './arguments.ts';
import { defineStep } from './step.ts';

export const pause = defineStep({
  verb: 'pause',
  outcomes: () => ['done'],
  success: 'done',
  waits: true,
  needsCall: true,
  async *run({ input, now }) {
    const dueMs = now() + durationMs(longForm(input, 'duration')['duration'], 0);
    for (let event = yield { withinMs: dueMs - now() }; event.type !== 'timeout'; ) {
      event = yield { withinMs: Math.max(0, dueMs - now()) };
    }
    return { outcome: 'done' };
  },
});
