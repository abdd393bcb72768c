/** Headers of packets to viewers: 20 bytes, with one extension, when it was sent. Estimates of browsers are made of it. */
import { SEND_TIME_ID } from './sdp.ts';

export const HEADER_BYTES = 20;
const EXTENSION_AT = 12;
const TIME_AT = 17;

/** Begins a header; the rest is its writer's. */
export function writeExtension(bytes: Buffer, nowMs: number): void {
  bytes.writeUInt32BE(0xbede0001, EXTENSION_AT);
  bytes[TIME_AT - 1] = (SEND_TIME_ID << 4) | 2;
  writeSendTime(bytes, nowMs);
}

/** Seconds with 18 bits after the point, modulo 64. */
export function writeSendTime(bytes: Buffer, nowMs: number): void {
  bytes.writeUIntBE(Math.floor(((nowMs / 1000) % 64) * 2 ** 18) & 0xffffff, TIME_AT, 3);
}
