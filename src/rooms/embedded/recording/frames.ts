/**
 * Frames of one stream that is received: packets in order, and put together. What does not come within a moment is given
 * up; pictures after such a hole are left out until one stands alone.
 */
import { countsAnew } from '../../../core/rtp-sequence.ts';
import type { Codec } from '../codecs.ts';
import type { IncomingStream, KeptPacket } from '../incoming-stream.ts';
import { isNewer } from '../rtp.ts';
import type { MediaKind } from '../sdp.ts';
import { configurationOf, unitsOfPicture, withLengths } from './avc.ts';

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
  /** Decoder configuration of a key frame of H.264, for the head of a file. */
  configuration?: Buffer;
}

/** How long is waited for a packet that is missing. */
const WAIT_MS = 400;

interface Parts {
  timestamp: number;
  isKey: boolean;
  size: Frame['size'];
  packets: KeptPacket[];
}

export class Frames {
  readonly #stream: IncomingStream;
  readonly #kind: MediaKind;
  readonly #codec: Codec;
  readonly #out: (frame: Frame) => void;
  readonly #held = new Map<number, KeptPacket>();
  /** The packet that comes next; undefined: any. */
  #next: number | undefined;
  #parts: Parts | undefined;
  /** Pictures are left out until one stands alone. */
  needsKey: boolean;

  constructor(stream: IncomingStream, { kind, codec }: { kind: MediaKind; codec: Codec }, out: (frame: Frame) => void) {
    this.#stream = stream;
    this.#kind = kind;
    this.#codec = codec;
    this.#out = out;
    this.needsKey = kind === 'video';
  }

  take(packet: KeptPacket): void {
    if (this.#next !== undefined && countsAnew(this.#next, packet.sequence)) this.restart();
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

  #picture(packet: KeptPacket): void {
    const { timestamp, marker, picture } = packet;
    // A packet of padding probes the link.
    if (!picture) return;
    // Units of H.264 do not say that a picture begins: one follows the last packet of the picture before.
    const isNext = this.#codec === 'H264' ? picture.isStart && this.#parts?.timestamp !== timestamp : picture.isStart;
    if (isNext) this.#parts = { timestamp, isKey: false, size: undefined, packets: [] };
    if (this.#parts?.timestamp !== timestamp) {
      this.#lose();
      return;
    }
    const parts = this.#parts;
    parts.isKey ||= picture.isKey;
    parts.size ??= picture.size;
    parts.packets.push(packet);
    if (marker) this.#end(parts, packet.atMs);
  }

  #end({ timestamp, packets, isKey, size }: Parts, atMs: number): void {
    this.#parts = undefined;
    if (isKey) this.needsKey = false;
    if (this.needsKey) return;
    const units = this.#codec === 'H264' ? unitsOfPicture(packets) : undefined;
    const configuration = isKey && units ? configurationOf(units) : undefined;
    this.#out({
      data: units ? withLengths(units) : Buffer.concat(packets.map(pictureBytes)),
      ...{ stream: this.#stream, timestamp, isKey, atMs },
      ...(size ? { size } : {}),
      ...(configuration ? { configuration } : {}),
    });
  }
}

/** Payload of a packet without its descriptor. */
const pictureBytes = ({ bytes, start, end, picture }: KeptPacket): Buffer =>
  bytes.subarray(start + (picture?.length ?? 0), end);
