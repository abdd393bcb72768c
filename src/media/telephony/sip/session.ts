/**
 * Session of an established or early dialog, outbound or inbound: requests within it in both directions, INVITEs and
 * their ACKs, renegotiation, session timer, BYE. RFC 3261 §12–§15, RFC 3311 (UPDATE), RFC 4028, RFC 6086 (INFO). The
 * call leg uses it as `SessionUser`. `LegAudio` handles offers and answers, `SessionRefresh` renewals,
 * `DialogReferrals` REFER.
 * `ended` is emitted at most once, and never after `bye` or `drop`.
 */
import { type Cause, causeOf, NORMAL_CLEARING } from '../../../base/core/causes.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { DigestCredentials } from './auth.ts';
import { ALLOW, type SipContext, SUPPORTED } from './context.ts';
import { type Dialog, followSource, keyOf, recordRoutes, refreshTarget, takesCseq } from './dialog.ts';
import { DialogClient } from './dialog-client.ts';
import { DialogReferrals } from './dialog-referrals.ts';
import type { DialogSession } from './dialog-session.ts';
import { InfoDigits, receiveInfo } from './info-digits.ts';
import type { LegAudio } from './leg-audio.ts';
import { signalingSourceOf } from './media-path.ts';
import type { HeaderLine, SipRequest, SipResponse } from './message.ts';
import { reasonOf } from './reason.ts';
import type { ReferTarget } from './refer-policy.ts';
import { type Retransmission, retransmitUntilStopped } from './retransmission.ts';
import { SDP_TYPE, sdpBody } from './sdp.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { SessionRefresh } from './session-refresh.ts';
import { clientTerms, type ServerTerms, serverTerms } from './session-timer.ts';
import type { ClientUser } from './transactions.ts';
import type { Peer } from './transport.ts';
import type { Uri } from './uri.ts';

export interface SessionUser {
  /** The far end ended the session, or it failed. */
  ended(session: SipSession, cause: Cause, by: 'far' | 'network', sipStatus?: number): void;
  /** Emits an event of a referral. */
  event(event: LegEvent): void;
  referTarget(referTo: Uri, dialog: Dialog): ReferTarget;
  /** The far end ends the session by this BYE. */
  onBye(session: SipSession, bye: SipRequest): void;
  /** A PRACK for the INVITE that is still open. */
  prack(transaction: ServerTransaction): void;
}

interface PendingAck {
  cseq: number;
  /** True if the 2xx had an offer, so that the ACK has the answer. */
  weOffered: boolean;
  repetition: Retransmission;
  acknowledged: () => void;
}

export interface SipSessionOptions {
  legId: string;
  dialog: Dialog;
  audio: LegAudio;
  user: SessionUser;
  /** Credentials for challenges of the far end. */
  credentials?: DigestCredentials | undefined;
}

export class SipSession implements DialogSession {
  readonly dialog: Dialog;
  readonly #context: SipContext;
  readonly #audio: LegAudio;
  readonly #user: SessionUser;
  /** Sends requests within the dialog. */
  readonly client: DialogClient;
  /** Its `proceed` signals a hold, or its end, as soon as possible. */
  readonly refresh: SessionRefresh;
  /** Digits for a far end without telephone-event. */
  readonly digits: InfoDigits;
  readonly referrals: DialogReferrals;
  /** True once the INVITE of the dialog has a 2xx. */
  #confirmed = false;
  #state: 'live' | 'ending' | 'gone' = 'live';
  /** INVITE of the far end without a final response. */
  #serverInvite: ServerTransaction | undefined;
  #pendingAck: PendingAck | undefined;
  #byeHeaders: readonly HeaderLine[] = [];
  #byeAnswered: (() => void) | undefined;

  readonly legId: string;
  /** Called once no more messages of the session will be sent. */
  onGone: () => void = () => undefined;

  constructor(context: SipContext, { legId, dialog, audio, user, credentials }: SipSessionOptions) {
    this.#context = context;
    this.legId = legId;
    this.dialog = dialog;
    this.#audio = audio;
    this.#user = user;
    const client = new DialogClient(context, dialog, credentials);
    this.client = client;
    this.refresh = new SessionRefresh(context, {
      ...{ client, audio },
      isFree: () => this.isConfirmed && !this.#pendingAck,
      isLive: () => this.#state === 'live',
      failed: (cause, sipStatus) => this.#endBoth(cause, sipStatus),
    });
    this.digits = new InfoDigits(context.clock, {
      send: (body) => client.request('INFO', { body }, { response() {}, failed() {} }),
      sent: (sendId) => this.#audio.digitsSent(sendId),
    });
    this.referrals = new DialogReferrals(context, client, {
      event: (event) => this.#user.event(event),
      targetOf: (referTo) => this.#user.referTarget(referTo, dialog),
    });
    context.sessions.set(keyOf(dialog), this);
  }

  /** True until its end has started. */
  get isLive(): boolean {
    return this.#state === 'live';
  }

  get isConfirmed(): boolean {
    return this.#confirmed && this.isLive;
  }

  #contact(peer: Peer): string {
    return this.#context.contact(peer, { secure: this.dialog.secure });
  }

  // ---- The INVITE that made the dialog, or a later one of the far end ----

  /** Accepts an INVITE: the 2xx is retransmitted until its ACK arrives. */
  accept(
    invite: ServerTransaction,
    sdp: string | undefined,
    weOffered: boolean,
    acknowledged: () => void,
    more: readonly HeaderLine[] = [],
  ): void {
    const timer = serverTerms(invite.request, this.#context.sessionTimer);
    const headers: HeaderLine[] = [
      ...recordRoutes(invite.request),
      ['Contact', this.#contact(invite.source)],
      ALLOW,
      SUPPORTED,
      ...timer.headers,
      ...more,
    ];
    this.#confirmed = true;
    invite.respond(200, { headers, ...sdpBody(sdp) });
    this.#pendingAck?.repetition.stop();
    this.#pendingAck = {
      cseq: invite.request.cseq.number,
      weOffered,
      acknowledged,
      repetition: retransmitUntilStopped(this.#context.clock, {
        repeat: () => invite.repeat(),
        // §13.3.1.4: without an ACK, the session is ended by BYE.
        giveUp: () => this.#ackNeverCame(),
      }),
    };
    this.refresh.agreed(timer.terms, invite.request);
  }

  /** Handles the 2xx to a local INVITE. */
  established(response: SipResponse): void {
    this.#confirmed = true;
    this.refresh.agreed(clientTerms(response), response);
    this.refresh.proceed();
  }

  receiveAck(request: SipRequest, source: Peer): void {
    const pending = this.#pendingAck;
    if (!pending || request.cseq.number !== pending.cseq) return;
    this.#pendingAck = undefined;
    pending.repetition.stop();
    if (this.#state === 'ending') {
      this.#sendBye();
      return;
    }
    const signaling = signalingSourceOf(request, source);
    const isUsable = !pending.weOffered || this.#audio.applyAnswer(request.body.toString('utf8'), signaling);
    pending.acknowledged();
    if (isUsable) this.refresh.proceed();
    else this.#endBoth(causeOf(111), 488);
  }

  #ackNeverCame(): void {
    this.#pendingAck = undefined;
    if (this.#state === 'ending') this.#sendBye();
    else this.#endBoth(causeOf(102), 408);
  }

  // ---- Requests of the far end ----

  receive(transaction: ServerTransaction) {
    const { request } = transaction;
    // §12.2.2: the number is lower than a previous one.
    if (!takesCseq(this.dialog, request)) {
      transaction.respond(500, { reason: 'CSeq out of order' });
      return;
    }
    followSource(this.dialog, request, transaction.source);
    if (request.method === 'BYE') {
      this.#receiveBye(transaction);
      return;
    }
    if (this.#state !== 'live') {
      transaction.respond(481);
      return;
    }
    switch (request.method) {
      case 'INVITE':
      case 'UPDATE': {
        const timer = serverTerms(request, this.#context.sessionTimer);
        if (request.method === 'INVITE') return this.#receiveInvite(transaction, timer);
        return this.#receiveUpdate(transaction, timer);
      }
      case 'INFO':
        return receiveInfo(transaction, (digit, durationMs) => this.#audio.pressed(digit, durationMs));
      case 'PRACK':
        return this.#user.prack(transaction);
      case 'REFER':
        return this.isConfirmed ? this.referrals.receiveRefer(transaction) : transaction.respond(491);
      case 'NOTIFY':
        return this.referrals.receiveNotify(transaction);
      case 'OPTIONS':
        return transaction.respond(200, { headers: [ALLOW, SUPPORTED, ['Accept', SDP_TYPE]] });
      default:
        return transaction.respond(405, { headers: [ALLOW] });
    }
  }

  #receiveBye(transaction: ServerTransaction): void {
    transaction.respond(200);
    const wasLive = this.isLive;
    this.drop();
    if (!wasLive) return;
    this.#user.onBye(this, transaction.request);
    this.#user.ended(this, reasonOf(transaction.request) ?? NORMAL_CLEARING, 'far');
  }

  #receiveInvite(transaction: ServerTransaction, timer: ServerTerms): void {
    const { request } = transaction;
    // §14.2: glare, or an earlier INVITE of the far end that is not answered.
    if (this.#hasOpenOffer) {
      transaction.respond(491);
      return;
    }
    if ((this.#serverInvite && !this.#serverInvite.answered) || !this.#audio.isOpen) {
      this.#askLater(transaction);
      return;
    }
    if (timer.isTooShort) {
      transaction.respond(422, { headers: timer.headers });
      return;
    }
    this.#serverInvite = transaction;
    if (request.body.length === 0) {
      refreshTarget(this.dialog, request);
      this.accept(transaction, this.#audio.offerAgain(transaction.source.host), true, () => {});
      return;
    }
    const sdp = this.#answerTo(transaction);
    if (sdp !== undefined) this.accept(transaction, sdp, false, () => {});
  }

  /**
   * Returns the answer to the offer in a request of this dialog; undefined if the offer was refused, which is sent
   * here.
   */
  #answerTo(transaction: ServerTransaction): string | undefined {
    const { request } = transaction;
    const signaling = signalingSourceOf(request, transaction.source);
    const answer = this.#audio.answer(request.body.toString('utf8'), false, signaling);
    if ('status' in answer) {
      transaction.respond(answer.status);
      return undefined;
    }
    refreshTarget(this.dialog, request);
    return answer.sdp;
  }

  #receiveUpdate(transaction: ServerTransaction, timer: ServerTerms): void {
    const { request } = transaction;
    if (timer.isTooShort) {
      transaction.respond(422, { headers: timer.headers });
      return;
    }
    const contact = this.#contact(transaction.source);
    const headers: HeaderLine[] = [['Contact', contact], ALLOW, SUPPORTED, ...timer.headers];
    if (request.body.length === 0) {
      refreshTarget(this.dialog, request);
      transaction.respond(200, { headers });
    } else {
      // RFC 3311 §5.2
      if (this.#hasOpenOffer) {
        transaction.respond(491);
        return;
      }
      if (!this.#audio.isNegotiated) {
        this.#askLater(transaction);
        return;
      }
      const sdp = this.#answerTo(transaction);
      if (sdp === undefined) return;
      transaction.respond(200, { headers, ...sdpBody(sdp) });
    }
    if (timer.terms) this.refresh.agreed(timer.terms);
  }

  /** True if an offer of either side has no answer yet. */
  get #hasOpenOffer(): boolean {
    return this.refresh.isRunning || (this.#pendingAck?.weOffered ?? false);
  }

  /** §14.2: between 0 and 10 seconds. */
  #askLater(transaction: ServerTransaction): void {
    const seconds = Math.floor(this.#context.random() * 10);
    transaction.respond(500, { headers: [['Retry-After', String(seconds)]] });
  }

  // ---- The end ----

  /** Ends the session by BYE, which waits for an ACK that is still due (§15). */
  bye(cause: number, headers: readonly HeaderLine[] = []): void {
    if (this.#state !== 'live') return;
    this.#state = 'ending';
    this.#byeHeaders = [['Reason', `Q.850;cause=${cause}`], ...headers];
    this.referrals.flushFinalNotifies();
    this.#byeAnswered = this.#context.trackPendingBye();
    this.#stopTimers();
    if (!this.#pendingAck) this.#sendBye();
  }

  #sendBye(): void {
    const user: ClientUser = {
      response: ({ status }) => {
        if (status >= 200) this.drop();
      },
      failed: () => this.drop(),
    };
    this.client.request('BYE', { headers: this.#byeHeaders }, user);
  }

  /** Ends the session because the far end is gone, or because of its error; the BYE is sent anyway. */
  #endBoth(cause: Cause, sipStatus?: number): void {
    if (!this.isLive) return;
    this.bye(cause.code);
    this.#user.ended(this, cause, 'network', sipStatus);
  }

  #stopTimers(): void {
    this.refresh.stop();
    this.digits.stop();
    this.referrals.stop();
  }

  /** Forgets the dialog, which has ended or was never established. */
  drop(): void {
    this.#state = 'gone';
    this.#stopTimers();
    this.#pendingAck?.repetition.stop();
    this.#pendingAck = undefined;
    this.#byeAnswered?.();
    this.#byeAnswered = undefined;
    if (this.#context.sessions.get(keyOf(this.dialog)) === this) this.#context.sessions.delete(keyOf(this.dialog));
    this.onGone();
  }
}
