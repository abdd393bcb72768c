/**
 * What inbound and outbound legs have in common: commands in, events out, one end.
 * Invariants: E1–E4 of `../engine.ts`. `ended` comes after the last event of the audio.
 */
import type { Cause } from '../../core/causes.ts';
import type { LegCommand } from '../../core/leg.ts';
import type { SipContext } from './context.ts';
import { DigitPace } from './digit-pace.ts';
import { LegAudio } from './leg-audio.ts';
import type { Session } from './session.ts';

export abstract class CallLeg {
  readonly legId: string;
  protected readonly context: SipContext;
  protected readonly audio: LegAudio;
  protected session: Session | undefined;
  /** The end is decided; nothing the host says matters any more. */
  protected over = false;
  readonly #gone: () => void;
  readonly #pace: DigitPace;

  constructor(context: SipContext, legId: string, gone: () => void, nearLegId?: string) {
    this.context = context;
    this.legId = legId;
    this.#gone = gone;
    this.#pace = new DigitPace(context.clock);
    this.audio = new LegAudio({ mediaId: legId, near: nearLegId }, context.media, {
      event: (event) =>
        event.type === 'digit' ? this.digit(event.digit, event.durationMs) : context.emit(legId, event),
      lost: () => this.mediaLost(),
      sendByInfo: (command) => this.session?.sendDigits(command),
      now: () => context.clock.now(),
    });
  }

  send(command: LegCommand): void {
    if (this.over) return;
    switch (command.type) {
      case 'ring':
        this.ring();
        break;
      case 'progress':
        this.progress();
        break;
      case 'answer':
        this.answer();
        break;
      case 'reject':
        this.reject(command.sipStatus);
        break;
      case 'hangup':
        this.hangup(command.cause);
        break;
      case 'refer':
        this.context.emit(this.legId, { type: 'refer_ended', referId: command.referId, sipStatus: 501 });
        break;
      case 'refer_progress':
        break;
      default:
        this.audio.command(command);
    }
  }

  protected ring(): void {}
  protected progress(): void {}
  protected answer(): void {}
  protected reject(_sipStatus: number): void {}
  abstract hangup(cause: number): void;
  protected abstract mediaLost(): void;

  protected digit(digit: string, durationMs: number): void {
    if (this.over || !this.#pace.takes(() => this.context.log('warn', 'sip.digits_dropped', { legId: this.legId })))
      return;
    this.context.emit(this.legId, { type: 'digit', digit, durationMs });
  }

  /** Goes on when the media port is open; without one the leg is of no use. */
  protected withAudio(then: () => void, failed: () => void): void {
    this.audio
      .open(newSessionId(this.context.random))
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

  /** The one way out. */
  protected finish(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    if (this.over) return;
    this.over = true;
    this.audio.close((quality) => {
      const ended = { type: 'ended', cause, by, ...(quality ? { quality } : {}) } as const;
      this.context.emit(this.legId, sipStatus === undefined ? ended : { ...ended, sipStatus });
      this.#gone();
    });
  }
}

/** RFC 4566 §5.2: a number that is unique for the creator; 31 bits are plenty. */
const newSessionId = (random: () => number): number => 1 + Math.floor(random() * (2 ** 31 - 2));
