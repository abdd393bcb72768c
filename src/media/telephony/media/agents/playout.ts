/**
 * Tracks how much of an agent's audio the party has heard: mirrors the queue of the media thread, which plays as much
 * as the party sends in the same time. It can be paused and cleared, and has marks that are reached when all audio
 * before them was heard. Time is counted in the party's frames.
 */
import { decodeTable } from '../../../toolbox/audio/g711.ts';
import { decibelsOf, SILENCE_DB } from '../../../toolbox/voice/level.ts';
import { FRAME_SAMPLES } from '../../../toolbox/voice/voice-detector.ts';
import { SAMPLES_PER_MS } from '../../audio.ts';

export interface PlayoutOptions {
  /** A mark was reached, or the audio before it was cleared. */
  reached(name: string): void;
  /** The agent starts or stops speaking. */
  speaks(speaks: boolean): void;
}

/** Maximum amount of queued audio (`leg-taps.ts`). */
const MAX_AHEAD = 60_000 * SAMPLES_PER_MS;
/** Time without further audio after which the agent has stopped speaking. */
const PAUSE = 250 * SAMPLES_PER_MS;
const MAX_MARKS = 100;

const SAMPLES = decodeTable('PCMU');

export class Playout {
  readonly #options: PlayoutOptions;
  /** Queued samples, and samples since the last one was heard. */
  #ahead = 0;
  #quiet = 0;
  #speaks = false;
  #isPaused = false;
  /** With the number of samples to be heard before each. */
  #marks: { name: string; ahead: number }[] = [];
  /** Levels of the queued frames, in dBov; the last one is incomplete. */
  #levels: number[] = [];
  #growing = { energy: 0, samples: 0 };

  constructor(options: PlayoutOptions) {
    this.#options = options;
  }

  /** True while audio is queued. */
  get isAhead(): boolean {
    return this.#ahead > 0;
  }

  /** Queues mu-law audio. False if the queue is full, and the audio is dropped. */
  add(bytes: Uint8Array): boolean {
    if (this.#ahead + bytes.length > MAX_AHEAD) return false;
    this.#ahead += bytes.length;
    this.#quiet = 0;
    for (let index = 0; index < bytes.length; index++) this.#measure(SAMPLES[bytes[index]!]!);
    if (!this.#speaks) this.#speak(true);
    return true;
  }

  mark(name: string): void {
    if (this.#ahead === 0) this.#options.reached(name);
    else if (this.#marks.length < MAX_MARKS) this.#marks.push({ name, ahead: this.#ahead });
  }

  /** Advances by this number of the party's samples. */
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

  /** Clears the queue. Returns the duration of audio that was not heard, in ms. */
  clear(): number {
    const unheardMs = Math.round(this.#ahead / SAMPLES_PER_MS);
    this.#ahead = 0;
    this.#levels = [];
    this.#growing = { energy: 0, samples: 0 };
    for (const mark of this.#marks) mark.ahead = 0;
    this.#reach();
    return unheardMs;
  }

  /** The agent has stopped for now. */
  stopSpeaking(): void {
    if (this.#speaks) this.#speak(false);
  }

  /** Level of the next frame that is heard, in dBov. */
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
