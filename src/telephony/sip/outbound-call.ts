/**
 * The client's side of an INVITE (RFC 3261 §13.2): media opened → sent → ringing → answered. Forks, credentials, reliable
 * provisional responses, and the crossings of CANCEL and answer end here.
 * Invariants: every 2xx gets its ACK, and a BYE unless it is the one that we took; at most one `ringing` and `answered`.
 */
import { type Cause, causeOf, causeOfSip, NO_ANSWER, NO_ROUTE, TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { Timer } from '../../core/clock.ts';
import type { DialRequest } from '../engine.ts';
import { answerChallenge } from './auth.ts';
import { CallLeg } from './call-leg.ts';
import { ALLOW, type SipContext, SUPPORTED } from './context.ts';
import { Delivery, type DeliveryUser } from './delivery.ts';
import { dialogOfClient, refreshTarget } from './dialog.ts';
import { parseSeconds } from './headers.ts';
import { speakerOfAnswer } from './media-path.ts';
import {
  type HeaderLine,
  headerOf,
  listOf,
  nameAddressText,
  names,
  type OutgoingRequest,
  type SipResponse,
} from './message.ts';
import type { Target } from './outbound-routes.ts';
import { Redirects } from './redirects.ts';
import { SDP_TYPE } from './sdp.ts';
import { reasonOf, Session } from './session.ts';
import { timerHeaders } from './session-timer.ts';
import type { ClientTransaction } from './transactions.ts';
import type { Peer } from './transport.ts';

/** One dialog of those that forks may make. */
interface Branch {
  session: Session;
  /** RFC 3262 §4: the number of the last provisional response that was acknowledged. */
  rseq: number | undefined;
  answered: boolean;
}

const NETWORK_OUT_OF_ORDER = causeOf(38);

export class OutboundCall extends CallLeg {
  /** Where it is tried now; it began at `#first`. */
  #target: Target | undefined;
  readonly #first: string;
  readonly #redirects: Redirects;
  readonly #request: DialRequest;
  readonly #fromUri: string;
  readonly #callId: string;
  readonly #localTag: string;
  readonly #branches = new Map<string, Branch>();
  #delivery: Delivery | undefined;
  #cseq = 0;
  #proof: HeaderLine | undefined;
  #minS: number;
  #ringTimer: Timer | undefined;
  #farewell: (() => void) | undefined;
  #rang = false;
  #taken: Branch | undefined;

  constructor(
    context: SipContext,
    request: DialRequest,
    target: Target | undefined,
    fromUri: string,
    redirected: (contact: string) => Target | undefined,
    gone: () => void,
  ) {
    super(context, request.legId, gone, request.nearLegId);
    this.#request = request;
    this.#target = target;
    this.#first = target?.requestUri ?? '';
    this.#redirects = new Redirects(target, redirected);
    this.#fromUri = fromUri;
    this.#callId = context.token() + context.token();
    this.#localTag = context.token();
    this.#minS = context.sessionTimer.minS;
  }

  start(): void {
    const target = this.#target;
    if (!target) {
      this.finish(NO_ROUTE, 'near');
      return;
    }
    this.#ringTimer = this.context.clock.after(this.#request.ringTimeoutMs, () => this.#giveUp(NO_ANSWER));
    this.withAudio(
      () => this.#locate(target),
      () => this.#end(causeOf(34), 'network'),
    );
  }

  #locate(target: Target): void {
    const found = (places: readonly Peer[]) => {
      if (this.over) return;
      if (places.length > 0) this.#invite(target, places);
      else if (!this.#follow()) this.#end(NETWORK_OUT_OF_ORDER, 'network');
    };
    if (target.peer) found([target.peer]);
    else this.context.locator.locate(target.requestUri, found);
  }

  #invite(target: Target, places: readonly Peer[]): void {
    const { sessionTimer } = this.context;
    const headers: HeaderLine[] = [
      ALLOW,
      SUPPORTED,
      ['User-Agent', this.context.userAgent],
      ...timerHeaders({ expiresS: sessionTimer.expiresS, minS: this.#minS }, false),
    ];
    if (this.#proof) headers.push(this.#proof);
    const request: OutgoingRequest = {
      method: 'INVITE',
      uri: target.requestUri,
      routes: [],
      from: nameAddressText(this.#fromUri, this.#localTag),
      to: nameAddressText(this.#first, undefined),
      callId: this.#callId,
      cseq: ++this.#cseq,
      headers,
      body: { type: SDP_TYPE, content: this.audio.offer() },
    };
    const from = (place: Peer): OutgoingRequest => {
      const contact: HeaderLine = ['Contact', this.context.contact(place.transport)];
      return { ...request, headers: [contact, ...headers] };
    };
    const user: DeliveryUser = {
      response: (response, attempt) => {
        this.#response(response, attempt);
        if (response.status >= 200) this.#heard();
      },
      late: (response, attempt) => this.#accepted(response, attempt, true),
      moved: () => this.#dropEarly(),
      failed: (why) => {
        this.#heard();
        this.#dropEarly();
        if (this.over || this.#follow()) return;
        if (why === 'timeout') this.#end(causeOfSip(408), 'network', 408);
        else this.#end(NETWORK_OUT_OF_ORDER, 'network');
      },
    };
    const transportIsFixed = target.peer !== undefined;
    this.#delivery = new Delivery(this.context, places, from, user, { transportIsFixed });
    this.#delivery.start();
  }

  #response(response: SipResponse, attempt: ClientTransaction): void {
    if (response.status < 200) this.#provisional(response, attempt);
    else if (response.status < 300) this.#accepted(response, attempt, false);
    else this.#refused(response, attempt);
  }

  #provisional(response: SipResponse, attempt: ClientTransaction): void {
    if (this.over || this.#taken || response.status === 100) return;
    const tag = response.to.params['tag'];
    if (tag !== undefined) {
      const branch = this.#branchOf(response, tag, attempt);
      if (names(response, 'require', '100rel') && !this.#acknowledgeReliably(branch, response)) return;
      if (response.body.length > 0) {
        this.audio.takeAnswer(response.body.toString('utf8'), speakerOfAnswer(response, branch.session.dialog));
      }
    }
    const hears = response.status === 180 || (response.status === 183 && response.body.length > 0);
    if (!hears || this.#rang) return;
    this.#rang = true;
    this.context.emit(this.legId, { type: 'ringing' });
  }

  /** RFC 3262 §4: false for a repetition or one out of order, which is as if it had not come. */
  #acknowledgeReliably(branch: Branch, response: SipResponse): boolean {
    const rseq = parseSeconds(headerOf(response, 'rseq'));
    if (rseq === undefined || (branch.rseq !== undefined && rseq !== branch.rseq + 1)) return false;
    branch.rseq = rseq;
    const headers: HeaderLine[] = [['RAck', `${rseq} ${response.cseq.number} INVITE`]];
    branch.session.request('PRACK', { headers }, { response() {}, failed() {} });
    return true;
  }

  /** `late`: from a place that was given up on. */
  #accepted(response: SipResponse, attempt: ClientTransaction, late: boolean): void {
    const tag = response.to.params['tag'] ?? '';
    const known = this.#branches.get(tag);
    const branch = known ?? this.#branchOf(response, tag, attempt);
    const { session } = branch;
    const proof = this.#proof ? [this.#proof] : [];
    if (branch.answered) {
      session.acknowledge(response.cseq.number, proof);
      return;
    }
    branch.answered = true;
    // §13.2.2.4: the route set is that of the 2xx, whatever provisional responses said.
    session.dialog.routeSet = listOf(response, 'record-route').reverse();
    refreshTarget(session.dialog, response);
    session.acknowledge(response.cseq.number, proof);
    if (!late) this.#dropEarly();
    // Too late, or another fork was quicker.
    if (late || this.over || this.#taken) {
      session.bye(16);
      return;
    }
    this.#taken = branch;
    this.session = session;
    this.#ringTimer?.cancel();
    const text = response.body.toString('utf8');
    const negotiated =
      text === '' ? this.audio.isNegotiated : this.audio.takeAnswer(text, speakerOfAnswer(response, session.dialog));
    if (!negotiated) {
      session.bye(111);
      this.finish(causeOf(111), 'network', response.status);
      return;
    }
    session.established(response);
    this.context.emit(this.legId, { type: 'answered' });
  }

  #refused(response: SipResponse, attempt: ClientTransaction): void {
    this.#dropEarly();
    const { status } = response;
    if (this.over) return;
    if (this.#tryAgain(response, attempt.peer)) return;
    this.#redirects.add(response);
    // §21.6: nobody else would take it either.
    if (status < 600 && this.#follow()) return;
    this.#end(causeOfRefusal(response), 'far', status);
  }

  /** With credentials (§22.2), or with the longer interval that the far end asks for (RFC 4028 §7.3). */
  #tryAgain(response: SipResponse, peer: Peer): boolean {
    const { status } = response;
    const target = this.#target;
    if (!target) return false;
    if ((status === 401 || status === 407) && target.credentials && !this.#proof) {
      const request = { method: 'INVITE', uri: target.requestUri };
      this.#proof = answerChallenge(response, request, target.credentials, this.context.token());
      if (!this.#proof) return false;
    } else if (status === 422) {
      const minS = parseSeconds(headerOf(response, 'min-se'));
      if (minS === undefined || minS <= this.#minS || minS > 86_400) return false;
      this.#minS = minS;
      // A proof counts once; the next challenge is answered anew.
      this.#proof = undefined;
    } else return false;
    this.#invite(target, [peer]);
    return true;
  }

  /** Tries the next place of those that the call was redirected to. */
  #follow(): boolean {
    const target = this.#redirects.next();
    if (!target) return false;
    this.#target = target;
    this.#delivery = undefined;
    this.#proof = undefined;
    this.#locate(target);
    return true;
  }

  #branchOf(response: SipResponse, tag: string, { request, peer }: ClientTransaction): Branch {
    const known = this.#branches.get(tag);
    if (known) return known;
    const dialog = dialogOfClient(request, response, peer, peer === this.#target?.peer);
    dialog.localTag = this.#localTag;
    const session = new Session(
      this.context,
      dialog,
      this.audio,
      {
        ended: (cause, by, sipStatus) => this.#farEnded(session, cause, by, sipStatus),
        digit: (digit, durationMs) => this.digit(digit, durationMs),
        prack: (transaction) => transaction.respond(481),
      },
      this.#target?.credentials,
    );
    const branch: Branch = { session, rseq: undefined, answered: false };
    this.#branches.set(tag, branch);
    return branch;
  }

  /** Forks that did not answer; one that does after all begins anew. */
  #dropEarly(): void {
    for (const [tag, branch] of this.#branches) {
      if (branch.answered) continue;
      branch.session.drop();
      this.#branches.delete(tag);
    }
  }

  #farEnded(session: Session, cause: Cause, by: 'far' | 'network', sipStatus?: number): void {
    if (this.#taken && this.#taken.session !== session) return;
    if (!this.#taken) this.#cancel();
    this.#end(cause, by, sipStatus);
  }

  override hangup(cause: number): void {
    this.#giveUp(causeOf(cause));
  }

  protected override mediaLost(): void {
    this.#giveUp(TEMPORARY_FAILURE, 'network');
  }

  #cancel(): void {
    if (!this.#delivery) return;
    this.#farewell ??= this.context.farewell();
    this.#delivery.cancel();
  }

  /** The INVITE has its final answer, or will never have one. */
  #heard(): void {
    this.#farewell?.();
    this.#farewell = undefined;
  }

  #giveUp(cause: Cause, by: 'near' | 'network' = 'near'): void {
    if (this.over) return;
    if (this.#taken) this.#taken.session.bye(cause.code);
    else this.#cancel();
    this.#end(cause, by);
  }

  #end(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    this.#ringTimer?.cancel();
    this.finish(cause, by, sipStatus);
  }
}

/** The status tells more than a vague Q.850 value, and less than a precise one (RFC 3326, RFC 6432). */
function causeOfRefusal(response: SipResponse): Cause {
  const given = reasonOf(response);
  return given && given.code !== 16 && given.code !== 31 && given.code > 0 ? given : causeOfSip(response.status);
}
