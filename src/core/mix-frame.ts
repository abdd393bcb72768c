/**
 * Sound between a mix of calls and the process that carries a room, on loopback, or the same mix at another node: 20 ms of
 * 8 kHz in a datagram, over UDP. Both ends know a key that was made for this mix; a datagram without it is ignored, wherever
 * it comes from. Numbers are in the byte order of the machine.
 */
import { timingSafeEqual } from 'node:crypto';

export const LOOPBACK = '127.0.0.1';
export const FRAME_SAMPLES = 160;
export const FRAME_MS = 20;
export const KEY_BYTES = 16;
const DATAGRAM_BYTES = KEY_BYTES + FRAME_SAMPLES * 2;

/** Where a mix is reached. */
export interface MixAddress {
  port: number;
  /** In hexadecimal digits; a secret. */
  key: string;
}

/** The same mix at another node. IP addresses. */
export interface MixFarEnd {
  /** Ours, as it is seen from there. */
  localHost: string;
  farHost: string;
  /** Absent: it is learned from what comes with the key. */
  farPort?: number;
}

/** The datagram of one frame. */
export function writeFrame(key: Buffer, pcm: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(DATAGRAM_BYTES);
  key.copy(bytes);
  bytes.set(new Uint8Array(pcm.buffer, pcm.byteOffset, FRAME_SAMPLES * 2), KEY_BYTES);
  return bytes;
}

/** Undefined: it is not from the other end. */
export function readFrame(key: Buffer, bytes: Buffer): Int16Array | undefined {
  if (bytes.length !== DATAGRAM_BYTES || !timingSafeEqual(bytes.subarray(0, KEY_BYTES), key)) return undefined;
  const pcm = new Int16Array(FRAME_SAMPLES);
  new Uint8Array(pcm.buffer).set(bytes.subarray(KEY_BYTES));
  return pcm;
}
