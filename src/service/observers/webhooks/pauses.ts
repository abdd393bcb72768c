/** Order keys whose events are held briefly, because a response must be sent first. */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { QueuedDelivery } from './outbox.ts';

/** Limits a pause whose response is never sent. */
const MAX_PAUSE_MS = 10_000;

interface Pause {
  timers: Set<Timer>;
  /** Runs when the last pause of the key ends. */
  resume?: (() => void) | undefined;
}

export class Pauses {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #paused = new Map<string, Pause>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Lasts until the returned function is called (once or more), at most ten seconds. */
  start(orderKey: string): () => void {
    const pause: Pause = this.#paused.get(orderKey) ?? { timers: new Set() };
    this.#paused.set(orderKey, pause);
    const end = (): void => {
      timer.cancel();
      if (!pause.timers.delete(timer) || pause.timers.size > 0) return;
      this.#paused.delete(orderKey);
      pause.resume?.();
    };
    const timer = this.#clock.after(MAX_PAUSE_MS, end);
    pause.timers.add(timer);
    return end;
  }

  /** Keeps `resume` for the end of the pause. False if the delivery is not paused. */
  defer({ inLine, orderKey }: QueuedDelivery, resume: () => void): boolean {
    const pause = inLine ? this.#paused.get(orderKey) : undefined;
    if (pause) pause.resume = resume;
    return pause !== undefined;
  }

  /** Runs the deferred function before the end of the pause. */
  release(orderKey: string): void {
    const pause = this.#paused.get(orderKey);
    const resume = pause?.resume;
    if (pause) pause.resume = undefined;
    resume?.();
  }
}
