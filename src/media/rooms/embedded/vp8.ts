/** Parser of the payload descriptor of VP8 (RFC 7741): the parts that forwarding needs. The input is untrusted. */
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';

const START_CODE = 0x9d012a;
/** Mask of the size; the upper bits are the scaling. */
const SIZE_BITS = 0x3fff;

/** Offsets are relative to the start of the payload. Undefined if the packet is truncated. */
export function parseVp8({
  bytes,
  payloadStart: start,
  payloadEnd: end,
}: RtpPacket<Buffer>): PictureDescriptor | undefined {
  if (end - start < 2) return undefined;
  const first = bytes[start]!;
  const isStart = (first & 0x10) !== 0 && (first & 0x07) === 0;
  const descriptor: PictureDescriptor = { isKey: false, isStart, length: 0 };
  let at = start + 1;
  if ((first & 0x80) !== 0) {
    const present = bytes[at++]!;
    if ((present & 0x80) !== 0) {
      if (at + 2 > end) return undefined;
      const isLong = (bytes[at]! & 0x80) !== 0;
      const value = isLong ? bytes.readUInt16BE(at) & 0x7fff : bytes[at]!;
      descriptor.pictureId = { value, at: at - start, isLong };
      at += isLong ? 2 : 1;
    }
    if ((present & 0x40) !== 0) {
      if (at >= end) return undefined;
      descriptor.tl0Index = { value: bytes[at]!, at: at - start };
      at++;
    }
    if ((present & 0x30) !== 0) at++;
  }
  if (at >= end) return undefined;
  descriptor.length = at - start;
  descriptor.isKey = isStart && (bytes[at]! & 1) === 0;
  const size = descriptor.isKey ? sizeOf(bytes, at, end) : undefined;
  if (size) descriptor.size = size;
  return descriptor;
}

/** Reads the frame header of VP8 (RFC 6386 §9.1). */
function sizeOf(bytes: Buffer, at: number, end: number): PictureDescriptor['size'] {
  if (at + 10 > end || bytes.readUIntBE(at + 3, 3) !== START_CODE) return undefined;
  return { width: bytes.readUInt16LE(at + 6) & SIZE_BITS, height: bytes.readUInt16LE(at + 8) & SIZE_BITS };
}
