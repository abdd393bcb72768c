/**
 * Headers of packets to subscribers: 20 bytes, with one extension, the send time (abs-send-time), from which browsers
 * estimate bandwidth.
 */
import { SEND_TIME_ID } from './sdp.ts';

export const HEADER_BYTES = 20;
const EXTENSION = 0x10;
const EXTENSION_AT = 12;
const TIME_AT = 17;

/** Adds the extension to a header that `writeRtpHeader` wrote. */
export function writeExtension(bytes: Buffer, nowMs: number): void {
  bytes[0]! |= EXTENSION;
  bytes.writeUInt32BE(0xbede0001, EXTENSION_AT);
  bytes[TIME_AT - 1] = (SEND_TIME_ID << 4) | 2;
  writeSendTime(bytes, nowMs);
}

/** Writes the time in seconds as 6.18 fixed point, modulo 64 s. */
export function writeSendTime(bytes: Buffer, nowMs: number): void {
  bytes.writeUIntBE(Math.floor(((nowMs / 1000) % 64) * 2 ** 18) & 0xffffff, TIME_AT, 3);
}
