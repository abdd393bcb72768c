/**
 * A simulated leg: commands from our side, a scripted party on the other, both driven by the clock.
 *
 * Invariants, beyond those of the engine port
 *  L1 commands take effect at once; only their events go through the clock (+0), so that they come in order and never
 *     from inside a call;
 *  L2 one play, and one recording and listen of each kind, run at a time: a new one stops the one before; digits to
 *     send are queued;
 *  L3 requests made before the leg carries audio wait until it does.
 */
import type { Cause } from '../../core/causes.ts';
import { causeOf, causeOfSip, NO_ANSWER, NORMAL_CLEARING, sipStatusOf, TEMPORARY_FAILURE } from '../../core/causes.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import type { AudioItem, LegCommand, LegEvent, LegQuality } from '../../core/leg.ts';
import type { AudioSource } from '../audio.ts';
import { type CalleeActions, playGreeting, runCalleePlan } from './callee.ts';
import { SimulatedDetector } from './detector.ts';
import { DigitSender } from './digit-sender.ts';
import type {
  CalleePlan,
  FarEnd,
  HeardAudio,
  Notice,
  PressTiming,
  ReferPlan,
  SayManner,
  SinkPlan,
  StreamSink,
  Talk,
} from './far-end.ts';
import { DEFAULT_PRESS, mannerOf } from './far-end.ts';
import type { Utterance } from './leg-channel.ts';
import type { MixMember, SimulatedMixes } from './mixes.ts';
import { PartyAudio } from './party-audio.ts';
import { SimulatedPlayer } from './player.ts';
import { SimulatedRecorder } from './recorder.ts';
import { SimulatedReferrals } from './referrals.ts';
import { SimulatedRecognizer } from './simulated-recognizer.ts';
import { SimulatedStreamer } from './streamer.ts';
import { TimedChannel } from './timed-channel.ts';

export interface SimulatedLegOptions {
  legId: string;
  direction: 'inbound' | 'outbound';
  from: string;
  to: string;
  clock: Clock;
  audio: Pick<AudioSource, 'durationMs'>;
  mixes: SimulatedMixes<SimulatedLeg>;
  /** What the receiver of a stream does. */
  sink(url: string): SinkPlan;
  /** Receives the events of the leg, in order, never from inside a call. */
  emit(event: LegEvent): void;
}

/** Final responses that refuse a call (RFC 3261 §7.2). */
const REFUSALS = { first: 300, last: 699 };
const PACKET_MS = 20;
/** The best score of G.711 (ITU-T G.107). */
const PERFECT_MOS = 4.4;

export class SimulatedLeg implements FarEnd, CalleeActions, MixMember<SimulatedLeg> {
  readonly legId: string;
  readonly from: string;
  readonly to: string;
  readonly heard: HeardAudio[] = [];
  state: 'ringing' | 'connected' | 'ended' = 'ringing';
  holdsUs = false;
  readonly #options: SimulatedLegOptions;
  readonly #channel: TimedChannel;
  readonly #player: SimulatedPlayer;
  readonly #hearing: PartyAudio<SimulatedLeg>;
  readonly #recorder: SimulatedRecorder;
  readonly #sender: DigitSender;
  readonly #listener: SimulatedRecognizer;
  readonly #detector: SimulatedDetector;
  readonly #streamer: SimulatedStreamer;
  /** Created on first use: few calls need it. */
  #madeReferrals: SimulatedReferrals | undefined;
  /** Scheduled actions of the party and its plan. */
  #intentions: Timer[] = [];
  #plan: CalleePlan | undefined;
  #soundSinceMs: number | undefined;
  #hasRung = false;
  #isHeardEarly = false;
  #keysFreeAtMs = 0;
  #wishes = 0;

  constructor(options: SimulatedLegOptions) {
    this.#options = options;
    const { audio, clock, legId, from, to, sink } = options;
    this.legId = legId;
    this.from = from;
    this.to = to;
    const channel = new TimedChannel(clock, (event) => options.emit(event));
    this.#channel = channel;
    this.#recorder = new SimulatedRecorder(channel);
    this.#sender = new DigitSender(channel);
    this.#listener = new SimulatedRecognizer(channel);
    this.#detector = new SimulatedDetector(channel);
    this.#player = new SimulatedPlayer(channel, {
      audio,
      heard: this.heard,
      changed: () => this.#hearing.update(),
      itemStarted: (item, durationMs) => this.#speaksTo(item, durationMs),
    });
    this.#hearing = new PartyAudio<SimulatedLeg>(channel, {
      audio,
      heard: this.heard,
      hasAudio: () => this.#soundSinceMs !== undefined && this.state !== 'ended',
      isPromptPlaying: () => this.#player.isPlaying,
      holdsUs: () => this.holdsUs,
    });
    this.#streamer = new SimulatedStreamer(channel, {
      plan: sink,
      playToParty: (streamId, item) => this.#hearing.playStreamed(streamId, item),
    });
  }

  get hears(): boolean {
    return this.#player.isPlaying;
  }

  get isHeld(): boolean {
    return this.#hearing.isHeld;
  }

  get company(): readonly SimulatedLeg[] {
    return this.#hearing.company;
  }

  get talks(): readonly Talk[] {
    return this.#hearing.talks;
  }

  get isRecorded(): boolean {
    return this.#recorder.isRecording;
  }

  get listening(): FarEnd['listening'] {
    return this.#listener.state;
  }

  get received(): string {
    return this.#sender.received;
  }

  get streams(): readonly StreamSink[] {
    return this.#streamer.streams;
  }

  // Commands

  send(command: LegCommand): void {
    if (this.state === 'ended') return;
    switch (command.type) {
      case 'ring':
        if (this.#isOffered()) this.#channel.notice({ type: 'ringing' });
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
        this.#player.play(command);
        break;
      case 'stop_play':
        this.#player.stop(command.playId);
        break;
      case 'record':
        this.#recorder.record(command);
        break;
      case 'pause_record':
        this.#recorder.pause(command.recordId, command.paused);
        break;
      case 'stop_record':
        this.#recorder.end('stopped', command.recordId);
        break;
      case 'send_digits':
        this.#sender.send(command);
        break;
      case 'hold':
        this.#hearing.hold(true, command.music);
        this.#changed();
        break;
      case 'resume':
        this.#hearing.hold(false);
        this.#changed();
        break;
      case 'join':
        this.#options.mixes.join(this, command.mixId, command.muted ?? false);
        break;
      case 'leave':
        this.#options.mixes.leave(this);
        break;
      case 'mute':
        this.#options.mixes.mute(this, command.muted);
        break;
      case 'stream':
        this.#streamer.stream(command);
        break;
      case 'stop_stream':
        this.#streamer.stop(command.streamId);
        break;
      case 'listen':
        this.#listener.listen(command);
        break;
      case 'stop_listen':
        this.#listener.stop(command.listenId);
        break;
      case 'detect_machine':
        this.#detector.detect(command);
        break;
      case 'stop_detect':
        this.#detector.stop(command.detectId);
        break;
      case 'refer':
        this.#referrals.sendRefer(command, this.state === 'connected');
        break;
      case 'refer_progress':
        this.#referrals.progress(command.referId, command.sipStatus);
        break;
    }
  }

  /** Begins an outbound leg as `plan` says. */
  dial(plan: CalleePlan, ringTimeoutMs: number): void {
    this.#plan = plan;
    this.schedule(ringTimeoutMs, () => {
      if (this.state === 'ringing') this.#end(NO_ANSWER, 'near');
    });
    runCalleePlan(plan, this);
  }

  /** Ends the leg and emits everything that is pending. */
  stop(): void {
    this.#end(TEMPORARY_FAILURE, 'near');
    this.#channel.flush();
  }

  // The party's actions

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
    this.#referrals.receiveRefer(`${this.legId}-refer-${++this.#wishes}`, refer, stays);
  }

  onRefer(plan: ReferPlan): void {
    this.#referrals.plan = plan;
  }

  hangUp(causeCode = NORMAL_CLEARING.code): void {
    this.#end(causeOf(causeCode), 'far');
  }

  lose(causeCode = TEMPORARY_FAILURE.code): void {
    this.#end(causeOf(causeCode), 'network');
  }

  get #referrals(): SimulatedReferrals {
    this.#madeReferrals ??= new SimulatedReferrals(this.#channel, { hangUp: () => this.hangUp() });
    return this.#madeReferrals;
  }

  /** The party's own number. */
  get #number(): string {
    return this.#options.direction === 'inbound' ? this.from : this.to;
  }

  #keyDown(digit: string, toneMs: number): void {
    if (this.#soundSinceMs === undefined) return;
    this.#channel.emit({ type: 'digit', digit, durationMs: toneMs });
    this.#recorder.digit(digit);
  }

  #utter({ durationMs, ...words }: { durationMs: number; text?: string; confidence: number }): void {
    if (this.state === 'ended') return;
    const fromMs = this.#channel.clock.monotonicMs();
    const utterance = { fromMs, toMs: fromMs + durationMs, ...words };
    this.#recorder.speak(durationMs);
    this.#detector.receiveSpeech(durationMs);
    this.#listener.receiveSpeech('inbound', utterance);
    for (const other of this.#options.mixes.others(this)) {
      if (other.company.includes(this)) other.receivePartySpeech(this, utterance);
    }
  }

  /** Another party of the mix speaks. */
  receivePartySpeech(of: SimulatedLeg, utterance: Utterance): void {
    const { text, fromMs, toMs } = utterance;
    this.#channel.notice({ type: 'speech', of, durationMs: toMs - fromMs, ...(text === undefined ? {} : { text }) });
    this.#listener.receiveSpeech('outbound', utterance);
  }

  #speaksTo(item: AudioItem, durationMs: number): void {
    if (item.type !== 'speech') return;
    const fromMs = this.#channel.clock.monotonicMs();
    this.#listener.receiveSpeech('outbound', { fromMs, toMs: fromMs + durationMs, text: item.text, confidence: 1 });
  }

  // The plan's actions

  ring(): void {
    if (this.#hasRung) return;
    this.#hasRung = true;
    this.#channel.notice({ type: 'ringing' });
    this.#channel.emit({ type: 'ringing' });
  }

  becomeAudible(): void {
    if (this.state !== 'ringing' || this.#isHeardEarly) return;
    this.ring();
    this.#isHeardEarly = true;
    this.#channel.emit({ type: 'early_media' });
    this.#changed();
  }

  refuse(cause: Cause, by: 'far' | 'network', sipStatus?: number): void {
    this.#end(cause, by, sipStatus);
  }

  hello(durationMs: number): void {
    this.#detector.receiveSpeech(durationMs);
  }

  beep(): void {
    this.#detector.beep();
  }

  fax(): void {
    this.#detector.fax();
  }

  // State

  /** Inbound and not answered yet. */
  #isOffered(): boolean {
    return this.state === 'ringing' && this.#options.direction === 'inbound';
  }

  #connect(): void {
    this.state = 'connected';
    this.#channel.emit({ type: 'answered' });
    this.#channel.notice({ type: 'answered' });
    this.#openSound();
  }

  #openSound(): void {
    if (this.#soundSinceMs !== undefined) return;
    this.#soundSinceMs = this.#channel.clock.monotonicMs();
    this.#player.open();
    this.#recorder.open();
    this.#sender.open();
    this.#listener.open();
    this.#detector.open();
    this.#streamer.open();
    this.#changed();
  }

  get isAudible(): boolean {
    const carries = this.#soundSinceMs !== undefined || this.#isHeardEarly;
    return carries && this.state !== 'ended' && !this.isHeld && !this.holdsUs;
  }

  setAudiblePeers(others: readonly SimulatedLeg[]): void {
    this.#hearing.setMixPeers(others);
  }

  /** Updates what the party hears, and those who may hear it. */
  #changed(): void {
    this.#hearing.update();
    this.#options.mixes.update(this);
  }

  #end(cause: Cause, by: 'far' | 'near' | 'network', sipStatus?: number): void {
    if (this.state === 'ended') return;
    this.#options.mixes.leave(this);
    this.#hearing.end();
    this.#player.stop();
    this.#recorder.end('hangup');
    this.#sender.close();
    this.#listener.stop();
    this.#detector.stop();
    this.#streamer.hangUp();
    this.#madeReferrals?.close();
    const quality = this.#quality();
    this.#channel.emit({
      type: 'ended',
      cause,
      by,
      ...(sipStatus === undefined ? {} : { sipStatus }),
      ...(quality ? { quality } : {}),
    });
    this.state = 'ended';
    this.#hearing.update();
    for (const timer of this.#intentions) timer.cancel();
    this.#intentions = [];
    this.#channel.notice({ type: 'ended', cause, by });
  }

  #quality(): LegQuality | undefined {
    if (this.#soundSinceMs === undefined) return undefined;
    const packets = Math.floor((this.#channel.clock.monotonicMs() - this.#soundSinceMs) / PACKET_MS);
    const traffic = { packetsSent: packets, packetsReceived: packets, packetsLost: 0, jitterMs: 0 };
    return { codec: 'PCMU', ...traffic, mos: PERFECT_MOS };
  }

  schedule(delayMs: number, act: () => void): void {
    if (this.state === 'ended') return;
    this.#intentions.push(this.#channel.clock.after(delayMs, act));
  }
}
