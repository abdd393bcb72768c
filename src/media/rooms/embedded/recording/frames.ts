/**
 * Reassembles frames of one received stream from its packets, in order. A packet that does not arrive within a moment
 * is given up; video frames after such a gap are dropped until a key frame.
 */
import { isNewer, isRestart } from '../../../toolbox/rtp/sequence.ts';
import type { Codec } from '../codecs.ts';
import type { IncomingStream, KeptPacket } from '../incoming-stream.ts';
import type { MediaKind } from '../sdp.ts';
import { configurationOf, unitsOfPicture, withLengths } from './avc.ts';

export interface Frame {
  data: Buffer;
  stream: IncomingStream;
  /** RTP timestamp. */
  timestamp: number;
  isKey: boolean;
  /** Arrival of its last packet. */
  atMs: number;
  /** Size of a key frame. */
  size?: { width: number; height: number };
  /** Decoder configuration of a key frame of H.264, for the file header. */
  configuration?: Buffer;
}

/** Maximum wait for a missing packet. */
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
  /** Next expected sequence number; undefined: any. */
  #next: number | undefined;
  #parts: Parts | undefined;
  /** True while frames are dropped until a key frame. */
  needsKey: boolean;

  constructor(stream: IncomingStream, { kind, codec }: { kind: MediaKind; codec: Codec }, out: (frame: Frame) => void) {
    this.#stream = stream;
    this.#kind = kind;
    this.#codec = codec;
    this.#out = out;
    this.needsKey = kind === 'video';
  }

  onPacket(packet: KeptPacket): void {
    if (this.#next !== undefined && isRestart(this.#next, packet.sequence)) this.restart();
    this.#next ??= packet.sequence;
    if (packet.sequence !== this.#next && !isNewer(packet.sequence, this.#next)) return;
    this.#held.set(packet.sequence, packet);
    this.#drain();
  }

  /** Discards pending packets: the next packet does not continue them. */
  restart(): void {
    this.#held.clear();
    this.#next = undefined;
    this.#lose();
  }

  /** Gives up packets that are overdue. Called often. */
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

  #sound({ bytes, payloadStart, payloadEnd, timestamp, atMs }: KeptPacket): void {
    if (payloadEnd === payloadStart) return;
    this.#out({ data: bytes.subarray(payloadStart, payloadEnd), stream: this.#stream, timestamp, isKey: true, atMs });
  }

  #picture(packet: KeptPacket): void {
    const { timestamp, marker, picture } = packet;
    // Padding of a bandwidth probe.
    if (!picture) return;
    // H.264 does not mark the first NAL unit of a frame: it follows the last packet of the previous frame.
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
const pictureBytes = ({ bytes, payloadStart, payloadEnd, picture }: KeptPacket): Buffer =>
  bytes.subarray(payloadStart + (picture?.length ?? 0), payloadEnd);
