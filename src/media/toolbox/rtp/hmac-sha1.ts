/**
 * HMAC-SHA1 with a tag of 80 bits, the authentication of SRTP (RFC 3711 §4.2.1, RFC 2104, RFC 3174). The two blocks
 * that depend on the key alone are hashed once, and a packet creates no objects: an HMAC object of node:crypto for each
 * packet costs several times as much as hashing the packet.
 */
import { writeUint32 } from './bytes.ts';

export const TAG_BYTES = 10;
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;
/** Appended to the packet: the rollover counter of SRTP, or flag and index of SRTCP. */
const SUFFIX_BYTES = 4;
/** End of message, and its length in bits. */
const PADDING_BYTES = 9;
const END_OF_MESSAGE = 0x80;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

export class HmacSha1 {
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;
  readonly #state = new Int32Array(INITIAL.length);
  readonly #tail = new Uint8Array(2 * BLOCK_BYTES);
  readonly #digestBlock = new Uint8Array(BLOCK_BYTES);
  readonly #tag = new Uint8Array(DIGEST_BYTES);

  /** `key`: at most 64 bytes. */
  constructor(key: Uint8Array) {
    if (key.length > BLOCK_BYTES) throw new Error(`the key of an HMAC has at most ${BLOCK_BYTES} bytes`);
    this.#inner = keyed(key, INNER_PAD);
    this.#outer = keyed(key, OUTER_PAD);
    this.#digestBlock[DIGEST_BYTES] = END_OF_MESSAGE;
    writeUint32(this.#digestBlock, BLOCK_BYTES - 4, (BLOCK_BYTES + DIGEST_BYTES) * 8);
  }

  /** Writes the tag of the bytes up to `end` and of `suffix`, a number of 32 bits, into the bytes from `at`. */
  sign(bytes: Uint8Array, end: number, suffix: number, at: number): void {
    this.#compute(bytes, end, suffix);
    for (let nth = 0; nth < TAG_BYTES; nth++) bytes[at + nth] = this.#tag[nth]!;
  }

  /** True if the bytes from `at` are the tag; in constant time. */
  verify(bytes: Uint8Array, end: number, suffix: number, at: number): boolean {
    this.#compute(bytes, end, suffix);
    let difference = 0;
    for (let nth = 0; nth < TAG_BYTES; nth++) difference |= bytes[at + nth]! ^ this.#tag[nth]!;
    return difference === 0 && at + TAG_BYTES <= bytes.length;
  }

  #compute(bytes: Uint8Array, end: number, suffix: number): void {
    const state = this.#state;
    state.set(this.#inner);
    let at = 0;
    for (; at + BLOCK_BYTES <= end; at += BLOCK_BYTES) hashBlock(state, bytes, at);
    this.#hashTail(bytes, at, end, suffix);
    for (let word = 0; word < state.length; word++) writeUint32(this.#digestBlock, word * 4, state[word]!);
    state.set(this.#outer);
    hashBlock(state, this.#digestBlock, 0);
    for (let word = 0; word < state.length; word++) writeUint32(this.#tag, word * 4, state[word]!);
  }

  /** Hashes the last bytes, the suffix and the padding: one block, or two. */
  #hashTail(bytes: Uint8Array, from: number, end: number, suffix: number): void {
    const tail = this.#tail;
    tail.fill(0);
    const rest = end - from;
    for (let nth = 0; nth < rest; nth++) tail[nth] = bytes[from + nth]!;
    writeUint32(tail, rest, suffix);
    tail[rest + SUFFIX_BYTES] = END_OF_MESSAGE;
    const length = rest + SUFFIX_BYTES + PADDING_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    writeUint32(tail, length - 4, (BLOCK_BYTES + end + SUFFIX_BYTES) * 8);
    for (let at = 0; at < length; at += BLOCK_BYTES) hashBlock(this.#state, tail, at);
  }
}

function keyed(key: Uint8Array, pad: number): Int32Array {
  const state = INITIAL.slice();
  hashBlock(
    state,
    Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => (key[at] ?? 0) ^ pad),
    0,
  );
  return state;
}

const words = new Int32Array(80);

/** RFC 3174 §6.1: hashes the block from `at` into the five words of `state`. */
function hashBlock(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t++) {
    const from = at + 4 * t;
    words[t] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let t = 16; t < 80; t++) {
    const word = words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!;
    words[t] = (word << 1) | (word >>> 31);
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  // Four loops instead of a function of the round, because this is the inner loop of every encrypted packet.
  for (let t = 0; t < 20; t++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 20; t < 40; t++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 40; t < 60; t++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (b & d) | (c & d)) + e + 0x8f1bbcdc + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 60; t < 80; t++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
}
