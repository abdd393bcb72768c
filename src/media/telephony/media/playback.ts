/**
 * Plays encoded items in sequence, cut into frames without gaps: a prompt, or the audio of a stream receiver. Items may
 * be added while it plays, until it is complete; while it waits for more it is silent, and that time does not count as
 * played.
 */
import { recodeTable, silenceByte } from '../../toolbox/audio/g711.ts';
import type { G711Codec } from './media-port.ts';

/** Audio in shared memory, which is read only. */
export interface EncodedAudio {
  codec: G711Codec;
  bytes: Uint8Array;
  /** The same memory is played again, so that a thread keeps it. */
  isReusable?: true;
}

export class Playback {
  readonly playId: string;
  /** While paused it keeps its position, even if it is covered. */
  isPaused = false;
  /** Current item and those after it. */
  #items: EncodedAudio[] = [];
  /** Items to repeat; empty without `repeat`, so that items are released as they play. */
  readonly #played: EncodedAudio[] = [];
  readonly #repeat: boolean;
  /** Position in the current item. */
  #offset = 0;
  #playedSamples = 0;
  #waitingSamples = 0;
  #complete = false;

  constructor(play: { playId: string; items: readonly EncodedAudio[]; repeat: boolean; complete?: boolean }) {
    this.playId = play.playId;
    this.#repeat = play.repeat;
    this.add(play.items, play.complete ?? true);
  }

  get playedSamples(): number {
    return this.#playedSamples;
  }

  /** Samples left, or left in this round of a repeated play. */
  get waitingSamples(): number {
    return this.#waitingSamples;
  }

  get waitingItems(): number {
    return this.#items.length;
  }

  /** True if there is no more to play. */
  get done(): boolean {
    return this.#complete && this.#items.length === 0;
  }

  add(items: readonly EncodedAudio[], complete: boolean): void {
    for (const item of items) {
      if (item.bytes.length === 0) continue;
      this.#items.push(item);
      this.#waitingSamples += item.bytes.length;
    }
    this.#complete = complete;
    this.#startAgain();
  }

  clear(): void {
    this.#items = [];
    this.#offset = 0;
    this.#waitingSamples = 0;
  }

  /** Writes the next `samples` as bytes of `codec` from `start`, with silence after the end. */
  fill(packet: Uint8Array, start: number, samples: number, codec: G711Codec): void {
    const end = start + samples;
    let at = start;
    while (at < end) {
      const item = this.#items[0];
      if (!item) break;
      const count = Math.min(end - at, item.bytes.length - this.#offset);
      copyAs(codec, item, this.#offset, packet, at, count);
      at += count;
      this.#consume(item, count);
    }
    if (at < end) packet.fill(silenceByte(codec), at, end);
  }

  /** Advances by `samples` without output, unless it is paused. */
  skip(samples: number): void {
    if (this.isPaused) return;
    let left = samples;
    while (left > 0) {
      const item = this.#items[0];
      if (!item) return;
      const count = Math.min(left, item.bytes.length - this.#offset);
      left -= count;
      this.#consume(item, count);
    }
  }

  #consume(item: EncodedAudio, count: number): void {
    this.#playedSamples += count;
    this.#waitingSamples -= count;
    this.#offset += count;
    if (this.#offset < item.bytes.length) return;
    this.#offset = 0;
    this.#items.shift();
    if (this.#repeat) this.#played.push(item);
    this.#startAgain();
  }

  #startAgain(): void {
    if (this.done && this.#played.length > 0) this.add(this.#played.splice(0), true);
  }
}

function copyAs(codec: G711Codec, item: EncodedAudio, from: number, to: Uint8Array, at: number, count: number): void {
  const { bytes } = item;
  if (item.codec === codec) {
    to.set(bytes.subarray(from, from + count), at);
    return;
  }
  // The codec was renegotiated while this played.
  const recode = recodeTable(codec);
  for (let index = 0; index < count; index++) to[at + index] = recode[bytes[from + index]!]!;
}
