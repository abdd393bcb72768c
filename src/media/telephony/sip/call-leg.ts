/**
 * Base of inbound and outbound legs: receives commands, emits events, has a dialog, and ends once.
 * Invariants: E1–E4 of `../engine.ts`. `ended` follows the last event of the audio. A leg may have had several dialogs
 * (forks, a replaced phone); only the current `session` can end it.
 */
import type { Cause } from '../../../base/core/causes.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegCommand, LegSip } from '../../../base/core/leg.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import { headerLines } from './call-headers.ts';
import type { SipContext } from './context.ts';
import { dialogOfServer } from './dialog.ts';
import { LegAudio } from './leg-audio.ts';
import { signalingSourceOf } from './media-path.ts';
import type { HeaderLine, SipRequest } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { type SessionUser, SipSession } from './session.ts';
import type { SrtpPolicy } from './srtp-policy.ts';

export interface CallLegOptions {
  legId: string;
  /** Leg to which this one will be connected. */
  nearLegId?: string | undefined;
  /** Policy of the caller; that of the callee is known with the answer. */
  srtp: SrtpPolicy;
  ended: () => void;
}

export abstract class CallLeg {
  readonly legId: string;
  protected readonly context: SipContext;
  protected readonly audio: LegAudio;
  protected session: SipSession | undefined;
  /** The end is decided, and further commands are ignored. */
  protected over = false;
  readonly #ended: () => void;
  /** Headers of the far end's last message, which are reported with `ended`. */
  protected lastHeaders: SipHeaders | undefined;

  constructor(context: SipContext, { legId, nearLegId, srtp, ended }: CallLegOptions) {
    this.context = context;
    this.legId = legId;
    this.#ended = ended;
    this.audio = new LegAudio(context, {
      ...{ mediaId: legId, near: nearLegId, srtp },
      isKnown: () => this.isKnown,
      mediaLost: () => this.mediaLost(),
      silent: (forMs) => this.silent(forMs),
      sendByInfo: (command) => this.session?.digits.add(command),
    });
  }

  /** Authenticated user at the far end. */
  abstract get user(): string | undefined;
  /** True for a local user, a carrier, or a called party; false for an unknown caller. */
  protected get isKnown(): boolean {
    return true;
  }
  /** Signalling summary for the journal; undefined if no request was sent. */
  protected abstract get signaling(): LegSip | undefined;
  /** True if the far end is a carrier. */
  protected abstract get isFarEndTrusted(): boolean;
  /** Domain of numbers in a REFER to the far end; undefined: the local one. */
  protected abstract get numberDomain(): string | undefined;

  /** Dialog that Refer-To and Replaces may name. */
  get currentSession(): SipSession | undefined {
    return this.over ? undefined : this.session;
  }

  send(command: LegCommand) {
    if (this.over) return;
    switch (command.type) {
      case 'ring':
        return this.ring();
      case 'progress':
        return this.progress();
      case 'answer':
        return this.answer(headerLines(command.headers));
      case 'reject':
        return this.reject(command.sipStatus, headerLines(command.headers));
      case 'hangup':
        return this.hangup(command.cause, headerLines(command.headers));
      case 'refer':
        return this.#refer(command);
      case 'refer_progress':
        return this.session?.referrals.progress(command.referId, command.sipStatus);
      case 'dial':
        return;
      default:
        this.audio.command(command);
        if (command.type === 'hold' || command.type === 'resume') {
          this.audio.hold(command.type === 'hold');
          this.session?.refresh.proceed();
        }
    }
  }

  protected ring(): void {}
  protected progress(): void {}
  protected answer(_headers: readonly HeaderLine[]): void {}
  protected reject(_sipStatus: number, _headers: readonly HeaderLine[]): void {}
  abstract hangup(cause: number, headers?: readonly HeaderLine[]): void;
  protected abstract mediaLost(): void;
  protected abstract sessionEnded(session: SipSession, cause: Cause, by: 'far' | 'network', sipStatus?: number): void;
  protected silent(_forMs: number): void {}
  protected prack(transaction: ServerTransaction): void {
    transaction.respond(481);
  }

  /** Handles a message of the far end within the current dialog. */
  protected abstract onMessage(request: SipRequest): void;

  protected get sessionUser(): SessionUser {
    const { context, legId } = this;
    return {
      ended: (...end) => this.sessionEnded(...end),
      prack: (transaction) => this.prack(transaction),
      onBye: (session, bye) => {
        if (session === this.session) this.onBye(bye);
      },
      event: (event) => {
        if (!this.over || event.type === 'refer_ended') context.emit(legId, event);
      },
      referTarget: (referTo, dialog) => context.referrals.targetOf(referTo, { legId, dialog, user: this.user }),
    };
  }

  /** Handles the request by which the far end ends the call. */
  protected onBye(request: SipRequest): void {
    this.onMessage(request);
    this.lastHeaders = this.context.readHeaders(request, this.isFarEndTrusted);
  }

  /** Handles the answer of the far end. */
  protected answered(headers?: SipHeaders): void {
    this.context.emit(this.legId, defined({ type: 'answered', sip: this.signaling, headers }));
    this.audio.established();
  }

  #refer({ referId, to, replacesLegId, headers }: Extract<LegCommand, { type: 'refer' }>): void {
    const peer = this.session?.dialog.peer;
    const home = this.context.localUriHost(peer?.transport, peer?.host);
    const domain = this.numberDomain ?? home;
    const referTo = this.context.referrals.referTo(to, replacesLegId, { domain, home });
    if (referTo !== undefined && this.session?.isConfirmed) {
      this.session.referrals.refer(referId, referTo, headerLines(headers));
    }
    // There is no dialog yet, or no target.
    else {
      const sipStatus = referTo === undefined ? 404 : 481;
      this.context.emit(this.legId, { type: 'refer_ended', referId, sipStatus });
    }
  }

  /** RFC 3891 §3: the sender of the INVITE replaces the far end, whose dialog is ended. */
  takeOver(invite: ServerTransaction, srtp: SrtpPolicy): void {
    if (this.over || !this.isReplaceable || !this.audio.isOpen) {
      invite.respond(603);
      return;
    }
    const { request, source } = invite;
    const text = request.body.toString('utf8');
    this.audio.newFarEnd(srtp);
    const answer =
      text === ''
        ? { sdp: this.audio.offer(source.host) }
        : this.audio.answer(text, true, signalingSourceOf(request, source));
    if ('status' in answer) {
      invite.respond(answer.status);
      return;
    }
    const dialog = dialogOfServer(request, invite.toTag, source);
    const { legId, audio, sessionUser: user } = this;
    const session = new SipSession(this.context, { legId, dialog, audio, user });
    this.context.associate(request.callId, this.legId);
    const replaced = this.session;
    this.session = session;
    session.accept(invite, answer.sdp, text === '', () => {});
    this.context.log('info', 'sip.replaced', { legId: this.legId });
    this.replaced(replaced);
  }

  protected get isReplaceable(): boolean {
    return this.session?.isConfirmed ?? false;
  }

  /** Ends the dialog that was replaced. */
  protected replaced(session: SipSession | undefined): void {
    session?.bye(16);
  }

  /** Continues when the media port is open; without one the leg cannot work. */
  protected withAudio(then: () => void, failed: () => void): void {
    this.audio
      .open()
      .then(
        () => {
          if (!this.over) then();
        },
        () => failed(),
      )
      .catch((error) => {
        this.context.log('error', 'sip.leg_crashed', { legId: this.legId, error: String(error?.stack ?? error) });
        this.mediaLost();
      });
  }

  /** The only place where a leg ends. */
  protected finish(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    if (this.over) return;
    this.over = true;
    const sip = this.signaling;
    this.audio.close((quality) => {
      const { lastHeaders: headers } = this;
      this.context.emit(this.legId, defined({ type: 'ended', cause, by, quality, sipStatus, sip, headers }));
      this.#ended();
    });
  }
}
