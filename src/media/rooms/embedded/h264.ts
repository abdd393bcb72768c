/** Parser for H.264 in RTP (RFC 6184): the parts that forwarding and recording need. The input is untrusted. */
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';

/** Bytes of a packet, and its payload in them. */
export type Payload = Pick<RtpPacket<Buffer>, 'bytes' | 'payloadStart' | 'payloadEnd'>;

export const NAL = { idr: 5, sps: 7, pps: 8, stapA: 24, fuA: 28 } as const;

const TYPE = 0x1f;
const FU_START = 0x80;
/** Profiles whose parameter sets have more fields before the size. */
const HIGH_PROFILES: readonly number[] = [100, 110, 122, 244, 44, 83, 86, 118, 128];
const MACROBLOCK = 16;

export const nalTypeOf = (unit: Uint8Array): number => (unit[0] ?? 0) & TYPE;

/** Undefined if the packet is truncated, or in a packetization that browsers do not use. */
export function parseH264(packet: RtpPacket<Buffer>): PictureDescriptor | undefined {
  const { bytes, payloadStart: start, payloadEnd: end } = packet;
  if (end - start < 2) return undefined;
  const descriptor: PictureDescriptor = { isKey: false, isStart: false, length: 0 };
  const type = bytes[start]! & TYPE;
  if (type === NAL.fuA) {
    const head = bytes[start + 1]!;
    descriptor.isStart = (head & FU_START) !== 0;
    descriptor.isKey = descriptor.isStart && (head & TYPE) === NAL.idr;
    return descriptor;
  }
  const units = type === NAL.stapA ? unitsOf(packet) : [bytes.subarray(start, end)];
  descriptor.isStart = true;
  for (const unit of units) {
    if (nalTypeOf(unit) === NAL.idr) descriptor.isKey = true;
    if (nalTypeOf(unit) !== NAL.sps) continue;
    descriptor.isKey = true;
    const size = sizeOf(unit);
    if (size) descriptor.size = size;
  }
  return descriptor;
}

/** Complete NAL units of an aggregation packet (STAP-A). */
export function unitsOf({ bytes, payloadStart: start, payloadEnd: end }: Payload): Buffer[] {
  const units: Buffer[] = [];
  for (let at = start + 1; at + 2 < end; ) {
    const length = bytes.readUInt16BE(at);
    if (length === 0 || at + 2 + length > end) break;
    units.push(bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return units;
}

/** Frame size from a sequence parameter set (ITU-T H.264 §7.3.2.1.1). Undefined if it is truncated or unusual. */
function sizeOf(unit: Uint8Array): PictureDescriptor['size'] {
  const bits = new Bits(unit.subarray(1, 64));
  const profile = bits.read(8);
  bits.read(16);
  bits.exponential();
  if (HIGH_PROFILES.includes(profile)) {
    // Browsers do not send chroma other than 4:2:0, nor scaling lists.
    if (bits.exponential() !== 1) return undefined;
    bits.exponential();
    bits.exponential();
    bits.read(1);
    if (bits.read(1) === 1) return undefined;
  }
  bits.exponential();
  const order = bits.exponential();
  if (order === 0) bits.exponential();
  else if (order === 1) return undefined;
  bits.exponential();
  bits.read(1);
  const width = (bits.exponential() + 1) * MACROBLOCK;
  const units = bits.exponential() + 1;
  const isProgressive = bits.read(1);
  if (isProgressive === 0) bits.read(1);
  bits.read(1);
  const height = units * MACROBLOCK * (2 - isProgressive);
  const isCropped = bits.read(1) === 1;
  const [left, right, top, bottom] = isCropped ? [0, 0, 0, 0].map(() => bits.exponential() * 2) : [0, 0, 0, 0];
  if (bits.isOver) return undefined;
  const size = { width: width - left! - right!, height: height - (top! + bottom!) * (2 - isProgressive) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

/** Bit reader of a NAL unit, without the emulation prevention bytes. */
class Bits {
  readonly #bytes: number[];
  #at = 0;

  constructor(unit: Uint8Array) {
    this.#bytes = [...unit].filter((byte, at) => !(byte === 3 && unit[at - 1] === 0 && unit[at - 2] === 0));
  }

  get isOver(): boolean {
    return this.#at > this.#bytes.length * 8;
  }

  read(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++) {
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  /** Reads an Exp-Golomb code of at most 32 bits. */
  exponential(): number {
    let zeros = 0;
    while (zeros < 16 && !this.isOver && this.read(1) === 0) zeros++;
    return 2 ** zeros - 1 + this.read(zeros);
  }
}
