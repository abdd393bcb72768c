/** Audio from the receiver of a stream, in mu-law as it arrived, until it is played or cleared. */
import { recodeTable } from '../../core/g711.ts';
import type { G711Codec } from './media-port.ts';

/** A minute; more is dropped. */
const MOST_BYTES = 60 * 8_000;
/** Legitimate senders do not use pieces shorter than 10 ms. */
const MOST_PIECES = 6_000;

export class StreamAudio {
  readonly #pieces: Uint8Array[] = [];
  #offset = 0;
  #length = 0;
  /** Bytes dropped for lack of room. */
  dropped = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > MOST_BYTES || this.#pieces.length >= MOST_PIECES) {
      this.dropped += bytes.length;
      return;
    }
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#offset = 0;
    this.#length = 0;
  }

  /** The next bytes as `codec` from `start` up to `end`. Returns where the audio stops. */
  fill(packet: Uint8Array, start: number, end: number, codec: G711Codec): number {
    const recode = codec === 'PCMU' ? undefined : recodeTable(codec);
    let at = start;
    while (at < end) {
      const piece = this.#pieces[0];
      if (!piece) break;
      const count = Math.min(end - at, piece.length - this.#offset);
      for (let index = 0; index < count; index++) {
        const byte = piece[this.#offset + index]!;
        packet[at + index] = recode ? recode[byte]! : byte;
      }
      at += count;
      this.#consume(piece, count);
    }
    return at;
  }

  /** Advances by `samples` without output. */
  skip(samples: number): void {
    let left = Math.min(samples, this.#length);
    while (left > 0) {
      const piece = this.#pieces[0]!;
      const count = Math.min(left, piece.length - this.#offset);
      left -= count;
      this.#consume(piece, count);
    }
  }

  #consume(piece: Uint8Array, count: number): void {
    this.#length -= count;
    this.#offset += count;
    if (this.#offset < piece.length) return;
    this.#offset = 0;
    this.#pieces.shift();
  }
}
