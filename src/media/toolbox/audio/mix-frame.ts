/**
 * Audio between a mix of calls and the process that carries a room, over loopback, or the same mix on another node: UDP
 * datagrams with 20 ms of 8 kHz audio. Both ends know a key of this mix; a datagram without it is ignored, whatever its
 * source. Numbers are in the byte order of the machine.
 */
import { timingSafeEqual } from 'node:crypto';
import { FRAME_SAMPLES } from './sample-rate.ts';

export const LOOPBACK = '127.0.0.1';
export const KEY_BYTES = 16;
const DATAGRAM_BYTES = KEY_BYTES + FRAME_SAMPLES * 2;

/** Address of a mix. */
export interface MixAddress {
  port: number;
  /** Hexadecimal digits; secret. */
  key: string;
}

/** The same mix on another node. IP addresses. */
export interface MixFarEnd {
  /** Address of this node, as the other node reaches it. */
  localHost: string;
  farHost: string;
  /** Absent if it is learned from the first datagram with the key. */
  farPort?: number;
}

/** Builds the datagram of one frame. */
export function writeFrame(key: Buffer, pcm: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(DATAGRAM_BYTES);
  key.copy(bytes);
  bytes.set(new Uint8Array(pcm.buffer, pcm.byteOffset, FRAME_SAMPLES * 2), KEY_BYTES);
  return bytes;
}

/** Undefined if the datagram is not from the other end. */
export function readFrame(key: Buffer, bytes: Buffer): Int16Array | undefined {
  if (bytes.length !== DATAGRAM_BYTES || !timingSafeEqual(bytes.subarray(0, KEY_BYTES), key)) return undefined;
  const pcm = new Int16Array(FRAME_SAMPLES);
  new Uint8Array(pcm.buffer).set(bytes.subarray(KEY_BYTES));
  return pcm;
}
