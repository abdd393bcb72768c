/** Parser of the payload descriptor of VP9 (RFC 9628): the parts that forwarding needs. The input is untrusted. */
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';

const PICTURE_ID = 0x80;
const PREDICTED = 0x40;
const LAYERS = 0x20;
const FLEXIBLE = 0x10;
const BEGIN = 0x08;
const STRUCTURE = 0x02;
const MAX_REFERENCES = 3;

/** Offsets are relative to the start of the payload. Undefined if the packet is truncated. */
export function parseVp9({
  bytes,
  payloadStart: start,
  payloadEnd: end,
}: RtpPacket<Buffer>): PictureDescriptor | undefined {
  if (end - start < 2) return undefined;
  const first = bytes[start]!;
  const has = (flag: number): boolean => (first & flag) !== 0;
  const descriptor: PictureDescriptor = { isKey: false, isStart: has(BEGIN), length: 0 };
  let at = start + 1;
  if (has(PICTURE_ID)) {
    if (at + 2 > end) return undefined;
    const isLong = (bytes[at]! & 0x80) !== 0;
    const value = isLong ? bytes.readUInt16BE(at) & 0x7fff : bytes[at]!;
    descriptor.pictureId = { value, at: at - start, isLong };
    at += isLong ? 2 : 1;
  }
  if (has(LAYERS)) {
    if (at + 2 > end) return undefined;
    // A frame with several spatial layers starts with the lowest one.
    if ((bytes[at]! & 0x0e) !== 0) descriptor.isStart = false;
    at++;
    if (!has(FLEXIBLE)) {
      descriptor.tl0Index = { value: bytes[at]!, at: at - start };
      at++;
    }
  }
  if (has(FLEXIBLE) && has(PREDICTED)) {
    for (let reference = 0; reference < MAX_REFERENCES && at < end; reference++) if ((bytes[at++]! & 1) === 0) break;
  }
  if (has(STRUCTURE)) {
    const structure = readStructure(bytes, at, end);
    if (!structure) return undefined;
    at = structure.at;
    if (structure.size) descriptor.size = structure.size;
  }
  if (at >= end) return undefined;
  descriptor.length = at - start;
  descriptor.isKey = descriptor.isStart && !has(PREDICTED);
  return descriptor;
}

/** Reads the scalability structure (§4.2.1): the size of the highest layer, and the position after it. */
function readStructure(
  bytes: Buffer,
  from: number,
  end: number,
): { at: number; size?: NonNullable<PictureDescriptor['size']> } | undefined {
  if (from >= end) return undefined;
  const head = bytes[from]!;
  const layers = (head >> 5) + 1;
  let at = from + 1;
  let size: PictureDescriptor['size'];
  if ((head & 0x10) !== 0) {
    if (at + layers * 4 > end) return undefined;
    const last = at + (layers - 1) * 4;
    size = { width: bytes.readUInt16BE(last), height: bytes.readUInt16BE(last + 2) };
    at += layers * 4;
  }
  if ((head & 0x08) !== 0) {
    if (at >= end) return undefined;
    const pictures = bytes[at++]!;
    for (let picture = 0; picture < pictures; picture++) {
      if (at >= end) return undefined;
      at += 1 + ((bytes[at]! >> 2) & 3);
    }
  }
  return at > end ? undefined : { at, ...(size ? { size } : {}) };
}
