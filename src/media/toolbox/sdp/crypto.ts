/** SRTP keys in session descriptions (RFC 4568): one suite, one key per direction. The input is untrusted. */
import { KEYING_BYTES } from '../rtp/srtp.ts';
import { attributesOf, type Section } from './lines.ts';

export interface Crypto {
  /** Identifies the line: an answer repeats it (§5.1.2). */
  tag: number;
  /** Master key and salt. */
  key: Uint8Array;
}

const SUITE = 'AES_CM_128_HMAC_SHA1_80';
const MAX_LINES = 16;
/** §9.1: tag, suite, key parameters, session parameters. */
const LINE = /^(\d{1,9}) (\w+) (\S+)(?: (.*))?$/;
/** §6.1: `inline:` key and salt, optionally with a lifetime. */
const KEY = /^inline:([A-Za-z0-9+/]{40})(?:\|(?:2\^)?\d{1,20})?$/;
/** §6.3.5: the window of the receiver does not concern the sender. */
const HARMLESS_PARAMETERS = /^(WSH=\d+\s*)*$/;

/**
 * Returns the first supported line: the suite, one key without an identifier (MKI), no parameters that change the
 * packets.
 */
export function cryptoOf(section: Section): Crypto | undefined {
  for (const line of attributesOf(section, 'crypto').slice(0, MAX_LINES)) {
    const [, tag, suite, keys = '', parameters = ''] = LINE.exec(line) ?? [];
    const key = KEY.exec(keys)?.[1];
    if (suite !== SUITE || key === undefined || !HARMLESS_PARAMETERS.test(parameters)) continue;
    return { tag: Number(tag), key: new Uint8Array(Buffer.from(key, 'base64')) };
  }
  return undefined;
}

export const cryptoLine = ({ tag, key }: Crypto): string =>
  `a=crypto:${tag} ${SUITE} inline:${Buffer.from(key).toString('base64')}`;

/** True if a description contains keys. */
export const hasKeys = (text: string): boolean => /^a=crypto:/m.test(text);

export function newKey(random: () => number): Uint8Array {
  return Uint8Array.from({ length: KEYING_BYTES }, () => Math.floor(random() * 256));
}
