/** Whether somebody speaks, frame by frame: early enough that who speaks into something cuts it at once. */
import { decodeTable } from '../../../core/g711.ts';

/** About −40 dBov: above the noise of ordinary lines, below soft speech. */
const VOICE_RMS = 330;
/** Of 20 ms: a click does not last as long. */
const FRAMES_TO_BEGIN = 4;
/** The pauses between words are shorter. */
const FRAMES_TO_END = 30;

const LEVELS = decodeTable('PCMU');

export class VoiceDetector {
  #isHeard = false;
  #loud = 0;
  #quiet = 0;

  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** In mu-law. True: whether somebody speaks has changed. */
  frame(bytes: Uint8Array): boolean {
    let energy = 0;
    for (const byte of bytes) energy += LEVELS[byte]! ** 2;
    const isLoud = energy > VOICE_RMS ** 2 * bytes.length;
    this.#loud = isLoud ? this.#loud + 1 : 0;
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
    const was = this.#isHeard;
    this.#isHeard = was ? this.#quiet < FRAMES_TO_END : this.#loud >= FRAMES_TO_BEGIN;
    return was !== this.#isHeard;
  }
}
