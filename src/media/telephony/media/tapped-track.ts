/**
 * One direction of a leg's audio for its taps: packets in, even chunks of PCM out to every tap. A track without taps
 * keeps no audio and costs no time.
 */
import type { AudioPacket } from './audio-packet.ts';
import { JitterBuffer } from './jitter-buffer.ts';

export interface PcmTap {
  /**
   * Receives the next samples, silence included, one packet interval at a time. The array is reused and must not be
   * kept.
   */
  frame(pcm: Int16Array, nowMs: number): void;
}

const MAX_FRAME = 960;

export class TappedTrack {
  readonly #taps = new Set<PcmTap>();
  #buffer: JitterBuffer | undefined;
  #frame = new Int16Array(0);
  /** Late packets of earlier buffers. */
  #lateBefore = 0;

  /** Packets that arrived after their turn, while it was tapped. */
  get late(): number {
    return this.#lateBefore + (this.#buffer?.counts.late ?? 0);
  }

  get isTapped(): boolean {
    return this.#buffer !== undefined;
  }

  add(tap: PcmTap): void {
    this.#taps.add(tap);
    this.#buffer ??= new JitterBuffer();
  }

  remove(tap: PcmTap): void {
    this.#taps.delete(tap);
    if (this.#taps.size > 0) return;
    this.#lateBefore = this.late;
    this.#buffer = undefined;
  }

  packet(packet: AudioPacket, nowMs: number): void {
    this.#buffer?.packet(packet, nowMs);
  }

  /** Advances by `samples`. */
  tick(samples: number, nowMs: number): void {
    if (!this.#buffer) return;
    if (this.#frame.length !== samples) this.#frame = new Int16Array(Math.min(samples, MAX_FRAME));
    this.#buffer.read(this.#frame, this.#frame.length);
    for (const tap of this.#taps) tap.frame(this.#frame, nowMs);
  }
}
