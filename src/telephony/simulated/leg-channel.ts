/**
 * What the parts of a simulated leg share: the clock, the audio of prompts, since when the leg carries audio and what was
 * played to the party, and the two directions: events for our side, which go through the clock, and notices for the party,
 * at once.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { AudioSource } from '../audio.ts';
import type { HeardAudio, Notice } from './far-end.ts';

/** Speech from its beginning to its end, which is known in advance. */
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
  /** Everything played to the party. */
  readonly heard: HeardAudio[] = [];
  /** Since when the leg carries audio. */
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

  /** For our side, through the clock. */
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

  /** For the party, at once. */
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
