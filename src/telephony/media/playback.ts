/**
 * One prompt: encoded items in sequence, cut into frames without a seam. Items may be added while it plays, until it is
 * complete; while it waits for more it is silent, and that time does not count as played.
 */
import { recodeTable, silenceByte } from '../../core/g711.ts';
import type { G711Codec } from './media-port.ts';

/** Audio in shared memory: legs that play it read it, nobody writes it. */
export interface EncodedAudio {
  codec: G711Codec;
  bytes: Uint8Array;
}

export class Playback {
  readonly playId: string;
  readonly #items: EncodedAudio[];
  readonly #repeat: boolean;
  #item = 0;
  #offset = 0;
  #playedSamples = 0;
  #complete: boolean;

  constructor(play: { playId: string; items: readonly EncodedAudio[]; repeat: boolean; complete?: boolean }) {
    this.playId = play.playId;
    this.#items = play.items.filter((item) => item.bytes.length > 0);
    this.#repeat = play.repeat;
    this.#complete = play.complete ?? true;
  }

  get playedSamples(): number {
    return this.#playedSamples;
  }

  /** Nothing is left to play. */
  get done(): boolean {
    return this.#complete && this.#item >= this.#items.length;
  }

  add(items: readonly EncodedAudio[], complete: boolean): void {
    for (const item of items) if (item.bytes.length > 0) this.#items.push(item);
    this.#complete = complete;
    this.#startAgain();
  }

  /** The next `samples` as bytes of `codec` from `start` on, with silence after the end. */
  fill(packet: Uint8Array, start: number, samples: number, codec: G711Codec): void {
    const end = start + samples;
    let at = start;
    while (at < end) {
      const item = this.#items[this.#item];
      if (!item) break;
      const count = Math.min(end - at, item.bytes.length - this.#offset);
      copyAs(codec, item, this.#offset, packet, at, count);
      at += count;
      this.#consume(count);
    }
    if (at < end) packet.fill(silenceByte(codec), at, end);
  }

  /** Advances by `samples` without output. */
  skip(samples: number): void {
    let left = samples;
    while (left > 0) {
      const item = this.#items[this.#item];
      if (!item) return;
      const count = Math.min(left, item.bytes.length - this.#offset);
      left -= count;
      this.#consume(count);
    }
  }

  #consume(count: number): void {
    this.#playedSamples += count;
    this.#offset += count;
    if (this.#offset < this.#items[this.#item]!.bytes.length) return;
    this.#offset = 0;
    this.#item++;
    this.#startAgain();
  }

  #startAgain(): void {
    if (this.done && this.#repeat && this.#items.length > 0) this.#item = 0;
  }
}

function copyAs(codec: G711Codec, item: EncodedAudio, from: number, to: Uint8Array, at: number, count: number): void {
  const { bytes } = item;
  if (item.codec === codec) {
    for (let index = 0; index < count; index++) to[at + index] = bytes[from + index]!;
    return;
  }
  // The codec was renegotiated while this played.
  const recode = recodeTable(codec);
  for (let index = 0; index < count; index++) to[at + index] = recode[bytes[from + index]!]!;
}
