/**
 * One simulated leg: commands come in on one side, a scripted party lives on the other, and the clock moves both.
 *
 * Invariants, beyond those of the engine port
 *  L1 what happens to the line happens at the moment of the command; only its events go through the clock (+0), so
 *     that they come in order and never from inside a call;
 *  L2 there is one play and one recording at a time, a new one stops the one before; digits to send queue up;
 *  L3 what is asked for before the line carries sound waits until it does.
 */
import type { Cause } from '../../core/causes.ts';
import {
  causeOf,
  causeOfSip,
  NO_ANSWER,
  NO_ROUTE,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../core/causes.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import type { LegCommand, LegEvent } from '../../core/leg.ts';
import type { AudioSource } from '../audio.ts';
import { DigitSender } from './digit-sender.ts';
import type { CalleePlan, FarEnd, Heard, Notice, PressTiming } from './far-end.ts';
import { DEFAULT_PRESS } from './far-end.ts';
import type { Line } from './line.ts';
import { Player } from './player.ts';
import { Recorder } from './recorder.ts';

export interface LegOptions {
  legId: string;
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  clock: Clock;
  audio: Pick<AudioSource, 'durationMs'>;
  /** Receives the events of the leg, in order, never from inside a call. */
  emit(event: LegEvent): void;
}

/** Final responses that refuse a call (RFC 3261 §7.2). */
const REFUSALS = { first: 300, last: 699 };

export class SimulatedLeg implements FarEnd, Line {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  state: 'ringing' | 'connected' | 'ended' = 'ringing';
  readonly #options: LegOptions;
  readonly #listeners = new Set<(notice: Notice) => void>();
  readonly #player: Player;
  readonly #recorder = new Recorder(this);
  readonly #sender = new DigitSender(this);
  /** What the party, or its plan, is still going to do. */
  readonly #intentions = new Set<Timer>();
  readonly #events: { event: LegEvent; timer: Timer }[] = [];
  #carriesSound = false;
  #keysFreeAtMs = 0;

  constructor(options: LegOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.legId = options.legId;
    this.from = options.from;
    this.to = options.to;
    this.#player = new Player(this, options.audio);
  }

  get hears(): boolean {
    return this.#player.sounds;
  }

  get isRecorded(): boolean {
    return this.#recorder.records;
  }

  get heard(): readonly Heard[] {
    return this.#player.heard;
  }

  get received(): string {
    return this.#sender.received;
  }

  // Our side

  send(command: LegCommand): void {
    if (this.state === 'ended') return;
    switch (command.type) {
      case 'ring':
        if (this.#isOffered()) this.notice({ type: 'ringing' });
        break;
      case 'progress':
        if (this.#isOffered()) this.#openSound();
        break;
      case 'answer':
        if (this.#isOffered()) this.#connect();
        break;
      case 'reject': {
        const { sipStatus } = command;
        const fits = sipStatus >= REFUSALS.first && sipStatus <= REFUSALS.last;
        if (this.#isOffered() && fits) this.#end(causeOfSip(sipStatus), 'near', sipStatus);
        break;
      }
      case 'hangup': {
        const cause = causeOf(command.cause);
        this.#end(cause, 'near', this.#isOffered() ? sipStatusOf(cause) : undefined);
        break;
      }
      case 'play':
        this.#player.play(command, this.#carriesSound);
        break;
      case 'stop_play':
        this.#player.stop(command.playId);
        break;
      case 'record':
        this.#recorder.record(command, this.#carriesSound);
        break;
      case 'stop_record':
        this.#recorder.end('stopped', command.recordId);
        break;
      case 'send_digits':
        this.#sender.send(command, this.#carriesSound);
        break;
    }
  }

  /** Begins an outbound leg as `plan` says. */
  dial(plan: CalleePlan, ringTimeoutMs: number): void {
    const refuse = (afterMs: number | undefined, sipStatus: number): void =>
      this.#intend(afterMs ?? 0, () => this.#end(causeOfSip(sipStatus), 'far', sipStatus));
    const ring = (afterMs = 0): void => this.#intend(afterMs, () => this.#ring());
    this.#intend(ringTimeoutMs, () => {
      if (this.state === 'ringing') this.#end(NO_ANSWER, 'near');
    });
    switch (plan.does) {
      case 'busy':
        refuse(plan.afterMs, 486);
        break;
      case 'declined':
        refuse(plan.afterMs, 603);
        break;
      case 'fail':
        refuse(plan.afterMs, plan.sipStatus);
        break;
      case 'unreachable':
        this.#intend(plan.afterMs ?? 0, () => this.#end(NO_ROUTE, 'network'));
        break;
      case 'no_answer':
        ring(plan.ringsAfterMs);
        break;
      case 'answer':
        if ((plan.ringsAfterMs ?? 0) <= (plan.afterMs ?? 0)) ring(plan.ringsAfterMs);
        this.#intend(plan.afterMs ?? 0, () => {
          this.answer();
          if (plan.talkMs !== undefined) this.#intend(plan.talkMs, () => this.hangUp());
        });
        break;
    }
  }

  /** Ends the leg and tells at once all that is still to be told. */
  stop(): void {
    this.#end(TEMPORARY_FAILURE, 'near');
    for (const { event, timer } of this.#events.splice(0)) {
      timer.cancel();
      this.#options.emit(event);
    }
  }

  // The party

  observe(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  press(digits: string, timing: PressTiming = {}): void {
    const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...timing };
    const nowMs = this.clock.now();
    let atMs = Math.max(nowMs, this.#keysFreeAtMs);
    for (const digit of digits) {
      this.#intend(atMs - nowMs, () => this.#keyDown(digit, toneMs));
      atMs += toneMs + gapMs;
    }
    this.#keysFreeAtMs = atMs;
  }

  speak(durationMs: number): void {
    if (this.state !== 'ended' && durationMs > 0) this.#recorder.speak(durationMs);
  }

  answer(): void {
    if (this.state === 'ringing' && this.#options.direction === 'outbound') this.#connect();
  }

  hangUp(causeCode = NORMAL_CLEARING.code): void {
    this.#end(causeOf(causeCode), 'far');
  }

  lose(causeCode = TEMPORARY_FAILURE.code): void {
    this.#end(causeOf(causeCode), 'network');
  }

  #keyDown(digit: string, toneMs: number): void {
    if (!this.#carriesSound) return;
    this.emit({ type: 'digit', digit, durationMs: toneMs });
    this.#recorder.digit(digit);
  }

  // The line

  /** Inbound and not answered yet. */
  #isOffered(): boolean {
    return this.state === 'ringing' && this.#options.direction === 'inbound';
  }

  #ring(): void {
    this.notice({ type: 'ringing' });
    this.emit({ type: 'ringing' });
  }

  #connect(): void {
    this.state = 'connected';
    this.emit({ type: 'answered' });
    this.notice({ type: 'answered' });
    this.#openSound();
  }

  #openSound(): void {
    if (this.#carriesSound) return;
    this.#carriesSound = true;
    this.#player.open();
    this.#recorder.open();
    this.#sender.open();
  }

  #end(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    if (this.state === 'ended') return;
    this.#player.stop();
    this.#recorder.end('hangup');
    this.#sender.close();
    this.emit({ type: 'ended', cause, by, ...(sipStatus === undefined ? {} : { sipStatus }) });
    this.state = 'ended';
    this.#carriesSound = false;
    for (const timer of this.#intentions) timer.cancel();
    this.#intentions.clear();
    this.notice({ type: 'ended', cause, by });
  }

  #intend(delayMs: number, act: () => void): void {
    if (this.state === 'ended') return;
    const timer = this.clock.after(delayMs, () => {
      this.#intentions.delete(timer);
      act();
    });
    this.#intentions.add(timer);
  }

  emit(event: LegEvent): void {
    const timer = this.clock.after(0, () => {
      this.#events.shift();
      this.#options.emit(event);
    });
    this.#events.push({ event, timer });
  }

  notice(notice: Notice): void {
    for (const listener of [...this.#listeners]) listener(notice);
  }
}
