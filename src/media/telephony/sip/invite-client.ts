/**
 * One outbound INVITE (RFC 3261 §13.2) to one target, with all that may follow: forks, authentication, redirections,
 * reliable provisional responses, fallback from SRTP, and races between CANCEL and answer. `OutboundCall` uses it, and
 * may have several at once; `RequestFailover` finds an address of the target that responds.
 * Invariants: every 2xx gets its ACK, and a BYE unless it is the accepted one; `failed` or `answered` is called at most
 * once.
 */
import { type Cause, causeOf, causeOfSip } from '../../../base/core/causes.ts';
import { defined } from '../../../base/core/json.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import { inviteLines } from './call-headers.ts';
import type { Target } from './carriers.ts';
import { ALLOW, type SipContext, SUPPORTED } from './context.ts';
import { refreshTarget } from './dialog.ts';
import { acknowledgeReliably, Forks } from './forks.ts';
import type { GatewayAttempt } from './gateway-figures.ts';
import { parseNameAddress, parseSeconds } from './headers.ts';
import type { Identity } from './identity.ts';
import type { LegAudio } from './leg-audio.ts';
import { LegSignaling } from './leg-signaling.ts';
import { signalingSourceOfResponse } from './media-path.ts';
import {
  type HeaderLine,
  headerOf,
  listOf,
  nameAddressText,
  names,
  type OutgoingRequest,
  type SipResponse,
} from './message.ts';
import { Proofs } from './proofs.ts';
import { reasonOf } from './reason.ts';
import { Redirects } from './redirects.ts';
import { RequestFailover, type RequestFailoverUser } from './request-failover.ts';
import { SDP_TYPE } from './sdp.ts';
import type { SessionUser, SipSession } from './session.ts';
import { timerHeaders } from './session-timer.ts';
import { offersSrtp, type SrtpPolicy, srtpPolicy } from './srtp-policy.ts';
import type { ClientTransaction } from './transactions.ts';
import { type Peer, peerText } from './transport.ts';

/** Why an INVITE failed. */
export interface InviteFailure {
  cause: Cause;
  by: 'far' | 'network';
  sipStatus?: number;
  /** Headers of the refusal that the host may read. */
  headers?: SipHeaders;
  /** `refused`: by a final response; `unusable`: its answer cannot be used. */
  kind: 'refused' | 'unreachable' | 'silent' | 'unusable';
}

export interface InviteUser {
  readonly legId: string;
  /** Headers for the INVITE from the host. */
  readonly headers?: SipHeaders | undefined;
  /** User of the dialogs that it creates. */
  readonly session: SessionUser;
  ringing(headers: SipHeaders | undefined): void;
  /** True if early media of this target may be played; false if that of another one is. */
  acceptsEarlyMedia(): boolean;
  earlyMedia(): void;
  answered(session: SipSession, headers: SipHeaders | undefined): void;
  failed(failure: InviteFailure): void;
  /** Returns the permitted target for the Contact of a redirection; undefined if it must not be followed. */
  redirected(contact: string): Target | undefined;
}

const UNREACHABLE: InviteFailure = { cause: causeOf(38), by: 'network', kind: 'unreachable' };
export const TIMED_OUT: InviteFailure = { cause: causeOfSip(408), by: 'network', sipStatus: 408, kind: 'silent' };

export interface InviteOptions {
  target: Target;
  identity: Identity;
  audio: LegAudio;
  user: InviteUser;
}

export class InviteClient {
  readonly #context: SipContext;
  readonly #audio: LegAudio;
  readonly #user: InviteUser;
  readonly #identity: Identity;
  /** Current target; the first one was `#first`. */
  #target: Target;
  readonly #first: string;
  readonly #redirects: Redirects;
  readonly #callId: string;
  readonly signaling: LegSignaling;
  readonly #localTag: string;
  readonly #forks: Forks;
  #state: 'trying' | 'answered' | 'over' = 'trying';
  #delivery: RequestFailover | undefined;
  #cseq = 0;
  #proofs: Proofs;
  /** Last offer, and which answers to it are acceptable. */
  #offered: { secure: boolean; srtp: SrtpPolicy } = { secure: false, srtp: 'off' };
  /** True if the target refused encrypted audio, and may get an offer without encryption. */
  #isPlain = false;
  #minS: number;
  /** Counts the result of the call at the current target. */
  #attempt: GatewayAttempt | undefined;
  #cancelAnswered: (() => void) | undefined;

  constructor(context: SipContext, { target, identity, audio, user }: InviteOptions) {
    this.#context = context;
    this.#target = target;
    this.#proofs = new Proofs(target.credentials, context);
    this.#first = target.requestUri;
    this.#identity = identity;
    this.#audio = audio;
    this.#user = user;
    this.#redirects = new Redirects(target, (contact) => user.redirected(contact));
    this.#callId = context.token() + context.token();
    this.signaling = new LegSignaling(context.clock, this.#callId, { isOurs: true, gateway: target.gateway });
    context.associate(this.#callId, user.legId);
    this.#localTag = context.token();
    this.#forks = new Forks(context, {
      ...{ legId: user.legId, localTag: this.#localTag, audio },
      user: { ...user.session, ended: (...end) => this.#sessionEnded(...end) },
    });
    this.#minS = context.sessionTimer.minS;
  }

  start(): void {
    const target = this.#target;
    this.#attempt = target.figures?.startAttempt(this.#context.clock);
    const found = (places: readonly Peer[]) => {
      if (this.#state !== 'trying') return;
      if (places.length > 0) this.#invite(places);
      else {
        this.#attempt?.failed('unreachable');
        if (!this.#follow()) this.#lose(UNREACHABLE);
      }
    };
    if (target.peer) found([target.peer]);
    else this.#context.locator.locate(firstHopOf(target), found);
  }

  /** Cancels an unanswered INVITE; if it is answered anyway, the call is ended by BYE. */
  cancel(why: 'cancelled' | 'timeout' = 'cancelled', headers: readonly HeaderLine[] = []): void {
    if (this.#state !== 'trying') return;
    this.#state = 'over';
    this.#attempt?.failed(why);
    if (!this.#delivery) return;
    this.#cancelAnswered ??= this.#context.trackPendingBye();
    this.#delivery.cancel(headers);
  }

  /** The call has ended. Has no effect if it was not answered. */
  ended(): void {
    this.#attempt?.ended();
  }

  #lose(failure: InviteFailure): void {
    if (this.#state !== 'trying') return;
    this.#state = 'over';
    this.signaling.concluded(failure.sipStatus);
    this.#user.failed(failure);
  }

  #invite(places: readonly Peer[]): void {
    const { sessionTimer, userAgent } = this.#context;
    const headers: HeaderLine[] = [
      ALLOW,
      SUPPORTED,
      ['User-Agent', userAgent],
      ...timerHeaders({ expiresS: sessionTimer.expiresS, minS: this.#minS }, false),
      ...this.#identity.headers,
      ...inviteLines(this.#target.carrier?.headers, this.#user.headers),
    ];
    const request: OutgoingRequest = {
      method: 'INVITE',
      uri: this.#target.requestUri,
      routes: this.#target.routes ?? [],
      from: `${this.#identity.from};tag=${this.#localTag}`,
      to: nameAddressText(this.#first, undefined),
      callId: this.#callId,
      cseq: ++this.#cseq,
      headers,
    };
    /** Offers by target: the failover may request one before it is sent. */
    const offers = new Map<string, string>();
    const write = (place: Peer): OutgoingRequest => {
      const secure = request.uri.startsWith('sips:');
      const contact: HeaderLine = ['Contact', this.#context.contact(place, { secure })];
      this.#offered = this.#offerAt(place);
      const { secure: encrypted } = this.#offered;
      const key = `${place.host} ${encrypted}`;
      const content = offers.get(key) ?? this.#audio.offer(place.host, encrypted);
      offers.set(key, content);
      const body = { type: SDP_TYPE, content };
      const proofs = this.#proofs.sign({ ...request, body });
      return { ...request, headers: [contact, ...headers, ...proofs], body };
    };
    const user: RequestFailoverUser = {
      response: (response, attempt) => {
        if (response.status < 200) {
          this.#provisional(response, attempt);
          return;
        }
        if (response.status < 300) this.#accepted(response, attempt, false);
        else this.#refused(response, attempt);
        this.#concluded();
      },
      late: (response, attempt) => this.#accepted(response, attempt, true),
      failedOver: () => this.#forks.dropEarly(),
      failed: (why) => {
        this.#concluded();
        this.#forks.dropEarly();
        if (this.#state !== 'trying') return;
        this.#attempt?.failed(why === 'timeout' ? 'timeout' : 'unreachable');
        if (this.#follow()) return;
        this.#lose(why === 'timeout' ? TIMED_OUT : UNREACHABLE);
      },
    };
    const transportIsFixed = this.#target.peer !== undefined;
    this.#delivery = new RequestFailover(this.#context, { places, write, user, transportIsFixed });
    this.#delivery.start();
  }

  readonly #readHeaders = (response: SipResponse): SipHeaders | undefined =>
    this.#context.readHeaders(response, this.#target.carrier !== undefined);

  #offerAt({ transport }: Peer): { secure: boolean; srtp: SrtpPolicy } {
    const wishes = { ofThis: this.#target.srtp, ofAll: this.#context.srtp };
    const srtp = srtpPolicy(wishes, transport);
    return { secure: offersSrtp(wishes, transport) && !this.#isPlain, srtp };
  }

  #provisional(response: SipResponse, attempt: ClientTransaction): void {
    if (this.#state !== 'trying' || response.status === 100) return;
    this.signaling.received(response, attempt.peer);
    const tag = response.to.params['tag'];
    let described = false;
    if (tag !== undefined) {
      const fork = this.#forks.forkOf(response, tag, { attempt, target: this.#target });
      if (names(response, 'require', '100rel') && !acknowledgeReliably(fork, response)) return;
      if (response.body.length > 0) {
        const signaling = signalingSourceOfResponse(response, fork.session.dialog);
        fork.description = { text: response.body.toString('utf8'), signaling };
        described =
          this.#user.acceptsEarlyMedia() && this.#audio.applyAnswer(fork.description.text, signaling, this.#offered);
      }
    }
    if (response.status === 180 || (response.status === 183 && response.body.length > 0)) {
      this.signaling.ringing();
      this.#attempt?.alerting();
      this.#user.ringing(this.#readHeaders(response));
    }
    if (described) this.#user.earlyMedia();
  }

  /** `late`: from a target that was given up. */
  #accepted(response: SipResponse, attempt: ClientTransaction, late: boolean): void {
    const tag = response.to.params['tag'] ?? '';
    const fork = this.#forks.forkOf(response, tag, { attempt, target: this.#target });
    const { session } = fork;
    const proof = this.#proofs.lines;
    if (fork.answered) {
      session.client.acknowledge(response.cseq.number, proof);
      return;
    }
    fork.answered = true;
    // §13.2.2.4: the route set is that of the 2xx, whatever provisional responses contained.
    session.dialog.routeSet = listOf(response, 'record-route').reverse();
    refreshTarget(session.dialog, response);
    session.client.acknowledge(response.cseq.number, proof);
    if (!late) this.#forks.dropEarly();
    // The answer is too late, or another fork answered first.
    if (late || this.#state !== 'trying') {
      session.bye(16);
      return;
    }
    this.signaling.received(response, attempt.peer);
    const text = response.body.toString('utf8');
    const description =
      text === '' ? fork.description : { text, signaling: signalingSourceOfResponse(response, session.dialog) };
    if (!description || !this.#audio.applyAnswer(description.text, description.signaling, this.#offered)) {
      session.bye(111);
      this.#attempt?.failed('failed');
      this.#lose({ cause: causeOf(111), by: 'network', sipStatus: response.status, kind: 'unusable' });
      return;
    }
    this.#state = 'answered';
    this.signaling.concluded(response.status);
    this.#attempt?.answered();
    session.established(response);
    this.#user.answered(session, this.#readHeaders(response));
  }

  #refused(response: SipResponse, attempt: ClientTransaction): void {
    this.#forks.dropEarly();
    const { status } = response;
    if (this.#state !== 'trying') return;
    if (this.#tryAgain(response, attempt.peer)) return;
    this.signaling.received(response, attempt.peer);
    this.#attempt?.failed(status);
    this.#reportRefusedProofs(response);
    this.#redirects.add(response);
    // §21.6: a global failure rules out the other targets.
    if (status < 600 && this.#follow()) return;
    const headers = this.#readHeaders(response);
    this.#lose(defined({ cause: causeOfRefusal(response), by: 'far', sipStatus: status, kind: 'refused', headers }));
  }

  /**
   * Retries with credentials (§22.2), with the longer session interval that the far end requires (RFC 4028 §7.3), or
   * without encryption if that is allowed.
   */
  #tryAgain(response: SipResponse, peer: Peer): boolean {
    const { status } = response;
    if (this.#proofs.answer(response)) {
      // Signed when it is sent.
    } else if (status === 422) {
      const minS = parseSeconds(headerOf(response, 'min-se'));
      if (minS === undefined || minS <= this.#minS || minS > 86_400) return false;
      this.#minS = minS;
      this.#proofs.reset();
    } else if ((status === 488 || status === 606) && this.#offered.secure && this.#offered.srtp === 'optional') {
      this.#isPlain = true;
      this.#proofs.reset();
      this.#context.log('info', 'sip.srtp_refused', { legId: this.#user.legId, remote: peerText(peer) });
    } else return false;
    this.#invite([peer]);
    return true;
  }

  /** Many trunks accept a registration, and then identify their customer only by the user of From. */
  #reportRefusedProofs(response: SipResponse): void {
    const { carrier, gateway } = this.#target;
    if (!carrier || !this.#proofs.refusedBy(response)) return;
    const isRegistered = carrier.register === true && carrier.fromUser === undefined;
    this.#context.log('warn', 'sip.credentials_refused', {
      ...{ legId: this.#user.legId, ...gateway, status: response.status },
      ...(isRegistered && { hint: 'if the registration is accepted, the carrier may know us by From: set from_user' }),
    });
  }

  /** Tries the next target of a redirection, as the same call (§8.1.3.4). */
  #follow(): boolean {
    const target = this.#redirects.next();
    if (!target) return false;
    this.#target = target;
    this.#delivery = undefined;
    this.#proofs = new Proofs(target.credentials, this.#context);
    this.#isPlain = false;
    this.start();
    return true;
  }

  #sessionEnded(session: SipSession, cause: Cause, by: 'far' | 'network', sipStatus?: number): void {
    if (this.#state !== 'trying') {
      this.#user.session.ended(session, cause, by, sipStatus);
      return;
    }
    // The far end ended a dialog that was never confirmed.
    this.cancel();
    this.signaling.concluded(sipStatus);
    this.#user.failed(defined({ cause, by, kind: 'refused', sipStatus }));
  }

  /** The INVITE has its final response, or will never have one. */
  #concluded(): void {
    this.#cancelAnswered?.();
    this.#cancelAnswered = undefined;
  }
}

const firstHopOf = ({ routes: [route] = [], requestUri }: Target): string =>
  (route === undefined ? undefined : parseNameAddress(route)?.uri.text) ?? requestUri;

/**
 * The status is more specific than a generic Q.850 value, and less specific than a precise one (RFC 3326, RFC 6432).
 */
function causeOfRefusal(response: SipResponse): Cause {
  const given = reasonOf(response);
  return given && given.code !== 16 && given.code !== 31 && given.code > 0 ? given : causeOfSip(response.status);
}
