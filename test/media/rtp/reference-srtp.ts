/**
 * Plain implementation of SRTP (RFC 3711) as a reference for tests and benchmarks: a cipher and an HMAC of node:crypto
 * for each packet, and a replay window as one number.
 */
import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { readUint16, readUint32 } from '../../../src/media/toolbox/rtp/bytes.ts';

const MASTER_KEY_BYTES = 16;
const MASTER_SALT_BYTES = 14;
const KEYING_BYTES = MASTER_KEY_BYTES + MASTER_SALT_BYTES;
const TAG_BYTES = 10;
const AUTH_KEY_BYTES = 20;
/** E flag and index of SRTCP (§3.4). */
const INDEX_BYTES = 4;
const RTCP_HEADER_BYTES = 8;
const ENCRYPTED_FLAG = 0x80000000;
/** §3.3.2 requires at least 64. */
const REPLAY_WINDOW = 128n;
const WINDOW_MASK = (1n << REPLAY_WINDOW) - 1n;
/** Each source needs its own context; a peer may restart a few times in a call. */
const MAX_SOURCES = 8;

/** §4.3.2: the label of the encryption key; those of the authentication key and the salt follow. */
const FIRST_LABEL = { rtp: 0, rtcp: 3 } as const;

interface SessionKeys {
  key: Buffer;
  auth: Buffer;
  salt: Buffer;
}

interface ControlState {
  highest: number;
  window: bigint;
}

interface SourceState extends ControlState {
  rollover: number;
  begun: boolean;
}

export class ReferenceSrtp {
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  readonly #sources = new Map<number, SourceState>();
  readonly #controls = new Map<number, ControlState>();
  #controlIndex = 0;

  constructor(keying: Uint8Array) {
    if (keying.length !== KEYING_BYTES) throw new Error(`SRTP keying material has ${KEYING_BYTES} bytes`);
    const key = Buffer.from(keying.subarray(0, MASTER_KEY_BYTES));
    const salt = Buffer.from(keying.subarray(MASTER_KEY_BYTES));
    this.#rtp = sessionKeys(key, salt, FIRST_LABEL.rtp);
    this.#rtcp = sessionKeys(key, salt, FIRST_LABEL.rtcp);
  }

  /** Returns the encrypted packet; its header ends at `payloadStart`. */
  protectRtp(packet: Uint8Array, payloadStart: number): Uint8Array {
    const { ssrc, sequence } = fieldsOf(packet);
    const source = this.#source(ssrc)!;
    if (source.begun && sequence < source.highest && source.highest - sequence > 0x8000) source.rollover++;
    source.begun = true;
    source.highest = sequence;
    const sealed = Buffer.alloc(packet.length + TAG_BYTES);
    sealed.set(packet.subarray(0, payloadStart));
    crypt(this.#rtp, ssrc, source.rollover * 0x10000 + sequence, packet.subarray(payloadStart), sealed, payloadStart);
    tagOf(this.#rtp, sealed.subarray(0, packet.length), source.rollover).copy(sealed, packet.length);
    return sealed;
  }

  /** Returns the decrypted packet; undefined if it fails authentication. `payloadStart` from `headerEnd`. */
  unprotectRtp(packet: Uint8Array, payloadStart: number): Uint8Array | undefined {
    const end = packet.length - TAG_BYTES;
    if (end < payloadStart) return undefined;
    const { ssrc, sequence } = fieldsOf(packet);
    const known = this.#sources.get(ssrc);
    const source = known ?? { rollover: 0, highest: sequence, window: 0n, begun: false };
    const rollover = guessRollover(source, sequence);
    if (rollover < 0) return undefined;
    const body = packet.subarray(0, end);
    if (!timingSafeEqual(tagOf(this.#rtp, body, rollover), packet.subarray(end))) return undefined;
    const ahead = (rollover - source.rollover) * 0x10000 + sequence - source.highest;
    if (source.begun && isRepeated(source.window, ahead)) return undefined;
    if (!known && !this.#adopt(ssrc, source)) return undefined;
    source.window = source.begun ? advance(source.window, ahead) : 1n;
    if (!source.begun || ahead > 0) {
      source.highest = sequence;
      source.rollover = rollover;
    }
    source.begun = true;
    const opened = Buffer.alloc(end);
    opened.set(packet.subarray(0, payloadStart));
    crypt(this.#rtp, ssrc, rollover * 0x10000 + sequence, packet.subarray(payloadStart, end), opened, payloadStart);
    return opened;
  }

  protectRtcp(packet: Uint8Array): Uint8Array {
    const index = this.#controlIndex;
    this.#controlIndex = (this.#controlIndex + 1) & 0x7fffffff;
    const ssrc = readUint32(packet, 4);
    const sealed = Buffer.alloc(packet.length + INDEX_BYTES + TAG_BYTES);
    sealed.set(packet.subarray(0, RTCP_HEADER_BYTES));
    crypt(this.#rtcp, ssrc, index, packet.subarray(RTCP_HEADER_BYTES), sealed, RTCP_HEADER_BYTES);
    sealed.writeUInt32BE((ENCRYPTED_FLAG | index) >>> 0, packet.length);
    const tag = tagOf(this.#rtcp, sealed.subarray(0, packet.length + INDEX_BYTES));
    tag.copy(sealed, packet.length + INDEX_BYTES);
    return sealed;
  }

  unprotectRtcp(packet: Uint8Array): Uint8Array | undefined {
    const tagAt = packet.length - TAG_BYTES;
    const indexAt = tagAt - INDEX_BYTES;
    if (indexAt < RTCP_HEADER_BYTES) return undefined;
    if (!timingSafeEqual(tagOf(this.#rtcp, packet.subarray(0, tagAt)), packet.subarray(tagAt))) return undefined;
    const word = readUint32(packet, indexAt);
    const index = word & 0x7fffffff;
    const ssrc = readUint32(packet, 4);
    const state = this.#controls.get(ssrc);
    const ahead = state ? index - state.highest : 1;
    if (state ? isRepeated(state.window, ahead) : this.#controls.size >= MAX_SOURCES) return undefined;
    this.#controls.set(ssrc, {
      highest: state && ahead <= 0 ? state.highest : index,
      window: state ? advance(state.window, ahead) : 1n,
    });
    const opened = Buffer.from(packet.subarray(0, indexAt));
    if (word >>> 31 === 1) {
      crypt(this.#rtcp, ssrc, index, packet.subarray(RTCP_HEADER_BYTES, indexAt), opened, RTCP_HEADER_BYTES);
    }
    return opened;
  }

  #source(ssrc: number): SourceState | undefined {
    const known = this.#sources.get(ssrc);
    if (known) return known;
    const fresh = { rollover: 0, highest: 0, window: 0n, begun: false };
    return this.#adopt(ssrc, fresh) ? fresh : undefined;
  }

  #adopt(ssrc: number, source: SourceState): boolean {
    if (this.#sources.size >= MAX_SOURCES) return false;
    this.#sources.set(ssrc, source);
    return true;
  }
}

/** §4.3.1, with a key derivation rate of 0. */
function sessionKeys(master: Buffer, salt: Buffer, firstLabel: number): SessionKeys {
  const derive = (label: number, bytes: number): Buffer => {
    const iv = Buffer.alloc(16);
    salt.copy(iv);
    iv[7]! ^= label;
    return createCipheriv('aes-128-ctr', master, iv).update(Buffer.alloc(bytes));
  };
  return {
    key: derive(firstLabel, MASTER_KEY_BYTES),
    auth: derive(firstLabel + 1, AUTH_KEY_BYTES),
    salt: derive(firstLabel + 2, MASTER_SALT_BYTES),
  };
}

/** §4.1.1: counter mode is its own inverse. */
function crypt(keys: SessionKeys, ssrc: number, index: number, from: Uint8Array, into: Buffer, at: number): void {
  const iv = Buffer.alloc(16);
  keys.salt.copy(iv);
  iv.writeUInt32BE((iv.readUInt32BE(4) ^ ssrc) >>> 0, 4);
  iv.writeUInt32BE((iv.readUInt32BE(8) ^ Math.floor(index / 0x10000)) >>> 0, 8);
  iv.writeUInt16BE((iv.readUInt16BE(12) ^ (index & 0xffff)) & 0xffff, 12);
  into.set(createCipheriv('aes-128-ctr', keys.key, iv).update(from), at);
}

function tagOf({ auth }: SessionKeys, body: Uint8Array, rollover?: number): Buffer {
  const hmac = createHmac('sha1', auth).update(body);
  if (rollover !== undefined) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(rollover >>> 0);
    hmac.update(counter);
  }
  return hmac.digest().subarray(0, TAG_BYTES);
}

/** §3.3.1. */
function guessRollover({ rollover, highest, begun }: SourceState, sequence: number): number {
  if (!begun) return rollover;
  if (highest < 0x8000) return sequence - highest > 0x8000 ? rollover - 1 : rollover;
  return highest - 0x8000 > sequence ? rollover + 1 : rollover;
}

/** Bit n of the window is the packet n before the highest one. */
const isRepeated = (window: bigint, ahead: number): boolean =>
  ahead <= 0 && (BigInt(-ahead) >= REPLAY_WINDOW || ((window >> BigInt(-ahead)) & 1n) === 1n);

const advance = (window: bigint, ahead: number): bigint =>
  ahead > 0
    ? ahead >= REPLAY_WINDOW
      ? 1n
      : ((window << BigInt(ahead)) | 1n) & WINDOW_MASK
    : window | (1n << BigInt(-ahead));

const fieldsOf = (packet: Uint8Array): { ssrc: number; sequence: number } => ({
  ssrc: readUint32(packet, 8),
  sequence: readUint16(packet, 2),
});
