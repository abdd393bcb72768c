/**
 * Requests that renew a session: hold and resume by re-INVITE (RFC 3264 §8.4, RFC 6337 §5.3), and session refreshes
 * (RFC 4028 §7.4, §10) by UPDATE if the far end supports it, else by re-INVITE. The session ends if a refresh fails, or
 * the far end's refresh does not arrive; a hold that is refused stays local.
 * One renewal runs at a time, and none while an INVITE of the far end is open.
 */
import { type Cause, causeOf, causeOfSip } from '../../../base/core/causes.ts';
import type { Timer } from '../../../base/core/clock.ts';
import { ALLOW, type SipContext, SUPPORTED } from './context.ts';
import { type Dialog, type InDialog, refreshTarget } from './dialog.ts';
import type { DialogClient } from './dialog-client.ts';
import type { LegAudio } from './leg-audio.ts';
import { signalingSourceOfResponse } from './media-path.ts';
import { type HeaderLine, names, type SipRequest, type SipResponse } from './message.ts';
import { SDP_TYPE } from './sdp.ts';
import { clientTerms, type SessionTerms, timerHeaders } from './session-timer.ts';

export interface RefreshedSession {
  /** Sends the requests of the session. */
  client: DialogClient;
  audio: LegAudio;
  isLive(): boolean;
  /** True if the session is live, and an offer may be sent. */
  isFree(): boolean;
  /** The far end is gone, or its answer is unusable. */
  failed(cause: Cause, sipStatus?: number): void;
}

export class SessionRefresh {
  readonly #context: SipContext;
  readonly #dialog: Dialog;
  readonly #audio: LegAudio;
  readonly #session: RefreshedSession;
  readonly #client: DialogClient;
  /** Timers until the next local refresh, and until the session ends without one. */
  #timers: Timer[] = [];
  #running = false;
  /** True if a local refresh is due. */
  #due = false;
  #peerTakesUpdate = false;
  #retry: Timer | undefined;

  constructor(context: SipContext, session: RefreshedSession) {
    const { client, audio } = session;
    this.#context = context;
    this.#dialog = client.dialog;
    this.#audio = audio;
    this.#session = session;
    this.#client = client;
  }

  /** True while a local INVITE or UPDATE is not answered. */
  get isRunning(): boolean {
    return this.#running;
  }

  /** Restarts the interval. `message` established the session, and contains the methods that the far end allows. */
  agreed(terms: SessionTerms | undefined, message?: SipRequest | SipResponse): void {
    if (message) this.#peerTakesUpdate = names(message, 'allow', 'update');
    this.#restart(terms);
  }

  #restart(terms: SessionTerms | undefined): void {
    this.#stopTimers();
    if (!terms) return;
    const { clock } = this.#context;
    const { expiresS, weRefresh } = terms;
    // RFC 4028 §10: the session is ended a little before the interval expires.
    const endS = expiresS - Math.min(32, expiresS / 3);
    this.#timers = [clock.after(endS * 1000, () => this.#session.failed(causeOf(102)))];
    if (!weRefresh) return;
    const refresh = () => {
      this.#due = true;
      this.proceed();
    };
    this.#timers.push(clock.after((expiresS / 2) * 1000, refresh));
  }

  #stopTimers(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  stop(): void {
    this.#stopTimers();
    this.#retry?.cancel();
  }

  /** Sends a due renewal, once it is possible. */
  proceed(): void {
    if (this.#running || this.#retry || !this.#session.isFree()) return;
    if (this.#audio.mustOffer) this.#start(false);
    else if (this.#due) this.#start(this.#peerTakesUpdate);
  }

  #start(byUpdate: boolean): void {
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
    this.#client.request(byUpdate ? 'UPDATE' : 'INVITE', options, {
      failed: () => {
        this.#running = false;
        this.#session.failed(causeOf(102));
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
    if (status < 300 && !byUpdate) this.#client.acknowledge(response.cseq.number);
    if (!first || !this.#session.isLive()) return;
    if (status < 300) {
      this.#due = false;
      refreshTarget(this.#dialog, response);
      const text = response.body.toString('utf8');
      if (!byUpdate && !this.#audio.applyAnswer(text, signalingSourceOfResponse(response, this.#dialog))) {
        this.#session.failed(causeOf(111), 488);
        return;
      }
      this.#restart(clientTerms(response));
    } else if (status === 491) {
      this.#retry = this.#context.clock.after(this.#retryDelayMs(), () => {
        this.#retry = undefined;
        this.proceed();
      });
      return;
    } else if (status === 408 || status === 481) {
      // §12.2.1.2: the dialog does not exist at the far end any more.
      this.#session.failed(causeOfSip(status), status);
      return;
    } else {
      this.#due = false;
      if (!byUpdate) this.#audio.offerRefused();
    }
    this.proceed();
  }

  /** §14.1: after glare, the owner of the Call-ID waits longer than the other side can. */
  #retryDelayMs(): number {
    const { random } = this.#context;
    return this.#dialog.ownsCallId ? 2100 + random() * 1900 : random() * 2000;
  }
}
