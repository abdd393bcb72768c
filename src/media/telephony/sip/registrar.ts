/**
 * Registrar (RFC 3261 §10.3): contacts of local users, until they expire. `contact-store.ts` keeps them.
 * Only an authenticated user changes their contacts; the number of contacts per user is limited; a phone behind a NAT
 * or on TCP is reached at the source of its REGISTER, or by the Path (RFC 3327) that an edge proxy has added.
 */
import type { AbuseGuard } from './abuse-guard.ts';
import type { Authenticator } from './auth.ts';
import type { ContactChange, ContactStore, RegisteredContact } from './contact-store.ts';
import { type NameAddress, parseNameAddress, parseSeconds } from './headers.ts';
import { type HeaderLine, headerOf, listOf, RETRY_SOON, type SipRequest } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';

const MAX_S = 3600;
const SHORTEST_S = 60;
const CONTACTS_PER_USER = 10;
/** RFC 3327 §5.3: number of edge proxies in a row. */
const MAX_PATH_HOPS = 5;
const MAX_PATH_CHARACTERS = 512;

export interface RegistrarParts {
  authenticator: Authenticator;
  guard: AbuseGuard;
  contacts: ContactStore;
  /** True for an edge proxy, whose Path is accepted. */
  isEdge(host: string): boolean;
}

export class Registrar {
  readonly #authenticator: Authenticator;
  readonly #guard: AbuseGuard;
  readonly #contacts: ContactStore;
  readonly #isEdge: (host: string) => boolean;

  constructor({ authenticator, guard, contacts, isEdge }: RegistrarParts) {
    this.#authenticator = authenticator;
    this.#guard = guard;
    this.#contacts = contacts;
    this.#isEdge = isEdge;
  }

  /** Live contacts of the user, newest first. */
  contactsOf(user: string): RegisteredContact[] {
    return this.#contacts.of(user);
  }

  get contactCount(): number {
    return this.#contacts.users().reduce((count, user) => count + this.contactsOf(user).length, 0);
  }

  /** Removes the contacts of users for whom `keeps` is false. */
  retain(keeps: (user: string) => boolean): void {
    for (const user of this.#contacts.users()) if (!keeps(user)) this.#contacts.forget(user);
  }

  receive(transaction: ServerTransaction): void {
    const { request, source } = transaction;
    // §10.3: an address of record is a SIP URI.
    const record = request.to.uri;
    if (record.scheme !== 'sip' && record.scheme !== 'sips') {
      transaction.respondStatelessly(400, { reason: 'Not an address of record' });
      return;
    }
    this.#authenticator.check(request, source, (result) => {
      if (result.kind === 'challenge') {
        transaction.respondStatelessly(401, { headers: this.#authenticator.challenge(result.stale, source) });
        return;
      }
      if (result.kind === 'unavailable') return transaction.respond(503, { headers: RETRY_SOON });
      if (result.kind === 'refused') this.#guard.failedLogin(source.host, result.name);
      if (result.kind === 'refused' || result.name !== record.user) return transaction.respond(403);
      this.#update(transaction, result.name);
    });
  }

  #update(transaction: ServerTransaction, user: string): void {
    const { request, source } = transaction;
    const values = listOf(request, 'contact');
    const headerS = parseSeconds(headerOf(request, 'expires'));
    /** §10.2.2: removes all contacts. */
    const isForAll = values.includes('*');
    if (isForAll && (values.length > 1 || headerS !== 0)) {
      transaction.respond(400, { reason: 'Malformed Contact' });
      return;
    }
    const contacts: ContactChange['contacts'][number][] = [];
    for (const value of values) {
      const contact = parseNameAddress(value);
      if (!contact?.uri.scheme.startsWith('sip')) continue;
      const expiresS = Math.min(lifeOf(contact, headerS), MAX_S);
      if (expiresS > 0 && expiresS < SHORTEST_S) {
        transaction.respond(423, { headers: [['Min-Expires', String(SHORTEST_S)]] });
        return;
      }
      contacts.push({ key: contactKey(contact), uri: contact.uri.text, expiresMs: expiresS * 1000 });
    }
    const path = this.#isEdge(source.host) ? pathOf(request) : [];
    const { callId, cseq } = request;
    const change = { callId, cseq: cseq.number, isForAll, contacts, peer: source, path, most: CONTACTS_PER_USER };
    this.#contacts.change(user, change, (outcome) => {
      if (outcome === undefined) transaction.respond(503, { headers: RETRY_SOON });
      // §10.3 step 7
      else if (outcome === 'old') transaction.respond(500);
      else transaction.respond(200, { headers: [...this.#describe(user), ...path.map(pathLine)] });
    });
  }

  #describe(user: string): HeaderLine[] {
    return this.contactsOf(user).map(({ uri, leftMs }) => ['Contact', `<${uri}>;expires=${Math.ceil(leftMs / 1000)}`]);
  }
}

/** RFC 3327 §5.3: the response repeats it. */
const pathLine = (value: string): HeaderLine => ['Path', value];

/** Empty if there is none, or it cannot be followed: only loose routing is supported (RFC 3261 §16.12). */
function pathOf(request: SipRequest): string[] {
  const path = listOf(request, 'path');
  const isUsable = (value: string): boolean =>
    value.length <= MAX_PATH_CHARACTERS && parseNameAddress(value)?.uri.params['lr'] !== undefined;
  return path.length <= MAX_PATH_HOPS && path.every(isUsable) ? path : [];
}

const lifeOf = (contact: NameAddress, headerS: number | undefined): number =>
  parseSeconds(contact.params['expires']) ?? headerS ?? MAX_S;

/**
 * A flow of an instance is one binding, whatever port it reconnects from (RFC 5626 §6). Without a flow, the parts of a
 * URI in which contacts of phones differ (RFC 3261 §19.1.4).
 */
function contactKey({ uri, params }: NameAddress): string {
  const { '+sip.instance': instance, 'reg-id': flow } = params;
  if (instance && flow && /^[1-9]\d{0,9}$/.test(flow)) return `${instance};reg-id=${flow}`;
  return `${uri.user ?? ''}@${uri.host}:${uri.port ?? 5060};${uri.params['transport']?.toLowerCase() ?? ''}`;
}
