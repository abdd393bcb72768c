/**
 * Tracks how much of an agent's sound the party has heard: a mirror of the media thread's queue, which plays as much as
 * the party sends in the same time. It may be paused, cleared, and has marks that are reached when all before them was heard.
 * The time is that of the party's frames.
 */
import { decodeTable } from '../../../core/g711.ts';
import { decibelsOf, SILENCE_DB } from '../../../core/hearing/level.ts';
import { FRAME_SAMPLES } from '../../../core/hearing/voice-detector.ts';
import { SAMPLES_PER_MS } from '../../audio.ts';

export interface PlayoutOptions {
  /** A mark was reached, or what was before it cleared. */
  reached(name: string): void;
  /** The agent begins or ends to speak. */
  speaks(speaks: boolean): void;
}

/** As much of its sound waits (`leg-taps.ts`). */
const MOST_AHEAD = 60_000 * SAMPLES_PER_MS;
/** The agent has stopped speaking when nothing more has come for so long. */
const PAUSE = 250 * SAMPLES_PER_MS;
const MOST_MARKS = 100;

const SAMPLES = decodeTable('PCMU');

export class Playout {
  readonly #options: PlayoutOptions;
  /** Samples that wait, and those since the last one was heard. */
  #ahead = 0;
  #quiet = 0;
  #speaks = false;
  #isPaused = false;
  /** With the samples that are still to be heard before each. */
  #marks: { name: string; ahead: number }[] = [];
  /** Levels of the frames that wait, in dBov; the last one grows. */
  #levels: number[] = [];
  #growing = { energy: 0, samples: 0 };

  constructor(options: PlayoutOptions) {
    this.#options = options;
  }

  /** True while something of it waits to be heard. */
  get isAhead(): boolean {
    return this.#ahead > 0;
  }

  /** Mu-law. False: too much waits already, and this is dropped. */
  add(bytes: Uint8Array): boolean {
    if (this.#ahead + bytes.length > MOST_AHEAD) return false;
    this.#ahead += bytes.length;
    this.#quiet = 0;
    for (let index = 0; index < bytes.length; index++) this.#measure(SAMPLES[bytes[index]!]!);
    if (!this.#speaks) this.#speak(true);
    return true;
  }

  mark(name: string): void {
    if (this.#ahead === 0) this.#options.reached(name);
    else if (this.#marks.length < MOST_MARKS) this.#marks.push({ name, ahead: this.#ahead });
  }

  /** So many samples of the party have passed. */
  advance(samples: number): void {
    if (this.#isPaused) return;
    const played = Math.min(samples, this.#ahead);
    this.#ahead -= played;
    this.#quiet = this.#ahead > 0 ? 0 : this.#quiet + samples - played;
    for (const mark of this.#marks) mark.ahead -= played;
    this.#reach();
    if (this.#speaks && this.#quiet >= PAUSE) this.#speak(false);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /** Returns how much of it was not heard, in ms. */
  clear(): number {
    const unheardMs = Math.round(this.#ahead / SAMPLES_PER_MS);
    this.#ahead = 0;
    this.#levels = [];
    this.#growing = { energy: 0, samples: 0 };
    for (const mark of this.#marks) mark.ahead = 0;
    this.#reach();
    return unheardMs;
  }

  /** Nothing more of it follows for now. */
  stopSpeaking(): void {
    if (this.#speaks) this.#speak(false);
  }

  /** The level of the next frame that is heard, in dBov. */
  nextLevel(): number {
    if (this.#isPaused) return SILENCE_DB;
    const level = this.#levels.shift();
    if (level !== undefined) return level;
    const { energy, samples } = this.#growing;
    this.#growing = { energy: 0, samples: 0 };
    return samples === 0 ? SILENCE_DB : decibelsOf(energy, samples);
  }

  #measure(sample: number): void {
    const growing = this.#growing;
    growing.energy += sample * sample;
    if (++growing.samples < FRAME_SAMPLES) return;
    this.#levels.push(decibelsOf(growing.energy, FRAME_SAMPLES));
    growing.energy = 0;
    growing.samples = 0;
  }

  #reach(): void {
    const reached = this.#marks.filter(({ ahead }) => ahead <= 0);
    if (reached.length === 0) return;
    this.#marks = this.#marks.filter(({ ahead }) => ahead > 0);
    for (const { name } of reached) this.#options.reached(name);
  }

  #speak(speaks: boolean): void {
    this.#speaks = speaks;
    this.#options.speaks(speaks);
  }
}
