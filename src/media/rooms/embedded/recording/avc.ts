/**
 * H.264 in Matroska (ISO/IEC 14496-15): NAL units with their lengths, and the parameter sets in the file header. In
 * RTP, units arrive whole, aggregated in one packet, or in fragments (RFC 6184).
 */
import { NAL, nalTypeOf, type Payload, unitsOf } from '../h264.ts';

const FU_START = 0x80;
const TYPE = 0x1f;
const IMPORTANCE = 0xe0;
const LENGTH_BYTES = 4;

/** NAL units of a frame, from its packets in order. */
export function unitsOfPicture(packets: readonly Payload[]): Buffer[] {
  const units: Buffer[][] = [];
  for (const packet of packets) {
    const payload = packet.bytes.subarray(packet.payloadStart, packet.payloadEnd);
    const type = nalTypeOf(payload);
    if (type === NAL.stapA) units.push(...unitsOf(packet).map((unit) => [unit]));
    else if (type !== NAL.fuA) units.push([payload]);
    else if ((payload[1]! & FU_START) !== 0) {
      units.push([Buffer.from([(payload[0]! & IMPORTANCE) | (payload[1]! & TYPE)]), payload.subarray(2)]);
    } else units.at(-1)?.push(payload.subarray(2));
  }
  return units.map((parts) => Buffer.concat(parts));
}

/** NAL units with length prefixes, as in a block. */
export const withLengths = (units: readonly Buffer[]): Buffer =>
  Buffer.concat(
    units.flatMap((unit) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(unit.length);
      return [length, unit];
    }),
  );

/** Configuration record (avcC) of a frame with parameter sets. Undefined if it has none. */
export function configurationOf(units: readonly Buffer[]): Buffer | undefined {
  const sps = units.find((unit) => nalTypeOf(unit) === NAL.sps);
  const pps = units.find((unit) => nalTypeOf(unit) === NAL.pps);
  if (!sps || !pps || sps.length < 4) return undefined;
  const lengthOf = (unit: Buffer): Buffer => Buffer.from([unit.length >> 8, unit.length & 0xff]);
  const head = Buffer.from([1, sps[1]!, sps[2]!, sps[3]!, 0xfc | (LENGTH_BYTES - 1), 0xe1]);
  return Buffer.concat([head, lengthOf(sps), sps, Buffer.from([1]), lengthOf(pps), pps]);
}
