/** Wall clock of deliveries that never goes back: if the system clock is set back, deliveries are not delayed. */
import type { Clock } from '../../core/clock.ts';

export function neverBack(clock: Clock): Pick<Clock, 'now' | 'after'> {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    now: () => Math.max(clock.now(), Math.round(clock.monotonicMs() + offsetMs)),
    after: (delayMs, fire) => clock.after(delayMs, fire),
  };
}
