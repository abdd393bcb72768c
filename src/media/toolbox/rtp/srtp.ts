/**
 * Encryption of RTP and RTCP (RFC 3711): AES in counter mode with 128 bits, HMAC-SHA1 with an 80-bit tag, keys from SDP
 * (RFC 4568). One object per direction. RTP packets are changed in place; reports, one in five seconds, are copied.
 *
 * Invariants
 *  - a packet that was changed, replayed, or is too old for the replay window is refused, and stays as it is;
 *  - the rollover counter follows authenticated packets only.
 */
import { createCipheriv } from 'node:crypto';
import { readUint16, readUint32, writeUint32 } from './bytes.ts';
import { HmacSha1, TAG_BYTES } from './hmac-sha1.ts';
import { KEY_BYTES, KeyStream, SALT_BYTES } from './key-stream.ts';
import { ReplayList } from './replay-list.ts';
import { extendSequence } from './sequence.ts';

export { TAG_BYTES } from './hmac-sha1.ts';

/** Length of the key in `inline:` of a crypto attribute (RFC 4568 §6.2.1): key, then salt. */
export const KEYING_BYTES = KEY_BYTES + SALT_BYTES;
const AUTH_KEY_BYTES = 20;
/** E flag and index of SRTCP (§3.4). */
const INDEX_BYTES = 4;
const RTCP_HEADER_BYTES = 8;
const ENCRYPTED_FLAG = 0x80000000;
const INDEX_MASK = 0x7fffffff;

/** §4.3.2: the label of the encryption key; those of the authentication key and the salt follow. */
const FIRST_LABEL = { rtp: 0, rtcp: 3 } as const;

interface SessionKeys {
  stream: KeyStream;
  authentication: HmacSha1;
}

export class SrtpDirection {
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  /** Index of the last sent packet, by SSRC. */
  readonly #sent = new Map<number, number>();
  readonly #received = new ReplayList();
  #reportsSent = 0;
  readonly #reportsReceived = new ReplayList();

  constructor(keying: Uint8Array) {
    if (keying.length !== KEYING_BYTES) throw new Error(`SRTP keying material has ${KEYING_BYTES} bytes`);
    this.#rtp = sessionKeys(keying, FIRST_LABEL.rtp);
    this.#rtcp = sessionKeys(keying, FIRST_LABEL.rtcp);
  }

  /**
   * Encrypts a packet in place, and writes the tag into its last `TAG_BYTES` bytes, which are room for it. The header
   * ends at `payloadStart`.
   */
  protectRtp(packet: Uint8Array, payloadStart: number): void {
    const end = packet.length - TAG_BYTES;
    const ssrc = readUint32(packet, 8);
    const sequence = readUint16(packet, 2);
    const index = extendSequence(this.#sent.get(ssrc) ?? sequence, sequence);
    this.#sent.set(ssrc, index);
    this.#rtp.stream.apply(packet, payloadStart, end, ssrc, index);
    this.#rtp.authentication.sign(packet, end, rolloverOf(index), end);
  }

  /**
   * Decrypts a packet in place. Returns a view of it without the tag; undefined if it fails authentication.
   * `payloadStart` from `headerEnd`.
   */
  unprotectRtp(packet: Uint8Array, payloadStart: number): Uint8Array | undefined {
    const end = packet.length - TAG_BYTES;
    if (end < payloadStart) return undefined;
    const ssrc = readUint32(packet, 8);
    const sequence = readUint16(packet, 2);
    const index = extendSequence(this.#received.highest(ssrc) ?? sequence, sequence);
    if (index < 0 || !this.#received.mayAccept(ssrc, index)) return undefined;
    if (!this.#rtp.authentication.verify(packet, end, rolloverOf(index), end)) return undefined;
    this.#received.accept(ssrc, index);
    this.#rtp.stream.apply(packet, payloadStart, end, ssrc, index);
    return packet.subarray(0, end);
  }

  protectRtcp(packet: Uint8Array): Uint8Array {
    const index = this.#reportsSent;
    this.#reportsSent = (index + 1) & INDEX_MASK;
    const indexAt = packet.length;
    const flagged = ENCRYPTED_FLAG + index;
    const sealed = new Uint8Array(indexAt + INDEX_BYTES + TAG_BYTES);
    sealed.set(packet);
    this.#rtcp.stream.apply(sealed, RTCP_HEADER_BYTES, indexAt, readUint32(packet, 4), index);
    writeUint32(sealed, indexAt, flagged);
    this.#rtcp.authentication.sign(sealed, indexAt, flagged, indexAt + INDEX_BYTES);
    return sealed;
  }

  /** Returns the decrypted packet; undefined if it fails authentication. */
  unprotectRtcp(packet: Uint8Array): Uint8Array | undefined {
    const indexAt = packet.length - TAG_BYTES - INDEX_BYTES;
    if (indexAt < RTCP_HEADER_BYTES) return undefined;
    const ssrc = readUint32(packet, 4);
    const flagged = readUint32(packet, indexAt);
    const index = flagged & INDEX_MASK;
    if (!this.#reportsReceived.mayAccept(ssrc, index)) return undefined;
    if (!this.#rtcp.authentication.verify(packet, indexAt, flagged, indexAt + INDEX_BYTES)) return undefined;
    this.#reportsReceived.accept(ssrc, index);
    const opened = new Uint8Array(packet.subarray(0, indexAt));
    if (flagged >= ENCRYPTED_FLAG) this.#rtcp.stream.apply(opened, RTCP_HEADER_BYTES, indexAt, ssrc, index);
    return opened;
  }
}

const rolloverOf = (index: number): number => Math.floor(index / 0x1_0000);

/** §4.3.1, with a key derivation rate of 0. */
function sessionKeys(keying: Uint8Array, firstLabel: number): SessionKeys {
  const derive = (label: number, bytes: number): Uint8Array => {
    const counter = new Uint8Array(KEY_BYTES);
    counter.set(keying.subarray(KEY_BYTES));
    counter[7]! ^= label;
    return createCipheriv('aes-128-ctr', keying.subarray(0, KEY_BYTES), counter).update(new Uint8Array(bytes));
  };
  const [key, authKey, salt] = [KEY_BYTES, AUTH_KEY_BYTES, SALT_BYTES].map((bytes, nth) =>
    derive(firstLabel + nth, bytes),
  );
  return { stream: new KeyStream(key!, salt!), authentication: new HmacSha1(authKey!) };
}
