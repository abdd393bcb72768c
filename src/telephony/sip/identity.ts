/**
 * The caller in our requests: From (RFC 3261 §20.20), P-Asserted-Identity towards carriers (RFC 3325), Privacy (RFC
 * 3323).
 */
import { encodeText } from '../../core/byte-text.ts';
import type { DialRequest } from '../engine.ts';
import type { CarrierRoute } from './carriers.ts';
import type { HeaderLine } from './message.ts';
import { escapeUser } from './uri.ts';

export interface Identity {
  /** The From without its tag. */
  from: string;
  headers: readonly HeaderLine[];
}

const LONGEST_NAME = 128;

export function identityOf(
  { from, fromName }: Pick<DialRequest, 'from' | 'fromName'>,
  carrier: CarrierRoute | undefined,
  here: string,
): Identity {
  if (isAnonymous(from)) {
    // RFC 3323 §4.1.1.3
    return { from: '"Anonymous" <sip:anonymous@anonymous.invalid>', headers: [['Privacy', 'id']] };
  }
  const address = `${displayName(fromName)}<sip:${escapeUser(from)}@${carrier?.fromDomain ?? here}>`;
  return { from: address, headers: carrier ? [['P-Asserted-Identity', address]] : [] };
}

const isAnonymous = (from: string): boolean => from === '' || from.toLowerCase() === 'anonymous';

/** Quoted, one character per byte. */
function displayName(name: string | undefined): string {
  const plain = (name ?? '')
    .replace(/[\x00-\x1f\x7f]/g, ' ')
    .trim()
    .slice(0, LONGEST_NAME);
  if (plain === '') return '';
  return `"${encodeText(plain).replace(/["\\]/g, '\\$&')}" `;
}
