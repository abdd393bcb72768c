/**
 * Resolves a dialled destination: numbers to carriers, SIP URIs only to configured hosts, `user:NAME` to all contacts
 * of that user. All other destinations are refused: this is not an open relay.
 */
import { type Cause, NO_ROUTE, SUBSCRIBER_ABSENT } from '../../../base/core/causes.ts';
import { withoutMarks } from '../../../base/core/phone-number.ts';
import { type Carriers, type DialAttempt, type Target, transportOf, uriText } from './carriers.ts';
import type { RegisteredContact } from './contact-store.ts';
import type { Registrar } from './registrar.ts';
import type { SrtpPolicy } from './srtp-policy.ts';
import { parseUri, type Uri } from './uri.ts';

export interface OutboundPolicy {
  carriers: Carriers;
  /** Hosts, in lower case, that SIP URIs may name. */
  allowSipUris: readonly string[];
  /** True if a carrier has this address. */
  isCarrier(address: string): boolean;
  /** True if SIPS URIs can be dialled. */
  hasTls: boolean;
}

export interface DialPolicy extends OutboundPolicy {
  registrar: Registrar;
  /** Returns the configured spelling of a user name. */
  userNamed(name: string): string | undefined;
  /** Returns the configured SRTP policy of this user. */
  srtpOf(user: string): SrtpPolicy | undefined;
}

/** Attempts in order, until one is answered; or the cause if there is none. */
export type DialPlan = { attempts: readonly [DialAttempt, ...DialAttempt[]] } | { refusal: Cause };

const USER_PREFIX = 'user:';
const MAX_NUMBER = 32;
const MAX_URI = 256;

export function dialPlanOf(to: string, table: DialPolicy): DialPlan {
  const text = to.trim();
  const user = userOf(text);
  if (user !== undefined) {
    const name = table.userNamed(user);
    if (name === undefined) return { refusal: NO_ROUTE };
    const srtp = table.srtpOf(name);
    const targets = table.registrar
      .contactsOf(name)
      .flatMap((contact) => targetOf(contact) ?? [])
      .map((target): Target => ({ ...target, ...(srtp ? { srtp } : {}) }));
    return targets.length > 0 ? { attempts: [atOnce(targets)] } : { refusal: SUBSCRIBER_ABSENT };
  }
  if (/^sips?:/i.test(text)) {
    const target = directTarget(text, table);
    return target ? { attempts: [atOnce([target])] } : { refusal: NO_ROUTE };
  }
  const number = numberOf(text);
  const [first, ...others] = number === undefined ? [] : table.carriers.attemptsFor(number);
  return first ? { attempts: [first, ...others] } : { refusal: NO_ROUTE };
}

/**
 * Uses the Path of the contact, or the source of its REGISTER. If the phone registered at another node, its connection
 * is there: such a phone is called at the port on which it listens, by its Contact.
 */
function targetOf({ uri, peer, path, isHere }: RegisteredContact): Target | undefined {
  if (path.length > 0) return { requestUri: uri, routes: path };
  if (isHere || peer.transport === 'udp') return { requestUri: uri, peer };
  const contact = parseUri(uri);
  const port = contact?.port ?? (peer.transport === 'tls' ? 5061 : 5060);
  return contact && { requestUri: uri, peer: { transport: peer.transport, host: peer.host, port } };
}

/** Undefined if it is too long. */
export const readUri = (text: string): Uri | undefined => (text.length <= MAX_URI ? parseUri(text) : undefined);

/** Returns the name after `user:`. */
export const userOf = (to: string): string | undefined =>
  to.trim().startsWith(USER_PREFIX) ? to.trim().slice(USER_PREFIX.length) : undefined;

const atOnce = (targets: readonly Target[]): DialAttempt => ({ targets, timeoutMs: 0, failsOver: () => false });

export function numberOf(text: string): string | undefined {
  const number = withoutMarks(text.trim().replace(/^tel:/i, '').split(';', 1)[0]!);
  return isNumber(number) ? number : undefined;
}

/**
 * Returns the target to which a far end that was called as `to` may redirect the call. It may redirect to what may be
 * dialled, but may not choose numbers, because calls to numbers cost money (toll fraud): only a configured host that
 * does not belong to a carrier, or another gateway of the carriers for the same number.
 */
export function redirectTarget(contact: string, to: string, table: OutboundPolicy): Target | undefined {
  const uri = readUri(contact);
  if (!uri?.scheme.startsWith('sip')) return undefined;
  const { carriers } = table;
  const number = numberOf(to);
  const named = uri.user === undefined ? undefined : numberOf(uri.user);
  const same =
    number !== undefined && named !== undefined && (named === number || carriers.namesOf(number).includes(named));
  const carrier = same ? carriers.targetAt(number, uri) : undefined;
  if (carrier) return carrier;
  return carriers.hasHost(uri.host) || table.isCarrier(uri.host) ? undefined : directTarget(contact, table);
}

export const isNumber = (text: string): boolean => text.length <= MAX_NUMBER && /^\+?[0-9*#]+$/.test(text);

function directTarget(text: string, { allowSipUris, hasTls }: OutboundPolicy): Target | undefined {
  const uri = readUri(text);
  if (!uri || !allowSipUris.some((host) => host.toLowerCase() === uri.host)) return undefined;
  const transport = transportOf(uri);
  if (uri.scheme !== 'sip' && !(uri.scheme === 'sips' && hasTls)) return undefined;
  if (transport === 'tls' && !hasTls) return undefined;
  return { requestUri: uriText(uri.user, uri, transport) };
}
