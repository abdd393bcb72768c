/**
 * State that the parts of a simulated leg share: the clock, the durations of prompts, the time since which the leg
 * carries audio, the audio played to the party, and the two directions: events for the service, which pass through the
 * clock, and notices for the party, which are immediate.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { AudioSource } from '../audio.ts';
import type { HeardAudio, Notice } from './far-end.ts';

/** Speech whose end is known in advance. */
export interface Utterance {
  fromMs: number;
  toMs: number;
  /** Absent: speech without intelligible words. */
  text?: string;
  confidence: number;
}

export class LegChannel {
  readonly clock: Clock;
  readonly audio: Pick<AudioSource, 'durationMs'>;
  /** All audio played to the party. */
  readonly heard: HeardAudio[] = [];
  /** Time since which the leg carries audio. */
  audioSinceMs: number | undefined;
  readonly #deliver: (event: LegEvent) => void;
  #listeners: readonly ((notice: Notice) => void)[] = [];
  readonly #events: { event: LegEvent; timer: Timer }[] = [];

  constructor(clock: Clock, audio: Pick<AudioSource, 'durationMs'>, deliver: (event: LegEvent) => void) {
    this.clock = clock;
    this.audio = audio;
    this.#deliver = deliver;
  }

  get hasAudio(): boolean {
    return this.audioSinceMs !== undefined;
  }

  /** Emits an event to the service, through the clock. */
  emit(event: LegEvent): void {
    const timer = this.clock.after(0, () => {
      this.#events.shift();
      this.#deliver(event);
    });
    this.#events.push({ event, timer });
  }

  /** Emits all pending events at once. */
  flush(): void {
    for (const { event, timer } of this.#events.splice(0)) {
      timer.cancel();
      this.#deliver(event);
    }
  }

  /** Notifies the party at once. */
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
