/**
 * Server side of an INVITE (RFC 3261 §13.3): offered → (ringing, early media) → accepted → acknowledged.
 * The INVITE gets one final response; `answered` is emitted with the ACK; a CANCEL in time gets a 487.
 */
import {
  type Cause,
  causeOf,
  causeOfSip,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../../base/core/causes.ts';
import { hostText } from '../../../base/core/host-text.ts';
import type { LegSip, SipPeer } from '../../../base/core/leg.ts';
import { CallLeg, type CallLegOptions } from './call-leg.ts';
import type { GatewayName } from './carriers.ts';
import { ALLOW, type SipContext } from './context.ts';
import { dialogOfServer, recordRoutes } from './dialog.ts';
import { LegSignaling } from './leg-signaling.ts';
import { signalingSourceOf } from './media-path.ts';
import { type HeaderLine, names, RETRY_SOON, type ResponseExtras, type SipRequest } from './message.ts';
import { cancelReasonOf } from './reason.ts';
import { ReliableProvisionals } from './reliable-provisional.ts';
import { sdpBody } from './sdp.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { SipSession } from './session.ts';
import type { SrtpPolicy } from './srtp-policy.ts';
import { peerText } from './transport.ts';
import type { UnknownCallerSlot } from './unknown-callers.ts';

/** Q.850: recovery on timer expiry. */
const SILENT_CALLER = causeOf(102);
/** Q.850: switching equipment congestion. */
const CONGESTION = 42;

/** Caller, with what was authenticated. */
export interface CallerIdentity {
  /** Authenticated local user. */
  user?: string;
  /** True if the INVITE came from the address of a carrier. */
  isCarrier: boolean;
  gateway?: GatewayName | undefined;
  /** SRTP policy for this caller. */
  srtp: SrtpPolicy;
  /**
   * Returns headers of the 401 for an unknown caller if the callee does not exist: users are challenged for every
   * callee, so that a 404 would reveal which names exist.
   */
  challenge?: () => HeaderLine[];
  /** Slot of an unknown caller's call. */
  slot?: UnknownCallerSlot;
}

export interface InboundCallOptions extends Omit<CallLegOptions, 'srtp'> {
  invite: ServerTransaction;
  caller: CallerIdentity;
}

export class InboundCall extends CallLeg {
  readonly #invite: ServerTransaction;
  /** Undefined if the INVITE has no offer; the offer is then made here. */
  readonly #offer: string | undefined;
  readonly #reliable: ReliableProvisionals;
  readonly #mustBeReliable: boolean;
  readonly #mayBeReliable: boolean;
  #state: 'offered' | 'accepting' | 'accepted' = 'offered';
  /** Session description that was sent in a provisional response. */
  #early: { sdp: string; weOffered: boolean; reliably: boolean; settled: boolean } | undefined;

  readonly #caller: CallerIdentity;
  readonly #signaling: LegSignaling;
  #acknowledgedMs: number | undefined;
  /** True while the host is being informed of the call: a rejection then concerns the callee. */
  #isNews = true;

  constructor(context: SipContext, { invite, caller, ...options }: InboundCallOptions) {
    super(context, { ...options, srtp: caller.srtp });
    this.#caller = caller;
    const { request } = invite;
    this.#invite = invite;
    this.#signaling = new LegSignaling(context.clock, request.callId, { isOurs: false, gateway: caller.gateway });
    this.#signaling.received(request, invite.source);
    context.associate(request.callId, this.legId);
    this.#offer = request.body.length > 0 ? request.body.toString('utf8') : undefined;
    this.#mustBeReliable = names(request, 'require', '100rel');
    this.#mayBeReliable = this.#mustBeReliable || names(request, 'supported', '100rel');
    this.#reliable = new ReliableProvisionals(context, invite, () => this.#fail(504, 102));
    const dialog = dialogOfServer(request, invite.toTag, invite.source);
    const { legId, audio, sessionUser: user } = this;
    this.session = new SipSession(context, { legId, dialog, audio, user });
    this.session.onGone = () => this.#caller.slot?.silent();
    invite.onCancel = (cancel) => this.#cancelled(cancel);
    queueMicrotask(() => {
      this.#isNews = false;
    });
  }

  override get user(): string | undefined {
    return this.#caller.user;
  }

  protected override get signaling(): LegSip {
    return this.#signaling.summary;
  }

  /** Peer of the call at its arrival. */
  get sipPeer(): SipPeer {
    return this.#signaling.peer;
  }

  protected override onMessage(request: SipRequest): void {
    this.#signaling.received(request);
  }

  protected override get isKnown(): boolean {
    return this.user !== undefined || this.#caller.isCarrier;
  }

  protected override get isFarEndTrusted(): boolean {
    return this.#caller.isCarrier;
  }

  protected override get numberDomain(): string | undefined {
    return this.#caller.isCarrier ? hostText(this.#invite.request.from.uri.host) : undefined;
  }

  protected override ring(): void {
    if (this.#state === 'offered' && !this.#early) this.#provisional(180, undefined, this.#mustBeReliable);
  }

  /**
   * Early media needs an answer in the 183; without an offer, a local offer is only valid in a reliable response (RFC
   * 3262 §5).
   */
  protected override progress(): void {
    if (this.#state !== 'offered' || this.#early) return;
    const weOffer = this.#offer === undefined;
    if (weOffer && !this.#mayBeReliable) {
      this.#provisional(183, undefined, false);
      return;
    }
    this.#withAudio(() => {
      if (this.#state !== 'offered' || this.#early) return;
      const sdp = this.#describe();
      if (sdp === undefined) return;
      this.#early = { sdp, weOffered: weOffer, reliably: this.#mayBeReliable, settled: !weOffer };
      this.#provisional(183, sdp, this.#mayBeReliable);
    });
  }

  protected override answer(headers: readonly HeaderLine[]): void {
    if (this.#state !== 'offered') return;
    this.#state = 'accepting';
    const accept = (): void => this.#accept(headers);
    const refuse = (): void => this.#unproved();
    const { slot } = this.#caller;
    this.#withAudio(() =>
      this.#reliable.whenClear(() => (slot ? slot.beforeAnswer({ answer: accept, refuse }) : accept())),
    );
  }

  #accept(headers: readonly HeaderLine[]): void {
    if (this.over) return;
    const early = this.#early;
    const weOffer = this.#offer === undefined && !early?.settled;
    const sdp = early ? (early.reliably ? undefined : early.sdp) : this.#describe();
    if (!early && sdp === undefined) return;
    this.#state = 'accepted';
    this.#signaling.concluded(200);
    const acknowledged = (): void => {
      this.#acknowledgedMs = this.context.clock.monotonicMs();
      this.#caller.slot?.acknowledged();
      if (!this.over) this.answered();
    };
    this.session?.accept(this.#invite, sdp, weOffer, acknowledged, headers);
  }

  /** Returns the local session description. Undefined if that of the caller is unusable, and the call is refused. */
  #describe(): string | undefined {
    if (this.#offer === undefined) return this.audio.offer(this.#invite.source.host);
    const answer = this.audio.answer(this.#offer, true, signalingSourceOf(this.#invite.request, this.#invite.source));
    if ('sdp' in answer) return answer.sdp;
    this.#fail(answer.status, causeOfSip(answer.status).code);
    return undefined;
  }

  #withAudio(then: () => void): void {
    this.withAudio(then, () => this.#fail(503, 34));
  }

  #provisional(status: number, sdp: string | undefined, reliably: boolean): void {
    const { request, source } = this.#invite;
    const headers: HeaderLine[] = [
      ...recordRoutes(request),
      ['Contact', this.context.contact(source, { secure: request.uri.scheme === 'sips' })],
      ALLOW,
    ];
    const extras: ResponseExtras = { headers, ...sdpBody(sdp) };
    if (reliably) this.#reliable.send(status, extras);
    else this.#invite.respond(status, extras);
  }

  protected override prack(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (!this.#reliable.takes(request)) {
      transaction.respond(481);
      return;
    }
    const text = request.body.toString('utf8');
    const signaling = signalingSourceOf(request, transaction.source);
    if (this.#early?.weOffered && !this.#early.settled) {
      // RFC 3262 §5: the PRACK has the answer to the offer of the provisional response.
      if (!this.audio.applyAnswer(text, signaling)) {
        transaction.respond(488);
        this.#fail(488, 65);
        return;
      }
      this.#early.settled = true;
      transaction.respond(200);
    } else if (text !== '') {
      const answer = this.audio.isNegotiated ? this.audio.answer(text, false, signaling) : ({ status: 488 } as const);
      if ('status' in answer) transaction.respond(answer.status);
      else transaction.respond(200, sdpBody(answer.sdp));
    } else transaction.respond(200);
    this.#caller.slot?.proved();
    this.#reliable.advance();
  }

  protected override reject(sipStatus: number, headers: readonly HeaderLine[]): void {
    if (this.#state === 'accepted' || !(sipStatus >= 300 && sipStatus <= 699)) return;
    const challenge = this.#isNews && sipStatus === 404 ? this.#caller.challenge : undefined;
    this.#refuse(challenge ? 401 : sipStatus, [...(challenge?.() ?? []), ...headers]);
    this.finish(causeOfSip(sipStatus), 'near', sipStatus);
  }

  override hangup(cause: number, headers: readonly HeaderLine[] = [], by: 'near' | 'network' = 'near'): void {
    if (this.#state === 'accepted') {
      this.session?.bye(cause, headers);
      this.finish(causeOf(cause), by);
      return;
    }
    const sipStatus = sipStatusOf(causeOf(cause));
    this.#refuse(sipStatus, headers);
    this.finish(causeOf(cause), 'near', sipStatus);
  }

  #cancelled(cancel: SipRequest): void {
    if (this.over || this.#state === 'accepted') return;
    this.onBye(cancel);
    this.#refuse(487);
    this.finish(cancelReasonOf(cancel) ?? NORMAL_CLEARING, 'far', 487);
  }

  protected override sessionEnded(session: SipSession, cause: Cause, by: 'far' | 'network', sipStatus?: number): void {
    if (session !== this.session) return;
    if (this.#state !== 'accepted') this.#refuse(487);
    this.finish(cause, by, sipStatus);
  }

  /** Too many answers to this source are open, and none of them was acknowledged. */
  #unproved(): void {
    this.context.log('info', 'sip.answer_refused', { legId: this.legId, source: peerText(this.#invite.source) });
    this.#fail(503, CONGESTION, RETRY_SOON);
  }

  #fail(sipStatus: number, cause: number, headers: readonly HeaderLine[] = []): void {
    if (this.over) return;
    this.#refuse(sipStatus, headers);
    this.finish(causeOf(cause), 'network', sipStatus);
  }

  /**
   * Ends an answered call of an unknown caller without audio, which occupies a slot. Before the answer, silence is
   * normal.
   */
  protected override silent(forMs: number): void {
    if (this.over || this.isKnown || this.#acknowledgedMs === undefined) return;
    const { clock, log, unknownCallerSilenceMs } = this.context;
    const silentMs = Math.min(forMs, clock.monotonicMs() - this.#acknowledgedMs);
    if (silentMs < unknownCallerSilenceMs) return;
    log('info', 'sip.silent_stranger', { legId: this.legId, source: peerText(this.#invite.source), silentMs });
    this.hangup(SILENT_CALLER.code, [], 'network');
  }

  protected override mediaLost(): void {
    if (this.over) return;
    if (this.#state === 'accepted') this.session?.bye(TEMPORARY_FAILURE.code);
    else this.#refuse(500);
    this.finish(TEMPORARY_FAILURE, 'network');
  }

  protected override finish(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    this.#caller.slot?.release();
    super.finish(cause, by, sipStatus);
  }

  #refuse(sipStatus: number, headers: readonly HeaderLine[] = []): void {
    this.#reliable.stop();
    this.#signaling.concluded(sipStatus);
    if (this.isKnown) this.#invite.respond(sipStatus, { headers });
    // The host knows the call already: if the response is lost, a retransmission must not create another one.
    else if (this.#isNews) this.#invite.respondStatelessly(sipStatus, { headers });
    else this.#invite.respondOnce(sipStatus, { headers });
    this.session?.drop();
  }
}
