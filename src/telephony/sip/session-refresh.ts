/**
 * Requests of ours that renew a session: a hold and its end, by INVITE (RFC 3264 §8.4, RFC 6337 §5.3); and what keeps it
 * alive (RFC 4028 §7.4, §10), by UPDATE where the far end takes it, else by INVITE. The session ends when a refresh fails,
 * or theirs does not come; a hold that fails is ours alone.
 * Above: the session that it belongs to, as `RefreshedSession`.
 * Invariant: one renewal at a time, and none while an INVITE of theirs is open.
 */
import { type Cause, causeOf, causeOfSip } from '../../core/causes.ts';
import type { Timer } from '../../core/clock.ts';
import { ALLOW, type SipContext, SUPPORTED } from './context.ts';
import { type Dialog, type InDialog, refreshTarget } from './dialog.ts';
import type { LegAudio } from './leg-audio.ts';
import { signalingSourceOfResponse } from './media-path.ts';
import { type HeaderLine, names, type SipRequest, type SipResponse } from './message.ts';
import { SDP_TYPE } from './sdp.ts';
import { clientTerms, type SessionTerms, SessionTimer, timerHeaders } from './session-timer.ts';
import type { ClientUser } from './transactions.ts';

export interface RefreshedSession {
  isLive(): boolean;
  /** Live, and a request with an offer may be sent. */
  isFree(): boolean;
  request(method: string, options: InDialog, user: ClientUser): void;
  acknowledge(cseq: number): void;
  /** The far end is gone. */
  peerGone(cause: Cause, sipStatus?: number): void;
  /** The far end is there, and answered what cannot be used. */
  peerMisbehaved(cause: Cause, sipStatus: number): void;
}

export class SessionRefresh {
  readonly #context: SipContext;
  readonly #dialog: Dialog;
  readonly #audio: LegAudio;
  readonly #session: RefreshedSession;
  readonly #timer: SessionTimer;
  #running = false;
  /** A refresh of ours is to be sent. */
  #due = false;
  #peerTakesUpdate = false;
  #retry: Timer | undefined;

  constructor(context: SipContext, dialog: Dialog, audio: LegAudio, session: RefreshedSession) {
    this.#context = context;
    this.#dialog = dialog;
    this.#audio = audio;
    this.#session = session;
    this.#timer = new SessionTimer(
      context.clock,
      () => {
        this.#due = true;
        this.proceed();
      },
      () => session.peerGone(causeOf(102)),
    );
  }

  /** An INVITE or UPDATE of ours has no answer yet. */
  get isRunning(): boolean {
    return this.#running;
  }

  /** The interval begins anew; `message` tells what the far end takes, where it made the session. */
  agreed(terms: SessionTerms | undefined, message?: SipRequest | SipResponse): void {
    if (message) this.#peerTakesUpdate = names(message, 'allow', 'update');
    this.#timer.restart(terms);
  }

  stop(): void {
    this.#timer.stop();
    this.#retry?.cancel();
  }

  /** Sends what is to be said, once nothing is in the way. */
  proceed(): void {
    if (this.#running || this.#retry || !this.#session.isFree()) return;
    if (this.#audio.mustOffer) this.#begin(false);
    else if (this.#due) this.#begin(this.#peerTakesUpdate);
  }

  #begin(byUpdate: boolean): void {
    this.#running = true;
    const headers: HeaderLine[] = [
      ['Contact', this.#context.contact(this.#dialog.peer, { secure: this.#dialog.secure })],
      ALLOW,
      SUPPORTED,
      ...timerHeaders(this.#context.sessionTimer, true),
    ];
    const options: InDialog = byUpdate
      ? { headers }
      : { headers, body: { type: SDP_TYPE, content: this.#audio.offerAgain(this.#dialog.peer.host) } };
    this.#session.request(byUpdate ? 'UPDATE' : 'INVITE', options, {
      failed: () => {
        this.#running = false;
        this.#session.peerGone(causeOf(102));
      },
      response: (response) => {
        if (response.status >= 200) this.#answered(response, byUpdate);
      },
    });
  }

  #answered(response: SipResponse, byUpdate: boolean): void {
    const first = this.#running;
    this.#running = false;
    const { status } = response;
    if (status < 300 && !byUpdate) this.#session.acknowledge(response.cseq.number);
    if (!first || !this.#session.isLive()) return;
    if (status < 300) {
      this.#due = false;
      refreshTarget(this.#dialog, response);
      const text = response.body.toString('utf8');
      if (!byUpdate && !this.#audio.takeAnswer(text, signalingSourceOfResponse(response, this.#dialog))) {
        this.#session.peerMisbehaved(causeOf(111), 488);
        return;
      }
      this.#timer.restart(clientTerms(response));
    } else if (status === 491) {
      this.#retry = this.#context.clock.after(this.#patienceMs(), () => {
        this.#retry = undefined;
        this.proceed();
      });
      return;
    } else if (status === 408 || status === 481) {
      // §12.2.1.2: the far end knows nothing of this dialog any more.
      this.#session.peerGone(causeOfSip(status), status);
      return;
    } else {
      this.#due = false;
      if (!byUpdate) this.#audio.offerRefused();
    }
    this.proceed();
  }

  /** §14.1: who made the Call-ID waits longer than the other can. */
  #patienceMs(): number {
    const { random } = this.#context;
    return this.#dialog.ownsCallId ? 2100 + random() * 1900 : random() * 2000;
  }
}
