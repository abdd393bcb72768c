/**
 * Caller identity in outbound requests: From (RFC 3261 §20.20), P-Asserted-Identity or P-Preferred-Identity towards
 * carriers (RFC 3325), Privacy (RFC 3323). A carrier that identifies its customer by the user of From receives that
 * user there, and the number in the identity header.
 */
import { encodeText } from '../../../base/core/byte-text.ts';
import type { DialRequest } from '../engine.ts';
import type { CarrierRoute, IdentityHeader } from './carriers.ts';
import type { HeaderLine } from './message.ts';
import { escapeUser } from './uri.ts';

export interface Identity {
  /** From without its tag. */
  from: string;
  headers: readonly HeaderLine[];
}

const MAX_NAME = 128;

export function identityOf(
  { from, fromName }: Pick<DialRequest, 'from' | 'fromName'>,
  carrier: CarrierRoute | undefined,
  here: string,
): Identity {
  const { fromUser, identity = 'pai' } = carrier ?? {};
  const addressOf = (user: string, name: string | undefined): string =>
    `${displayName(name)}<sip:${escapeUser(user)}@${carrier?.fromDomain ?? here}>`;
  if (isAnonymous(from)) {
    // RFC 3323 §4.1.1.3
    const nobody = '"Anonymous" <sip:anonymous@anonymous.invalid>';
    return { from: fromUser === undefined ? nobody : addressOf(fromUser, 'Anonymous'), headers: [['Privacy', 'id']] };
  }
  const address = addressOf(from, fromName);
  const header = carrier && IDENTITY_HEADERS[identity];
  return {
    from: fromUser === undefined ? address : addressOf(fromUser, fromName),
    headers: header === undefined ? [] : [[header, address]],
  };
}

const IDENTITY_HEADERS: Readonly<Record<IdentityHeader, string | undefined>> = {
  pai: 'P-Asserted-Identity',
  ppi: 'P-Preferred-Identity',
  from: undefined,
};

const isAnonymous = (from: string): boolean => from === '' || from.toLowerCase() === 'anonymous';

/** Quoted, one character per byte. */
function displayName(name: string | undefined): string {
  const plain = (name ?? '')
    .replace(/[\x00-\x1f\x7f]/g, ' ')
    .trim()
    .slice(0, MAX_NAME);
  if (plain === '') return '';
  return `"${encodeText(plain).replace(/["\\]/g, '\\$&')}" `;
}
