/**
 * Audio of speakers for captions: decodes the audible sources, and reports those that are listened to. A source is
 * decoded before it is listened to, so that the report begins a second before, with the first word of a new speaker.
 *
 * Invariant: the reported audio of a source has no gaps; pauses and lost packets are silence.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { FRAME_MS, FRAME_SAMPLES } from '../../toolbox/audio/sample-rate.ts';
import { BrowserSound } from './browser-sound.ts';
import type { Opus } from './opus.ts';
import type { PublishedSource } from './published-source.ts';

export interface SpeechTapsParts {
  clock: Clock;
  opus: Opus;
  /** `pcm`: 16-bit samples at 8 kHz in base64. */
  heard(owner: string, pcm: string): void;
  warn(message: string, error: unknown): void;
}

const FRAMES_PER_REPORT = 5;
/** Audio that is kept of a source that is not listened to: a second. */
const MAX_KEPT = 10;
/** Maximum delay of the timer that is caught up. */
const MAX_LATE_MS = 200;

interface Tap {
  sound: BrowserSound;
  chunk: Int16Array;
  frames: number;
  kept: Int16Array[];
}

export class SpeechTaps {
  readonly #parts: SpeechTapsParts;
  readonly #taps = new Map<PublishedSource, Tap>();
  #listened: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;
  #nextMs = 0;

  constructor(parts: SpeechTapsParts) {
    this.#parts = parts;
  }

  /** Number of sources that are decoded. */
  get decoders(): number {
    return this.#taps.size;
  }

  /** Sets the owners whose audio is reported. */
  listen(owners: readonly string[]): void {
    this.#listened = new Set(owners);
  }

  /** Sets the sources that are decoded. */
  setSources(sources: readonly PublishedSource[]): void {
    for (const [source, { sound }] of this.#taps) {
      if (sources.includes(source)) continue;
      sound.close();
      this.#taps.delete(source);
    }
    const { opus, warn } = this.#parts;
    for (const source of sources) {
      if (this.#taps.has(source)) continue;
      const sound = new BrowserSound(source, opus, (error) => warn('Opus cannot be used', error));
      this.#taps.set(source, { sound, chunk: newChunk(), frames: 0, kept: [] });
    }
    if (this.#taps.size > 0) this.#run();
    else this.#stop();
  }

  #run(): void {
    if (this.#timer) return;
    const { clock } = this.#parts;
    this.#nextMs = clock.monotonicMs() + FRAME_MS;
    this.#timer = clock.after(FRAME_MS, () => this.#tick());
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    const { clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    this.#nextMs = Math.max(this.#nextMs, nowMs - MAX_LATE_MS);
    for (; this.#nextMs <= nowMs; this.#nextMs += FRAME_MS) {
      for (const [{ owner }, tap] of this.#taps) this.#take(owner, tap);
    }
    this.#timer = clock.after(Math.max(0, this.#nextMs - nowMs), () => this.#tick());
  }

  #take(owner: string, tap: Tap): void {
    const frame = tap.sound.next();
    if (frame) tap.chunk.set(frame, tap.frames * FRAME_SAMPLES);
    if (++tap.frames < FRAMES_PER_REPORT) return;
    tap.kept.push(tap.chunk);
    tap.chunk = newChunk();
    tap.frames = 0;
    if (this.#listened.has(owner)) {
      for (const chunk of tap.kept.splice(0)) this.#parts.heard(owner, Buffer.from(chunk.buffer).toString('base64'));
    } else if (tap.kept.length > MAX_KEPT) tap.kept.shift();
  }

  close(): void {
    this.setSources([]);
  }
}

const newChunk = (): Int16Array<ArrayBuffer> => new Int16Array(FRAMES_PER_REPORT * FRAME_SAMPLES);
