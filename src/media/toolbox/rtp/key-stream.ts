/**
 * AES-128 in counter mode for SRTP (RFC 3711 §4.1.1). One ECB cipher per key encrypts the counter blocks of all
 * packets, because a cipher object per packet costs more than the encryption of its audio.
 */
import { type Cipheriv, createCipheriv } from 'node:crypto';
import { writeUint32 } from './bytes.ts';

export const KEY_BYTES = 16;
export const SALT_BYTES = 14;
const BLOCK_BYTES = 16;
/** Blocks that are encrypted at once: those of a packet of an Ethernet frame. */
const MAX_BLOCKS = 96;
/** Offsets in a counter block: source, packet index (48 bits), number of the block. */
const SSRC_AT = 4;
const INDEX_AT = 8;
const COUNTER_AT = 14;

export class KeyStream {
  readonly #cipher: Cipheriv;
  readonly #salt: Uint8Array;
  readonly #first = new Uint8Array(BLOCK_BYTES);
  readonly #blocks = new Uint8Array(BLOCK_BYTES * MAX_BLOCKS);

  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#salt = Uint8Array.from(salt);
  }

  /**
   * Encrypts or decrypts the bytes from `start` to `end` in place. `index`: the packet index of RTP (rollover counter
   * and sequence number) or SRTCP.
   */
  apply(bytes: Uint8Array, start: number, end: number, ssrc: number, index: number): void {
    this.#start(ssrc, index);
    let block = 0;
    for (let at = start; at < end; at += BLOCK_BYTES * MAX_BLOCKS) {
      const until = Math.min(end, at + BLOCK_BYTES * MAX_BLOCKS);
      const count = (until - at + BLOCK_BYTES - 1) >> 4;
      const stream = this.#encrypt(block, count);
      for (let from = at, nth = 0; from < until; from++, nth++) bytes[from]! ^= stream[nth]!;
      block += count;
    }
  }

  /** Writes what all counter blocks of a packet have in common. */
  #start(ssrc: number, index: number): void {
    const first = this.#first;
    const salt = this.#salt;
    writeUint32(first, SSRC_AT, ssrc);
    writeUint32(first, INDEX_AT, Math.floor(index / 0x1_0000));
    first[12] = index >>> 8;
    first[13] = index;
    for (let at = 0; at < SSRC_AT; at++) first[at] = salt[at]!;
    for (let at = SSRC_AT; at < SALT_BYTES; at++) first[at]! ^= salt[at]!;
  }

  #encrypt(block: number, count: number): Uint8Array {
    const blocks = this.#blocks;
    const first = this.#first;
    const length = count * BLOCK_BYTES;
    for (let at = 0, number = block; at < length; at += BLOCK_BYTES, number++) {
      for (let nth = 0; nth < COUNTER_AT; nth++) blocks[at + nth] = first[nth]!;
      blocks[at + COUNTER_AT] = number >>> 8;
      blocks[at + COUNTER_AT + 1] = number;
    }
    return this.#cipher.update(blocks.subarray(0, length));
  }
}
