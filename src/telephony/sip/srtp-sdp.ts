/**
 * Keys for SRTP in session descriptions (RFC 4568): one suite, one key for each direction. Encryption is the media's.
 * Invariant: keys are never part of a message for people.
 */

import type { TransportName } from './transport.ts';

/** What of this is used: never, where both ends have it, or else there is no call. */
export type SrtpPolicy = 'off' | 'optional' | 'required';

/** What is said of one far end (its route, its user), and of all; what is not said follows the signalling. */
export interface SrtpWishes {
  ofThis: SrtpPolicy | undefined;
  ofAll: SrtpPolicy | undefined;
}

/** Keys are safe in signalling that is encrypted itself, and are not sent in the open unless somebody says so. */
export const srtpPolicy = ({ ofThis, ofAll }: SrtpWishes, transport: TransportName): SrtpPolicy =>
  ofThis ?? ofAll ?? (transport === 'tls' ? 'optional' : 'off');

/** Whether it is offered; where it may be done without, only to whom it was said of, or where keys are safe. */
export function offersSrtp(wishes: SrtpWishes, transport: TransportName): boolean {
  const policy = srtpPolicy(wishes, transport);
  return policy === 'required' || (policy === 'optional' && (transport === 'tls' || wishes.ofThis === 'optional'));
}

/** Where several things are said of who may be the same far end: the strictest. */
export const strictest = (policies: readonly (SrtpPolicy | undefined)[]): SrtpPolicy | undefined =>
  (['required', 'optional', 'off'] as const).find((policy) => policies.includes(policy));

export interface Crypto {
  /** Names the line: an answer repeats it (§5.1.2). */
  tag: number;
  /** Master key and salt. */
  key: Uint8Array;
}

/** A crypto attribute as sdp-transform reads it. */
export interface CryptoLine {
  id?: unknown;
  suite?: unknown;
  config?: unknown;
  sessionConfig?: unknown;
}

const SUITE = 'AES_CM_128_HMAC_SHA1_80';
/** §6.2.1: 16 bytes of key and 14 of salt. */
export const KEY_BYTES = 30;
const MOST_LINES = 16;

/** The first line that we can take: our suite, one key without an identifier (MKI), nothing that changes the packets. */
export function readCrypto(lines: readonly CryptoLine[] | undefined): Crypto | undefined {
  for (const { id, suite, config, sessionConfig } of (lines ?? []).slice(0, MOST_LINES)) {
    const tag = Number(id);
    if (suite !== SUITE || !Number.isInteger(tag) || tag < 0 || tag > 999_999_999) continue;
    // §6.3.5: the window of a receiver changes nothing for the sender.
    if (sessionConfig !== undefined && !/^(WSH=\d+\s*)*$/.test(String(sessionConfig))) continue;
    const key = readKey(String(config));
    if (key) return { tag, key };
  }
  return undefined;
}

/** §6.1: `inline:` key and salt, then perhaps a lifetime. */
function readKey(config: string): Uint8Array | undefined {
  const text = /^inline:([A-Za-z0-9+/]{40})(?:\|(?:2\^)?\d{1,20})?$/.exec(config)?.[1];
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64'));
}

/** Whether a description tells keys. */
export const hasKeys = (text: string): boolean => /^a=crypto:/m.test(text);

export const cryptoLine = ({ tag, key }: Crypto): CryptoLine => ({
  id: tag,
  suite: SUITE,
  config: `inline:${Buffer.from(key).toString('base64')}`,
});

export function newKey(random: () => number): Uint8Array {
  return Uint8Array.from({ length: KEY_BYTES }, () => Math.floor(random() * 256));
}
