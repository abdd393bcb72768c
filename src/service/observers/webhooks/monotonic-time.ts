/** Wall clock of deliveries that never goes back: if the system clock is set back, deliveries are not delayed. */
import type { Clock } from '../../../base/core/clock.ts';

export type MonotonicTime = Pick<Clock, 'now' | 'after'>;

export function monotonicTime(clock: Clock): MonotonicTime {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    now: () => Math.max(clock.now(), Math.round(clock.monotonicMs() + offsetMs)),
    after: (delayMs, fire) => clock.after(delayMs, fire),
  };
}
