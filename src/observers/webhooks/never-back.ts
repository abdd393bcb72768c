/** The clock of deliveries. */
import type { Clock } from '../../core/clock.ts';

/** The wall clock, except that it goes on where somebody sets it back: nothing is sent later because of that. */
export function neverBack(clock: Clock): Pick<Clock, 'now' | 'after'> {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    now: () => Math.max(clock.now(), Math.round(clock.monotonicMs() + offsetMs)),
    after: (delayMs, fire) => clock.after(delayMs, fire),
  };
}
