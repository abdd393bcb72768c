/**
 * SRTP keys in session descriptions (RFC 4568): one suite, one key per direction. The media engine encrypts. Keys never
 * appear in messages for people.
 */

import { KEYING_BYTES } from '../../media/rtp/srtp.ts';
import type { TransportName } from './transport.ts';

/** `off`: never; `optional`: if both ends support it; `required`: otherwise the call is refused. */
export type SrtpPolicy = 'off' | 'optional' | 'required';

/** Policy for one far end (its route or user), and the general one; without any, it follows the signalling. */
export interface SrtpWishes {
  ofThis: SrtpPolicy | undefined;
  ofAll: SrtpPolicy | undefined;
}

/** Keys are safe in encrypted signalling, and are not sent in clear text unless configured. */
export const srtpPolicy = ({ ofThis, ofAll }: SrtpWishes, transport: TransportName): SrtpPolicy =>
  ofThis ?? ofAll ?? (transport === 'tls' ? 'optional' : 'off');

/** True if SRTP is offered; if optional, only where it is configured for this far end, or keys are safe. */
export function offersSrtp(wishes: SrtpWishes, transport: TransportName): boolean {
  const policy = srtpPolicy(wishes, transport);
  return policy === 'required' || (policy === 'optional' && (transport === 'tls' || wishes.ofThis === 'optional'));
}

/** The strictest of several policies for what may be the same far end. */
export const strictest = (policies: readonly (SrtpPolicy | undefined)[]): SrtpPolicy | undefined =>
  (['required', 'optional', 'off'] as const).find((policy) => policies.includes(policy));

export interface Crypto {
  /** Identifies the line: an answer repeats it (§5.1.2). */
  tag: number;
  /** Master key and salt. */
  key: Uint8Array;
}

/** Crypto attribute as sdp-transform reads it. */
export interface CryptoLine {
  id?: unknown;
  suite?: unknown;
  config?: unknown;
  sessionConfig?: unknown;
}

const SUITE = 'AES_CM_128_HMAC_SHA1_80';
const MOST_LINES = 16;

/**
 * Returns the first supported line: the suite, one key without an identifier (MKI), no parameters that change the
 * packets.
 */
export function readCrypto(lines: readonly CryptoLine[] | undefined): Crypto | undefined {
  for (const { id, suite, config, sessionConfig } of (lines ?? []).slice(0, MOST_LINES)) {
    const tag = Number(id);
    if (suite !== SUITE || !Number.isInteger(tag) || tag < 0 || tag > 999_999_999) continue;
    // §6.3.5: the window of the receiver does not concern the sender.
    if (sessionConfig !== undefined && !/^(WSH=\d+\s*)*$/.test(String(sessionConfig))) continue;
    const key = readKey(String(config));
    if (key) return { tag, key };
  }
  return undefined;
}

/** §6.1: `inline:` key and salt, optionally with a lifetime. */
function readKey(config: string): Uint8Array | undefined {
  const text = /^inline:([A-Za-z0-9+/]{40})(?:\|(?:2\^)?\d{1,20})?$/.exec(config)?.[1];
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64'));
}

/** True if a description contains keys. */
export const hasKeys = (text: string): boolean => /^a=crypto:/m.test(text);

export const cryptoLine = ({ tag, key }: Crypto): CryptoLine => ({
  id: tag,
  suite: SUITE,
  config: `inline:${Buffer.from(key).toString('base64')}`,
});

export function newKey(random: () => number): Uint8Array {
  return Uint8Array.from({ length: KEYING_BYTES }, () => Math.floor(random() * 256));
}
