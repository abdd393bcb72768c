/**
 * Digest authentication (RFC 3261 §22, RFC 7616, RFC 8760): the digest, and its check as a server for local users, with
 * MD5 and SHA-256 and the quality of protection `auth`. `proofs.ts` responds to the challenges of carriers.
 *
 * Invariants
 *  - nonces are signed with a key of this process, or of all nodes; they are valid only for the address to which they
 *    were sent, and expire. Each nonce count is accepted once, and not while its use cannot be checked;
 *  - an unknown user and a wrong password get the same response;
 *  - a response is checked only against a valid nonce: a forged address never sees the nonce that is sent to it, so
 *    that a response with another nonce is challenged again, and does not count as a guess.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/core/clock.ts';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import type { HeaderLine, SipRequest } from './message.ts';
import { localNonceCounts, type NonceCounts } from './nonce-counts.ts';
import { type Params, parseParams } from './scan.ts';
import type { Peer } from './transport.ts';
import { parseUri } from './uri.ts';

export interface DigestCredentials {
  username: string;
  password: string;
}

export type Algorithm = 'MD5' | 'SHA-256';
/** Algorithms that are supported as a client. Challenges of this server never use those with `-sess`. */
export type DigestAlgorithm = Algorithm | `${Algorithm}-sess`;

const HASHES: Readonly<Record<Algorithm, string>> = { MD5: 'md5', 'SHA-256': 'sha256' };
const NONCE_LIFE_MS = 300_000;
/** Maximum clock difference between nodes. */
const MAX_AHEAD_MS = 30_000;

const hash = (algorithm: Algorithm, text: string): string =>
  createHash(HASHES[algorithm]).update(text, 'utf8').digest('hex');

interface DigestInput extends DigestCredentials {
  algorithm: DigestAlgorithm;
  realm: string;
  nonce: string;
  method: string;
  uri: string;
  /** Required for a `-sess` algorithm without quality of protection. */
  cnonce?: string;
  /** With quality of protection: `auth-int` if it has a body, else `auth`. Absent: as in RFC 2069. */
  qop?: { nc: string; cnonce: string; body?: string };
}

/** RFC 7616 §3.4.1 to §3.4.3 */
export function digestResponse(input: DigestInput): string {
  const { algorithm, username, realm, password, nonce, method, uri, qop, cnonce = qop?.cnonce ?? '' } = input;
  const hashed = (text: string): string => hash(algorithm.replace('-sess', '') as Algorithm, text);
  const secret = hashed(`${username}:${realm}:${password}`);
  const a1 = algorithm.endsWith('-sess') ? hashed(`${secret}:${nonce}:${cnonce}`) : secret;
  const a2 = hashed(qop?.body === undefined ? `${method}:${uri}` : `${method}:${uri}:${hashed(qop.body)}`);
  const word = qop?.body === undefined ? 'auth' : 'auth-int';
  return hashed(qop ? `${a1}:${nonce}:${qop.nc}:${qop.cnonce}:${word}:${a2}` : `${a1}:${nonce}:${a2}`);
}

/** Reads `Digest a="b", c=d` as parameters. Undefined for another scheme or malformed text. */
export function readDigest(text: string): Params | undefined {
  const match = /^Digest[ \t]+/i.exec(text);
  if (!match || text.length > 4096) return undefined;
  return parseParams(`;${commasToSemicolons(text.slice(match[0].length))}`, 0);
}

/** Digest parameters are separated by commas, parameters of other headers by semicolons. Quoted text is kept. */
const commasToSemicolons = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"?|,/gs, (part) => (part === ',' ? ';' : part));

/** Returns the response to a challenge of this realm. */
function answerIn(request: SipRequest, realm: string): Params | undefined {
  for (const line of request.headers['authorization'] ?? []) {
    const params = readDigest(line);
    if (params?.['realm'] === realm) return params;
  }
  return undefined;
}

/** Returns the user name in the credentials of a request, which is not verified. */
export const usernameOf = (request: SipRequest, realm: string): string | undefined =>
  answerIn(request, realm)?.['username'];

/** Undefined if the algorithm is not supported; MD5 if none is named. */
export function digestAlgorithmOf(text: string | undefined): DigestAlgorithm | undefined {
  const name = (text ?? 'MD5').toUpperCase().replace(/-SESS$/, '-sess');
  return DIGEST_ALGORITHMS.find((known) => known === name);
}

const DIGEST_ALGORITHMS: readonly DigestAlgorithm[] = ['MD5', 'SHA-256', 'MD5-sess', 'SHA-256-sess'];

export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

export const isSameUser = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

export type DigestResult =
  | { kind: 'user'; name: string }
  /** Credentials are missing, or not usable: a challenge is needed. */
  | { kind: 'challenge'; stale: boolean }
  /** Wrong response to a nonce that was sent to this source recently, for this user name. */
  | { kind: 'refused'; name: string }
  /** It cannot be checked now whether this nonce count was used before. */
  | { kind: 'unavailable' };

interface RightAnswer {
  kind: 'right';
  name: string;
  nonce: string;
  count: number;
}

/** State that nodes share, so that each accepts responses to challenges of the others. */
export interface SharedNonces {
  key: Uint8Array;
  counts: NonceCounts;
}

export interface AuthenticatorOptions {
  clock: Clock;
  realm: string;
  users: readonly { name: string; password: string }[];
  /** Algorithms of challenges, in order of preference. */
  algorithms: readonly Algorithm[];
  /** Absent: challenges are valid at this node only. */
  nonces?: SharedNonces | undefined;
}

/** Authenticates requests as a server. */
export class Authenticator {
  readonly realm: string;
  /** Clock of this process, or a clock that is comparable between nodes that share nonces. */
  readonly #nowMs: () => number;
  #passwords: ReadonlyMap<string, string> = new Map();
  #names: ReadonlySet<string> = new Set();
  readonly #algorithms: readonly Algorithm[];
  readonly #key: Uint8Array;
  readonly #noPassword = randomBytes(16).toString('hex');
  readonly #counts: NonceCounts;

  constructor({ clock, realm, users, algorithms, nonces }: AuthenticatorOptions) {
    this.#nowMs = () => (nonces ? clock.now() : clock.monotonicMs());
    this.#key = nonces?.key ?? randomBytes(32);
    this.#counts = nonces?.counts ?? localNonceCounts(clock);
    this.realm = realm;
    this.#algorithms = algorithms;
    this.setUsers(users);
  }

  setUsers(users: readonly { name: string; password: string }[]): void {
    this.#passwords = new Map(users.map((user) => [user.name, user.password]));
    this.#names = new Set(users.map((user) => folded(user.name)));
  }

  /** Returns the current password of this user; undefined if there is no such user. */
  passwordOf(user: string): string | undefined {
    return this.#passwords.get(user);
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** True if a user has this name in any spelling: names that look alike are the same. */
  has(user: string): boolean {
    return this.#names.has(folded(user));
  }

  /** Returns one challenge for each algorithm, the preferred first (RFC 8760 §2.4). */
  challenge(stale: boolean, source: Peer): HeaderLine[] {
    const nonce = this.#newNonce(source);
    return this.#algorithms.map((algorithm) => [
      'WWW-Authenticate',
      `Digest realm=${quoted(this.realm)}, nonce="${nonce}", algorithm=${algorithm}, qop="auth"${stale ? ', stale=true' : ''}`,
    ]);
  }

  /** Calls back once: synchronously, unless nodes share the nonce counts and the response is right. */
  check(request: SipRequest, source: Peer, done: (result: DigestResult) => void): void {
    const checked = this.#verify(request, source);
    if (checked.kind !== 'right') {
      done(checked);
      return;
    }
    const { name, nonce, count } = checked;
    this.#counts.take(nonce, count, NONCE_LIFE_MS, (isNew) => {
      if (isNew === undefined) done({ kind: 'unavailable' });
      else done(isNew ? { kind: 'user', name } : { kind: 'challenge', stale: true });
    });
  }

  /** Checks all but the nonce count. */
  #verify(request: SipRequest, source: Peer): DigestResult | RightAnswer {
    const params = answerIn(request, this.realm);
    if (!params) return { kind: 'challenge', stale: false };
    const { username = '', nonce = '', uri = '', response = '', nc, cnonce = '', qop } = params;
    const named = digestAlgorithmOf(params['algorithm']);
    const algorithm = this.#algorithms.find((known) => known === named);
    if (!algorithm || !sameResource(uri, request)) return { kind: 'challenge', stale: false };
    const standing = this.#standingOf(nonce, source);
    // RFC 7616 §3.3: decided before the response is checked, so that the status does not reveal whether it was right.
    if (standing !== 'holds') return { kind: 'challenge', stale: standing === 'past' };
    if (qop !== undefined && qop.toLowerCase() !== 'auth') return { kind: 'challenge', stale: false };
    const password = this.#passwords.get(username) ?? this.#noPassword;
    const input: DigestInput = { username, password, algorithm, realm: this.realm, nonce, method: request.method, uri };
    if (qop !== undefined) input.qop = { nc: nc ?? '', cnonce };
    if (!equal(digestResponse(input), response.toLowerCase()) || !this.#passwords.has(username)) {
      return { kind: 'refused', name: username };
    }
    // RFC 7616 §3.4: a count that was used before is a replay; a response without a count is accepted once.
    const count = qop === undefined ? 1 : countOf(nc ?? '');
    return count === 0 ? { kind: 'challenge', stale: true } : { kind: 'right', name: username, nonce, count };
  }

  /** Consists of time, randomness, the source that it is for, and a signature over all (RFC 7616 §3.3). */
  #newNonce(source: Peer): string {
    const body = `${Math.floor(this.#nowMs()).toString(36)}.${randomBytes(4).toString('base64url')}.${this.#placeOf(source)}`;
    return `${body}.${this.#sign(body)}`;
  }

  /** `past`: issued here, but expired or sent to another source. */
  #standingOf(nonce: string, source: Peer): 'holds' | 'past' | 'forged' {
    const dot = nonce.lastIndexOf('.');
    const body = nonce.slice(0, Math.max(0, dot));
    if (!equal(this.#sign(body), nonce.slice(dot + 1))) return 'forged';
    const [made = '', , place = ''] = body.split('.');
    const ageMs = this.#nowMs() - Number.parseInt(made, 36);
    const isFresh = ageMs <= NONCE_LIFE_MS && ageMs >= -MAX_AHEAD_MS;
    return isFresh && equal(place, this.#placeOf(source)) ? 'holds' : 'past';
  }

  /** The address without the port: phones reconnect and NATs change ports. */
  #placeOf({ host }: Peer): string {
    return this.#sign(`at ${withoutIpv4Mapping(host)}`).slice(0, 8);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 16);
  }
}

const countOf = (nc: string): number => (/^[0-9a-f]{8}$/i.test(nc) ? Number.parseInt(nc, 16) : 0);

function equal(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** RFC 7616 §3.4: the response must be for this request; proxies may have changed parameters of the URI. */
function sameResource(uriText: string, request: SipRequest): boolean {
  if (uriText === request.uri.text) return true;
  const uri = parseUri(uriText);
  return uri !== undefined && uri.user === request.uri.user && uri.host === request.uri.host;
}
