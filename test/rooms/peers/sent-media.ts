/**
 * Media sent by a synthetic peer: packets with headers of Opus and VP8 in real time, without decodable content. The
 * last bytes of each packet identify sender and layer.
 */
import { EXTENSION, MIDS, PAYLOAD_TYPES } from './browser-sdp.ts';
import type { LayerShape, PictureShape } from './peer-messages.ts';

const MAGIC = 0xc4a7;
const STAMP_BYTES = 4;
const KEPT = 512;

/** Undefined if the bytes do not have a known mark. */
export function readStamp(bytes: Buffer): { from: number; layer: number } | undefined {
  const at = bytes.length - STAMP_BYTES;
  if (at < 12 || bytes.readUInt16BE(at) !== MAGIC) return undefined;
  return { from: bytes[at + 2]!, layer: bytes[at + 3]! };
}

/** Stream of one SSRC: numbers packets and keeps them for retransmission. */
class SentStream {
  readonly ssrc: number;
  readonly #payloadType: number;
  readonly #extensions: Buffer;
  readonly #send: (bytes: Buffer) => void;
  readonly #kept = new Array<Buffer | undefined>(KEPT);
  #sequence = Math.floor(Math.random() * 0x7fff);
  packets = 0;
  octets = 0;

  constructor(ssrc: number, payloadType: number, extensions: Buffer, send: (bytes: Buffer) => void) {
    this.ssrc = ssrc;
    this.#payloadType = payloadType;
    this.#extensions = extensions;
    this.#send = send;
  }

  emit(timestamp: number, marker: boolean, payload: Buffer): void {
    const header = Buffer.alloc(16);
    header[0] = 0x90;
    header[1] = (marker ? 0x80 : 0) | this.#payloadType;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    header.writeUInt16BE(this.#sequence, 2);
    header.writeUInt32BE(timestamp >>> 0, 4);
    header.writeUInt32BE(this.ssrc, 8);
    header.writeUInt16BE(0xbede, 12);
    header.writeUInt16BE(this.#extensions.length / 4, 14);
    const bytes = Buffer.concat([header, this.#extensions, payload]);
    this.#kept[this.#sequence % KEPT] = bytes;
    this.packets++;
    this.octets += payload.length;
    this.#send(bytes);
  }

  again(sequence: number): void {
    const bytes = this.#kept[sequence % KEPT];
    if (bytes?.readUInt16BE(2) === sequence) this.#send(bytes);
  }
}

/** One-byte header extensions (RFC 8285), filled up to whole words. */
function extensionsOf(values: readonly [id: number, value: Buffer][]): Buffer {
  const written = values.map(([id, value]) => Buffer.concat([Buffer.from([(id << 4) | (value.length - 1)]), value]));
  const length = written.reduce((sum, { length: each }) => sum + each, 0);
  return Buffer.concat([...written, Buffer.alloc((4 - (length % 4)) % 4)]);
}

export class SentSound {
  readonly stream: SentStream;
  /** Value of the audio level extension. */
  readonly #level: Buffer;
  readonly #payload: Buffer;
  #count = 0;

  constructor(mark: number, ssrc: number, level: number, send: (bytes: Buffer) => void) {
    const extensions = extensionsOf([
      [EXTENSION.level, Buffer.alloc(1)],
      [EXTENSION.mid, Buffer.from(MIDS.audio)],
    ]);
    this.#level = extensions.subarray(1, 2);
    this.setLevel(level);
    this.stream = new SentStream(ssrc, PAYLOAD_TYPES.audio, extensions, send);
    this.#payload = Buffer.alloc(90, 0x55);
    this.#payload[0] = 0x78;
    this.#payload.writeUInt16BE(MAGIC, this.#payload.length - STAMP_BYTES);
    this.#payload[this.#payload.length - 2] = mark;
  }

  setLevel(dbov: number): void {
    this.#level[0] = -dbov & 0x7f;
  }

  get timestamp(): number {
    return this.#count * 960;
  }

  /** Every 20 ms. */
  tick(): void {
    this.#count++;
    this.stream.emit(this.timestamp, false, Buffer.from(this.#payload));
  }
}

export class SentPicture {
  readonly streams: readonly {
    stream: SentStream;
    shape: LayerShape;
    index: number;
    mustBegin: boolean;
    isStopped: boolean;
  }[];
  readonly #mark: number;
  readonly #frequency: number;
  #frame = 0;

  constructor(
    mark: number,
    firstSsrc: number,
    { mid, shape }: { mid: string; shape: PictureShape },
    send: (bytes: Buffer) => void,
  ) {
    this.#mark = mark;
    this.#frequency = shape.framesPerSecond;
    this.streams = shape.layers.map((layer, index) => {
      const values: [number, Buffer][] = [[EXTENSION.mid, Buffer.from(mid)]];
      if (layer.rid !== undefined) values.push([EXTENSION.rid, Buffer.from(layer.rid)]);
      const stream = new SentStream(firstSsrc + index, PAYLOAD_TYPES.video, extensionsOf(values), send);
      return { stream, shape: layer, index, mustBegin: true, isStopped: false };
    });
  }

  get timestamp(): number {
    return Math.round((this.#frame * 90_000) / this.#frequency);
  }

  begin(ssrc: number): void {
    for (const each of this.streams) if (each.stream.ssrc === ssrc) each.mustBegin = true;
  }

  tick(): void {
    this.#frame++;
    for (const each of this.streams) {
      const { stream, shape, index, mustBegin, isStopped } = each;
      if (isStopped) continue;
      each.mustBegin = false;
      // Key frames are larger.
      const packets = shape.packetsPerFrame * (mustBegin ? 3 : 1);
      for (let packet = 0; packet < packets; packet++) {
        const isFirst = packet === 0;
        const payload = Buffer.alloc(shape.packetBytes, 0x55);
        payload[0] = isFirst ? 0x90 : 0x80;
        payload[1] = 0xe0;
        payload.writeUInt16BE(0x8000 | (this.#frame & 0x7fff), 2);
        payload[4] = this.#frame & 0xff;
        payload[5] = 0;
        if (isFirst) writeFrameHeader(payload, 6, mustBegin, shape);
        payload.writeUInt16BE(MAGIC, payload.length - STAMP_BYTES);
        payload[payload.length - 2] = this.#mark;
        payload[payload.length - 1] = index;
        stream.emit(this.timestamp, packet === packets - 1, payload);
      }
    }
  }
}

/** RFC 6386 §9.1. */
function writeFrameHeader(payload: Buffer, at: number, isKey: boolean, { width, height }: LayerShape): void {
  payload.set([isKey ? 0x10 : 0x11, 0x02, 0x00], at);
  if (!isKey) return;
  payload.set([0x9d, 0x01, 0x2a], at + 3);
  payload.writeUInt16LE(width, at + 6);
  payload.writeUInt16LE(height, at + 8);
}
