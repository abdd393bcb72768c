/**
 * The two directions of a simulated leg: events for our side, which go through the clock, and notices for the party, at
 * once.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { Notice } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';

export class TimedChannel implements LegChannel {
  readonly clock: Clock;
  readonly #deliver: (event: LegEvent) => void;
  #listeners: readonly ((notice: Notice) => void)[] = [];
  readonly #events: { event: LegEvent; timer: Timer }[] = [];

  constructor(clock: Clock, deliver: (event: LegEvent) => void) {
    this.clock = clock;
    this.#deliver = deliver;
  }

  emit(event: LegEvent): void {
    const timer = this.clock.after(0, () => {
      this.#events.shift();
      this.#deliver(event);
    });
    this.#events.push({ event, timer });
  }

  /** Emits at once everything that is pending. */
  flush(): void {
    for (const { event, timer } of this.#events.splice(0)) {
      timer.cancel();
      this.#deliver(event);
    }
  }

  notice(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice);
  }

  observe(listener: (notice: Notice) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    };
  }
}
