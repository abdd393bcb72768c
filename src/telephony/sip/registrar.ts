/**
 * The registrar (RFC 3261 §10.3): the contacts of our users, in memory, until they expire.
 * Only an authenticated user changes their contacts; contacts per user are bounded; a phone behind a NAT or on TCP is
 * reached at the source of its REGISTER.
 */
import type { Clock } from '../../core/clock.ts';
import type { AbuseGuard } from './abuse-guard.ts';
import type { Authenticator } from './auth.ts';
import { type NameAddress, parseNameAddress, parseSeconds } from './headers.ts';
import { type HeaderLine, headerOf, listOf, type SipRequest } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';
import type { Peer } from './transport.ts';
import type { Uri } from './uri.ts';

export interface RegisteredContact {
  uri: string;
  /** The source of the REGISTER. */
  peer: Peer;
  callId: string;
  cseq: number;
  untilMs: number;
}

const LONGEST_S = 3600;
const SHORTEST_S = 60;
const CONTACTS_PER_USER = 10;

export class Registrar {
  readonly #clock: Clock;
  readonly #authenticator: Authenticator;
  readonly #guard: AbuseGuard;
  readonly #contacts = new Map<string, Map<string, RegisteredContact>>();

  constructor(clock: Clock, authenticator: Authenticator, guard: AbuseGuard) {
    this.#clock = clock;
    this.#authenticator = authenticator;
    this.#guard = guard;
  }

  /** The user's live contacts, the latest first. */
  contactsOf(user: string): RegisteredContact[] {
    const contacts = this.#contacts.get(user);
    if (!contacts) return [];
    for (const [key, contact] of contacts) if (contact.untilMs <= this.#clock.monotonicMs()) contacts.delete(key);
    if (contacts.size === 0) this.#contacts.delete(user);
    return [...contacts.values()].reverse();
  }

  get contactCount(): number {
    return [...this.#contacts.keys()].reduce((count, user) => count + this.contactsOf(user).length, 0);
  }

  /** The sources of registered phones. */
  *registeredPeers(): Iterable<{ user: string; peer: Peer }> {
    for (const user of [...this.#contacts.keys()]) {
      for (const { peer } of this.contactsOf(user)) yield { user, peer };
    }
  }

  /** Forgets the contacts of users for whom `keeps` is false. */
  retain(keeps: (user: string) => boolean): void {
    for (const user of [...this.#contacts.keys()]) if (!keeps(user)) this.#contacts.delete(user);
  }

  receive(transaction: ServerTransaction): void {
    const { request, source } = transaction;
    // §10.3: an address of record is a SIP URI.
    const record = request.to.uri;
    if (record.scheme !== 'sip' && record.scheme !== 'sips') {
      transaction.respondStatelessly(400, { reason: 'Not an address of record' });
      return;
    }
    const result = this.#authenticator.check(request, source);
    if (result.kind === 'challenge') {
      transaction.respondStatelessly(401, { headers: this.#authenticator.challenge(result.stale, source) });
      return;
    }
    if (result.kind === 'refused') this.#guard.failedLogin(source.host, result.name);
    if (result.kind === 'refused' || result.name !== record.user) {
      transaction.respond(403);
      return;
    }
    this.#update(transaction, result.name);
  }

  #update(transaction: ServerTransaction, user: string): void {
    const { request, source } = transaction;
    const values = listOf(request, 'contact');
    const headerS = parseSeconds(headerOf(request, 'expires'));
    /** §10.2.2: all contacts are removed. */
    const isForAll = values.includes('*');
    if (isForAll && (values.length > 1 || headerS !== 0)) {
      transaction.respond(400, { reason: 'Malformed Contact' });
      return;
    }
    const changes: { key: string; uri: string; expiresS: number }[] = [];
    for (const value of values) {
      const contact = parseNameAddress(value);
      if (!contact?.uri.scheme.startsWith('sip')) continue;
      const expiresS = Math.min(lifeOf(contact, headerS), LONGEST_S);
      if (expiresS > 0 && expiresS < SHORTEST_S) {
        transaction.respond(423, { headers: [['Min-Expires', String(SHORTEST_S)]] });
        return;
      }
      changes.push({ key: contactKey(contact.uri), uri: contact.uri.text, expiresS });
    }
    if (this.#isOld(user, request)) {
      transaction.respond(500);
      return;
    }
    if (isForAll) this.#contacts.delete(user);
    const contacts = this.#contacts.get(user) ?? new Map<string, RegisteredContact>();
    for (const { key, uri, expiresS } of changes) {
      contacts.delete(key);
      if (expiresS === 0) continue;
      const untilMs = this.#clock.monotonicMs() + expiresS * 1000;
      contacts.set(key, { uri, peer: source, callId: request.callId, cseq: request.cseq.number, untilMs });
      if (contacts.size > CONTACTS_PER_USER) contacts.delete(contacts.keys().next().value as string);
    }
    this.#contacts.set(user, contacts);
    transaction.respond(200, { headers: this.#describe(user) });
  }

  /** §10.3 step 7: a REGISTER that was overtaken changes nothing. */
  #isOld(user: string, request: SipRequest): boolean {
    return this.contactsOf(user).some(
      (contact) => contact.callId === request.callId && request.cseq.number <= contact.cseq,
    );
  }

  #describe(user: string): HeaderLine[] {
    return this.contactsOf(user).map((contact) => [
      'Contact',
      `<${contact.uri}>;expires=${Math.ceil((contact.untilMs - this.#clock.monotonicMs()) / 1000)}`,
    ]);
  }
}

const lifeOf = (contact: NameAddress, headerS: number | undefined): number =>
  parseSeconds(contact.params['expires']) ?? headerS ?? LONGEST_S;

/** The parts of a URI that distinguish contacts (RFC 3261 §19.1.4, as far as phones differ). */
const contactKey = (uri: Uri): string =>
  `${uri.user ?? ''}@${uri.host}:${uri.port ?? 5060};${uri.params['transport']?.toLowerCase() ?? ''}`;
