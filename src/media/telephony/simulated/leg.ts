/**
 * Simulated leg: commands from the service on one side, a scripted party on the other, both driven by the clock.
 *
 * Invariants, in addition to those of the engine port
 *  - commands take effect at once; only their events pass through the clock (+0), so that they are in order and never
 *    emitted from inside a call;
 *  - one play, and one recording and listen of each kind, run at a time: a new one stops the previous one; digits to
 *    send are queued;
 *  - requests made before the leg carries audio wait until it does.
 */
import {
  type Cause,
  causeOf,
  causeOfSip,
  NO_ANSWER,
  NORMAL_CLEARING,
  sipStatusOf,
  TEMPORARY_FAILURE,
} from '../../../base/core/causes.ts';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegCommand, LegEvent } from '../../../base/core/leg.ts';
import { asReceived, readSipHeaders, type SipHeaders, someHeaders } from '../../../base/core/sip-headers.ts';
import type { AudioSource } from '../audio.ts';
import { type CalleeActions, playGreeting, runCalleePlan } from './callee.ts';
import type {
  CalleePlan,
  FarEnd,
  HeardAudio,
  Notice,
  PressTiming,
  ReferPlan,
  SayManner,
  SeenHeaders,
  SimulatedAgentAct,
  SinkPlan,
  StreamSink,
  Talk,
} from './far-end.ts';
import { DEFAULT_PRESS, mannerOf } from './far-end.ts';
import { LegChannel, type Utterance } from './leg-channel.ts';
import { SimulatedMedia } from './leg-media.ts';
import type { MixMember, SimulatedMixes } from './mixes.ts';
import { SimulatedReferrals } from './referrals.ts';

export interface SimulatedLegOptions {
  legId: string;
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  clock: Clock;
  audio: Pick<AudioSource, 'durationMs'>;
  mixes: SimulatedMixes<SimulatedLeg>;
  /** Returns the plan of a stream receiver. */
  sink(url: string): SinkPlan;
  /** Returns the script of an AI agent. */
  agent(step: string): readonly SimulatedAgentAct[] | undefined;
  /** Receives the events of the leg, in order, never from inside a call. */
  emit(event: LegEvent): void;
}

/** Final responses that refuse a call (RFC 3261 §7.2). */
const REFUSALS = { first: 300, last: 699 };

export class SimulatedLeg implements FarEnd, CalleeActions, MixMember<SimulatedLeg> {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  state: 'ringing' | 'connected' | 'ended' = 'ringing';
  holdsUs = false;
  readonly headers: SeenHeaders[] = [];
  readonly #options: SimulatedLegOptions;
  readonly #channel: LegChannel;
  readonly #media: SimulatedMedia<SimulatedLeg>;
  /** Created on first use, because few calls need it. */
  #madeReferrals: SimulatedReferrals | undefined;
  /** Scheduled actions of the party and its plan. */
  #scheduled: Timer[] = [];
  #plan: CalleePlan | undefined;
  #hasRung = false;
  #hasEarlyMedia = false;
  #keysFreeAtMs = 0;
  #referCount = 0;

  constructor(options: SimulatedLegOptions) {
    this.#options = options;
    const { legId, from, to, sink, agent } = options;
    this.legId = legId;
    this.from = from;
    this.to = to;
    this.#channel = new LegChannel(options.clock, options.audio, (event) => options.emit(event));
    this.#media = new SimulatedMedia<SimulatedLeg>(this.#channel, {
      sink,
      agent,
      hasEnded: () => this.state === 'ended',
      holdsUs: () => this.holdsUs,
    });
  }

  get heard(): readonly HeardAudio[] {
    return this.#channel.heard;
  }

  get hears(): boolean {
    return this.#media.player.isPlaying;
  }

  get isHeld(): boolean {
    return this.#media.partyAudio.isHeld;
  }

  get company(): readonly SimulatedLeg[] {
    return this.#media.partyAudio.company;
  }

  get talks(): readonly Talk[] {
    return this.#media.partyAudio.talks;
  }

  get isRecorded(): boolean {
    return this.#media.recorder.isRecording;
  }

  get listening(): FarEnd['listening'] {
    return this.#media.recognizer.state;
  }

  get received(): string {
    return this.#media.digits.received;
  }

  get streams(): readonly StreamSink[] {
    return this.#media.streamer.streams;
  }

  // Commands

  send(command: LegCommand) {
    if (this.state === 'ended') return;
    switch (command.type) {
      case 'ring':
        if (this.#isOffered()) this.#channel.notice({ type: 'ringing' });
        break;
      case 'progress':
        if (this.#isOffered()) this.#openAudio();
        break;
      case 'answer':
        if (!this.#isOffered()) break;
        this.receiveHeaders('answer', command.headers);
        this.#connect();
        break;
      case 'reject': {
        const { sipStatus } = command;
        const fits = sipStatus >= REFUSALS.first && sipStatus <= REFUSALS.last;
        if (!this.#isOffered() || !fits) break;
        this.receiveHeaders('hangup', command.headers);
        this.#end(causeOfSip(sipStatus), 'near', sipStatus);
        break;
      }
      case 'hangup': {
        const cause = causeOf(command.cause);
        this.receiveHeaders('hangup', command.headers);
        return this.#end(cause, 'near', this.#isOffered() ? sipStatusOf(cause) : undefined);
      }
      case 'join':
        return this.#options.mixes.join(this, command.mixId, command.muted ?? false);
      case 'leave':
        return this.#options.mixes.leave(this);
      case 'mute':
        return this.#options.mixes.mute(this, command.muted);
      case 'refer':
        if (this.state === 'connected') this.receiveHeaders('refer', command.headers);
        return this.#referrals.sendRefer(command, this.state === 'connected');
      case 'refer_progress':
        return this.#referrals.progress(command.referId, command.sipStatus);
      case 'dial':
        break;
      default:
        this.#media.send(command);
        if (command.type === 'hold' || command.type === 'resume') this.#changed();
    }
  }

  /** Records the headers that may be sent, as on a real network. */
  receiveHeaders(within: SeenHeaders['in'], given: SipHeaders | undefined): void {
    const headers = someHeaders(readSipHeaders(given).headers);
    if (headers) this.headers.push({ in: within, headers: asReceived(headers) });
  }

  /** Starts an outbound leg with `plan`. */
  dial(plan: CalleePlan, ringTimeoutMs: number): void {
    this.#plan = plan;
    this.schedule(ringTimeoutMs, () => {
      if (this.state === 'ringing') this.#end(NO_ANSWER, 'near');
    });
    runCalleePlan(plan, this);
  }

  /** Ends the leg and emits all pending events. */
  stop(): void {
    this.#end(TEMPORARY_FAILURE, 'near');
    this.#channel.flush();
  }

  // Actions of the party

  observe(listener: (notice: Notice) => void): () => void {
    return this.#channel.observe(listener);
  }

  press(digits: string, timing: PressTiming = {}): void {
    const { toneMs, gapMs } = { ...DEFAULT_PRESS, ...timing };
    const nowMs = this.#channel.clock.monotonicMs();
    let atMs = Math.max(nowMs, this.#keysFreeAtMs);
    for (const digit of digits) {
      this.schedule(atMs - nowMs, () => this.#keyDown(digit, toneMs));
      atMs += toneMs + gapMs;
    }
    this.#keysFreeAtMs = atMs;
  }

  speak(durationMs: number): void {
    if (durationMs > 0) this.#utter({ durationMs, confidence: 0 });
  }

  say(text: string, manner: SayManner = {}): void {
    this.#utter({ text, ...mannerOf(text, manner) });
  }

  answer(): void {
    if (this.state !== 'ringing' || this.#options.direction !== 'outbound') return;
    this.#connect();
    playGreeting((this.#plan?.does === 'answer' ? this.#plan.who : undefined) ?? { is: 'human' }, this);
  }

  hold(held: boolean): void {
    if (this.state !== 'connected' || this.holdsUs === held) return;
    this.holdsUs = held;
    this.#channel.emit({ type: 'far_hold', held });
    this.#changed();
  }

  refer(to: string, options: { replaces?: FarEnd; stays?: boolean } = {}): void {
    if (this.state !== 'connected') return;
    const { replaces, stays = false } = options;
    const refer = { to, ...(replaces ? { replacesLegId: replaces.legId } : {}), referredBy: this.#number };
    this.#referrals.receiveRefer(`${this.legId}-refer-${++this.#referCount}`, refer, stays);
  }

  onRefer(plan: ReferPlan): void {
    this.#referrals.plan = plan;
  }

  hangUp(causeCode = NORMAL_CLEARING.code, headers?: SipHeaders): void {
    this.#end(causeOf(causeCode), 'far', undefined, headers);
  }

  lose(causeCode = TEMPORARY_FAILURE.code): void {
    this.#end(causeOf(causeCode), 'network');
  }

  get #referrals(): SimulatedReferrals {
    this.#madeReferrals ??= new SimulatedReferrals(this.#channel, () => this.hangUp());
    return this.#madeReferrals;
  }

  /** The party's own number. */
  get #number(): string {
    return this.#options.direction === 'inbound' ? this.from : this.to;
  }

  #keyDown(digit: string, toneMs: number): void {
    if (!this.#channel.hasAudio) return;
    this.#channel.emit({ type: 'digit', digit, durationMs: toneMs });
    this.#media.recorder.digit(digit);
  }

  #utter({ durationMs, ...words }: { durationMs: number; text?: string; confidence: number }): void {
    if (this.state === 'ended') return;
    const fromMs = this.#channel.clock.monotonicMs();
    const utterance = { fromMs, toMs: fromMs + durationMs, ...words };
    this.#media.speak(utterance);
    for (const other of this.#options.mixes.others(this)) {
      if (other.company.includes(this)) other.receivePartySpeech(this, utterance);
    }
  }

  /** Another party of the mix speaks. */
  receivePartySpeech(of: SimulatedLeg, utterance: Utterance): void {
    const { text, fromMs, toMs } = utterance;
    this.#channel.notice({ type: 'speech', of, durationMs: toMs - fromMs, ...(text === undefined ? {} : { text }) });
    this.#media.recognizer.receiveSpeech('outbound', utterance);
  }

  // Actions of the plan

  ring(): void {
    if (this.#hasRung) return;
    this.#hasRung = true;
    this.#channel.notice({ type: 'ringing' });
    this.#channel.emit({ type: 'ringing' });
  }

  becomeAudible(): void {
    if (this.state !== 'ringing' || this.#hasEarlyMedia) return;
    this.ring();
    this.#hasEarlyMedia = true;
    this.#channel.emit({ type: 'early_media' });
    this.#changed();
  }

  refuse(cause: Cause, by: 'far' | 'network', sipStatus?: number, headers?: SipHeaders): void {
    this.#end(cause, by, sipStatus, headers);
  }

  hello(durationMs: number): void {
    this.#media.detector.receiveSpeech(durationMs);
  }

  beep(): void {
    this.#media.detector.beep();
  }

  fax(): void {
    this.#media.detector.fax();
  }

  // State

  /** Inbound and not answered yet. */
  #isOffered(): boolean {
    return this.state === 'ringing' && this.#options.direction === 'inbound';
  }

  #connect(): void {
    this.state = 'connected';
    const headers = this.#plan?.headers && asReceived(this.#plan.headers);
    this.#channel.emit(defined({ type: 'answered', headers }));
    this.#channel.notice({ type: 'answered' });
    this.#openAudio();
  }

  #openAudio(): void {
    if (this.#channel.hasAudio) return;
    this.#media.open();
    this.#changed();
  }

  get isAudible(): boolean {
    const carries = this.#channel.hasAudio || this.#hasEarlyMedia;
    return carries && this.state !== 'ended' && !this.isHeld && !this.holdsUs;
  }

  setAudiblePeers(others: readonly SimulatedLeg[]): void {
    this.#media.partyAudio.setMixPeers(others);
  }

  /** Updates the audio that the party hears, and those who may hear it. */
  #changed(): void {
    this.#media.partyAudio.update();
    this.#options.mixes.update(this);
  }

  #end(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number, said?: SipHeaders): void {
    if (this.state === 'ended') return;
    this.#options.mixes.leave(this);
    this.#media.close();
    this.#madeReferrals?.close();
    const headers = said && asReceived(said);
    this.#channel.emit(defined({ type: 'ended', cause, by, sipStatus, quality: this.#media.quality, headers }));
    this.state = 'ended';
    this.#media.partyAudio.update();
    for (const timer of this.#scheduled) timer.cancel();
    this.#scheduled = [];
    this.#channel.notice({ type: 'ended', cause, by });
  }

  schedule(delayMs: number, act: () => void): void {
    if (this.state === 'ended') return;
    this.#scheduled.push(this.#channel.clock.after(delayMs, act));
  }
}
