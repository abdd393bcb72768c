/**
 * Admission control for requests: accepts networks of `accept_from`, rejects scanners and password guessers, and limits
 * the rate of new calls, and of other requests outside of calls, by source. Decided before any state is kept.
 * `AbuseGuard` bans sources; the user agent answers 503 to calls that are refused here.
 *
 * Invariants
 *  - memory is bounded, and one source does not affect another;
 *  - carriers and edge proxies are not limited, nor are registered phones before they authenticate: a forged address
 *    uses up neither their calls nor those of connections from there;
 *  - authenticated users are limited by name.
 */
import type { BlockList } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';
import { isWithin, networksOf } from '../../../base/core/networks.ts';
import { sourceKey } from '../../../base/core/source-key.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import type { AbuseGuard } from './abuse-guard.ts';
import { usernameOf } from './auth.ts';
import type { KnownPeers } from './known-peers.ts';
import { headerOf, type SipRequest } from './message.ts';
import { type Peer, rateLimitKey } from './transport.ts';

export interface AdmissionOptions {
  /** Accepted networks (CIDR); absent: all. */
  acceptFrom?: readonly string[] | undefined;
  /** New calls per second and source, and the burst size. */
  invitesPerSecond: number;
  inviteBurst: number;
  /** True if scanners for open servers get no response. */
  dropScanners: boolean;
}

export interface AdmissionParts {
  clock: Clock;
  realm: string;
  guard: AbuseGuard;
  known: KnownPeers;
}

/** Matches the default User-Agent of scanners. */
const SCANNERS =
  /friendly-?scanner|sipvicious|sip-?scan|sipcli|sundayddr|iwar\b|pplsip|vaxsipuseragent|\bsmap\b|siparmyknife/i;
/** Number of refusals per second that a source above its limit receives; further requests are dropped. */
const REFUSALS_PER_SECOND = 5;
const SOURCES_LIMIT = 10_000;
/** Maximum sources that are looked at for a new one, because a flood may come from forged addresses. */
const FORGOTTEN_AT_ONCE = 100;
/**
 * Limits of requests outside of calls, such as REGISTER and OPTIONS. After a power failure, the phones behind one
 * address register at once.
 */
const REQUESTS_PER_SECOND = 100;
const REQUEST_BURST = 500;

interface SourceLimits {
  calls: TokenBucket;
  /** Requests outside of calls. */
  others: TokenBucket;
  refusals: TokenBucket;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #parts: AdmissionParts;
  readonly #networks: BlockList | undefined;
  readonly #sources = new Map<string, SourceLimits>();

  constructor(options: AdmissionOptions, parts: AdmissionParts) {
    this.#options = options;
    this.#parts = parts;
    this.#networks = options.acceptFrom && networksOf(options.acceptFrom);
  }

  /** True if packets from this address are answered. */
  accepts(host: string): boolean {
    if (!this.#networks) return true;
    const { known } = this.#parts;
    return isWithin(this.#networks, host) || known.isCarrier({ host }) || known.isEdge(host);
  }

  /** True if a request is processed; otherwise it gets no response. */
  admits(request: SipRequest, source: Peer): boolean {
    const { guard } = this.#parts;
    const admitted = !this.#isScanner(request) && !this.#guesses(request, source) && this.#hasRoom(request, source);
    if (!admitted) guard.counts.dropped++;
    return admitted;
  }

  /** Counts a new call; false if the limit is exceeded. */
  takesCall(request: SipRequest, source: Peer): boolean {
    if (this.#isExempt(request, source)) return true;
    return this.#take(rateLimitKey(source));
  }

  /** Source of a call for limits of the host; undefined for carriers and edge proxies, which have many callers. */
  sourceOf(peer: Peer): string | undefined {
    const { known } = this.#parts;
    return known.isCarrier(peer) || known.isEdge(peer.host) ? undefined : sourceKey(peer.host);
  }

  /** Counts a call of an authenticated user. */
  takesCallOf(user: string): boolean {
    return this.#take(`user ${user}`);
  }

  #take(key: string): boolean {
    const source = this.#source(key);
    if (source.calls.take()) return true;
    source.refusals.take();
    return false;
  }

  #isScanner(request: SipRequest): boolean {
    return this.#options.dropScanners && SCANNERS.test(headerOf(request, 'user-agent') ?? '');
  }

  /**
   * A guesser may still send requests as an unknown caller. A phone that is registered from exactly this source may
   * always authenticate.
   */
  #guesses(request: SipRequest, source: Peer): boolean {
    const { realm, guard, known } = this.#parts;
    const user = usernameOf(request, realm);
    if (user === undefined) return false;
    const isShutOut = guard.isBanned(source.host) && !known.isCarrier(source) && !known.isEdge(source.host);
    return (isShutOut || guard.isGuessing(source.host, user)) && !known.isPhone(source, user);
  }

  #hasRoom(request: SipRequest, peer: Peer): boolean {
    if (request.to.params['tag'] !== undefined || request.method === 'CANCEL') return true;
    if (request.method !== 'INVITE') {
      return this.#source(rateLimitKey(peer)).others.take() || this.#isExempt(request, peer);
    }
    const source = this.#sources.get(rateLimitKey(peer));
    return !source || source.calls.hasRoom || source.refusals.hasRoom || this.#isExempt(request, peer);
  }

  #isExempt(request: SipRequest, peer: Peer): boolean {
    const { realm, known } = this.#parts;
    if (known.isCarrier(peer) || known.isEdge(peer.host)) return true;
    const user = usernameOf(request, realm) ?? request.from.uri.user;
    return user !== undefined && known.isPhone(peer, user);
  }

  #source(key: string): SourceLimits {
    const known = this.#sources.get(key);
    if (known) return known;
    if (this.#sources.size >= SOURCES_LIMIT) this.#forget();
    const { clock } = this.#parts;
    const { invitesPerSecond, inviteBurst } = this.#options;
    const source = {
      calls: new TokenBucket(clock, invitesPerSecond, inviteBurst),
      others: new TokenBucket(clock, REQUESTS_PER_SECOND, REQUEST_BURST),
      refusals: new TokenBucket(clock, REFUSALS_PER_SECOND, REFUSALS_PER_SECOND),
    };
    this.#sources.set(key, source);
    return source;
  }

  /** Removes idle ones of the oldest sources; if all are busy, the oldest. */
  #forget(): void {
    let looked = 0;
    for (const [key, { calls, others }] of this.#sources) {
      if (looked++ >= FORGOTTEN_AT_ONCE) break;
      if (calls.isFull && others.isFull) this.#sources.delete(key);
    }
    const [oldest] = this.#sources.keys();
    if (this.#sources.size >= SOURCES_LIMIT && oldest !== undefined) this.#sources.delete(oldest);
  }
}
