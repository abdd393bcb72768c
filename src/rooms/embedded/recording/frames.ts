/**
 * Frames of one stream that is received: packets in order, and put together. What does not come within a moment is given
 * up; pictures after such a hole are left out until one stands alone.
 */
import type { IncomingStream, KeptPacket } from '../incoming-stream.ts';
import { isNewer } from '../rtp.ts';
import type { MediaKind } from '../sdp.ts';

export interface Frame {
  data: Buffer;
  stream: IncomingStream;
  /** Of RTP. */
  timestamp: number;
  isKey: boolean;
  /** When the last of it came. */
  atMs: number;
  /** Of a picture that stands alone. */
  size?: { width: number; height: number };
}

/** How long is waited for a packet that is missing. */
const WAIT_MS = 400;

interface Parts {
  timestamp: number;
  isKey: boolean;
  size: Frame['size'];
  data: Buffer[];
}

export class Frames {
  readonly #stream: IncomingStream;
  readonly #kind: MediaKind;
  readonly #out: (frame: Frame) => void;
  readonly #held = new Map<number, KeptPacket>();
  /** The packet that comes next; undefined: any. */
  #next: number | undefined;
  #parts: Parts | undefined;
  /** Pictures are left out until one stands alone. */
  needsKey: boolean;

  constructor(stream: IncomingStream, kind: MediaKind, out: (frame: Frame) => void) {
    this.#stream = stream;
    this.#kind = kind;
    this.#out = out;
    this.needsKey = kind === 'video';
  }

  take(packet: KeptPacket): void {
    this.#next ??= packet.sequence;
    if (packet.sequence !== this.#next && !isNewer(packet.sequence, this.#next)) return;
    this.#held.set(packet.sequence, packet);
    this.#drain();
  }

  /** What comes next has nothing to do with what came. */
  restart(): void {
    this.#held.clear();
    this.#next = undefined;
    this.#lose();
  }

  /** Often: gives up what does not come. */
  giveUp(nowMs: number): void {
    while (this.#held.size > 0) {
      const first = this.#firstHeld();
      if (nowMs - first.atMs < WAIT_MS) return;
      this.#next = first.sequence;
      this.#lose();
      this.#drain();
    }
  }

  #firstHeld(): KeptPacket {
    let first: KeptPacket | undefined;
    for (const packet of this.#held.values()) if (!first || isNewer(first.sequence, packet.sequence)) first = packet;
    return first!;
  }

  #lose(): void {
    this.#parts = undefined;
    this.needsKey = this.#kind === 'video';
  }

  #drain(): void {
    for (;;) {
      const packet = this.#held.get(this.#next!);
      if (!packet) return;
      this.#held.delete(packet.sequence);
      this.#next = (packet.sequence + 1) & 0xffff;
      if (this.#kind === 'audio') this.#sound(packet);
      else this.#picture(packet);
    }
  }

  #sound({ bytes, start, end, timestamp, atMs }: KeptPacket): void {
    if (end === start) return;
    this.#out({ data: bytes.subarray(start, end), stream: this.#stream, timestamp, isKey: true, atMs });
  }

  #picture({ bytes, start, end, timestamp, marker, vp8, atMs }: KeptPacket): void {
    // A packet of padding probes the link.
    if (!vp8) return;
    const at = start + vp8.length;
    if (vp8.isStart) {
      this.#parts = { timestamp, isKey: vp8.isKey, size: vp8.size, data: [] };
    }
    if (this.#parts?.timestamp !== timestamp) {
      this.#lose();
      return;
    }
    this.#parts.data.push(bytes.subarray(at, end));
    if (!marker) return;
    const { data, isKey, size } = this.#parts;
    this.#parts = undefined;
    if (isKey) this.needsKey = false;
    if (this.needsKey) return;
    const frame: Frame = { data: Buffer.concat(data), stream: this.#stream, timestamp, isKey, atMs };
    this.#out(size ? { ...frame, size } : frame);
  }
}
