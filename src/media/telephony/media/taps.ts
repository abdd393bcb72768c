/** Taps that collect a leg's audio in even chunks: PCM for recognisers, mu-law for streams. */
import { encodeSample } from '../../toolbox/audio/g711.ts';
import { FRAME_SAMPLES } from '../audio.ts';
import type { PcmTap } from './tapped-track.ts';

/** 100 ms: a message between threads costs more than its content. */
const PIECE_SAMPLES = 800;

export class PieceTap implements PcmTap {
  readonly #take: (pcm: Int16Array<ArrayBuffer>) => void;
  #piece = new Int16Array(PIECE_SAMPLES);
  #length = 0;

  /** The receiver owns the chunk. */
  constructor(take: (pcm: Int16Array<ArrayBuffer>) => void) {
    this.#take = take;
  }

  frame(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length; index++) {
      this.#piece[this.#length++] = pcm[index]!;
      if (this.#length === PIECE_SAMPLES) this.flush();
    }
  }

  /** Emits the current chunk, even if it is incomplete. */
  flush(): void {
    if (this.#length === 0) return;
    const piece = this.#piece.subarray(0, this.#length);
    this.#piece = new Int16Array(PIECE_SAMPLES);
    this.#length = 0;
    this.#take(piece.length === PIECE_SAMPLES ? piece : piece.slice());
  }
}

export class StreamTap implements PcmTap {
  readonly #take: (bytes: Uint8Array) => void;
  #frame = new Uint8Array(FRAME_SAMPLES);
  #length = 0;

  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  frame(pcm: Int16Array): void {
    for (let index = 0; index < pcm.length; index++) {
      this.#frame[this.#length++] = encodeSample(pcm[index]!, 'PCMU');
      if (this.#length < FRAME_SAMPLES) continue;
      this.#length = 0;
      const full = this.#frame;
      this.#frame = new Uint8Array(FRAME_SAMPLES);
      this.#take(full);
    }
  }
}
