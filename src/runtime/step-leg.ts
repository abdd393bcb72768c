/** A leg as a step sees it: what is started on it belongs to the step run. */
import type { AudioItem, LegCommand } from '../core/leg.ts';
import type { StepLeg, StepLegBase, StepParty } from '../steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { Direction } from './journal.ts';
import { MASK } from './journal.ts';
import type { LegState } from './legs.ts';
import type { StepRun } from './step-run.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

/** SIP: from here on a status is final (RFC 3261 §7.2). */
const FIRST_FINAL_STATUS = 200;

class StepRunLeg implements StepLegBase {
  protected readonly leg: LegState;
  protected readonly stepRun: StepRun;
  protected readonly call: CallContext;

  constructor(leg: LegState, stepRun: StepRun, call: CallContext) {
    this.leg = leg;
    this.stepRun = stepRun;
    this.call = call;
  }

  get id(): string {
    return this.leg.legId;
  }

  get state(): LegState['state'] {
    return this.leg.state;
  }

  hangup(cause: number): void {
    this.send({ type: 'hangup', cause });
  }

  play(audio: AudioItem[], options?: { repeat?: boolean }): string {
    const playId = this.#expect('play', (id) => ({ type: 'stop_play', playId: id }));
    const repeated = options?.repeat ? { repeat: true } : {};
    const { saysResult } = this.stepRun;
    const heard = saysResult ? audio.map(inPrivate) : audio;
    const command: PlayCommand = { type: 'play', playId, audio: heard, ...repeated };
    this.send(command, saysResult ? withoutWords(command) : command);
    return playId;
  }

  stopPlay(playId: string): void {
    if (this.stepRun.settle(playId)) this.send({ type: 'stop_play', playId });
  }

  sendDigits(digits: string, toneMs: number, gapMs: number): string {
    const sendId = this.#expect('send');
    const command: LegCommand = { type: 'send_digits', sendId, digits, toneMs, gapMs };
    this.send(command, this.stepRun.step.sensitive ? { ...command, digits: MASK } : command);
    return sendId;
  }

  listen(options: Parameters<StepLegBase['listen']>[0]): string {
    const listenId = this.#expect('listen', (id) => ({ type: 'stop_listen', listenId: id }));
    this.stepRun.hasListened = true;
    this.send({ type: 'listen', listenId, ...options });
    return listenId;
  }

  stopListen(listenId: string): void {
    this.send({ type: 'stop_listen', listenId });
  }

  detectMachine(options: { timeoutMs: number; awaitBeepMs: number }): string {
    const detectId = this.#expect('detect', (id) => ({ type: 'stop_detect', detectId: id }));
    this.send({ type: 'detect_machine', detectId, ...options });
    return detectId;
  }

  stopDetect(detectId: string): void {
    this.send({ type: 'stop_detect', detectId });
  }

  join(mixId: string, options?: { muted?: boolean }): void {
    this.stepRun.joined.add(this.id);
    this.send({ type: 'join', mixId, ...(options?.muted ? { muted: true } : {}) });
  }

  leave(): void {
    if (this.stepRun.joined.delete(this.id)) this.send({ type: 'leave' });
  }

  mute(muted: boolean): void {
    this.send({ type: 'mute', muted });
  }

  hold(music: AudioItem[]): void {
    this.send({ type: 'hold', music });
  }

  resume(): void {
    if (this.leg.isHeld) this.send({ type: 'resume' });
  }

  refer(to: string, replacesLegId?: string): string {
    const referId = this.#expect('refer');
    this.send({ type: 'refer', referId, to, ...(replacesLegId === undefined ? {} : { replacesLegId }) });
    return referId;
  }

  referProgress(referId: string, sipStatus: number): void {
    if (sipStatus >= FIRST_FINAL_STATUS) this.stepRun.referrals.delete(referId);
    this.send({ type: 'refer_progress', referId, sipStatus });
  }

  protected send(command: LegCommand, shown = command): void {
    if (this.stepRun.mayUse(this.leg)) this.call.legs.send(this.leg, command, this.stepRun.number, shown);
  }

  /** A new id, under which the step run expects an answer. */
  #expect(kind: string, stop?: (id: string) => LegCommand): string {
    const id = this.call.transaction.nextId(kind);
    this.stepRun.expect(id, { legId: this.id, ...(stop ? { stop: stop(id) } : {}) });
    return id;
  }
}

export class StepRunParty extends StepRunLeg implements StepParty {
  readonly to: string;

  constructor(leg: LegState, stepRun: StepRun, call: CallContext) {
    super(leg, stepRun, call);
    this.to = leg.to ?? '';
  }
}

export class StepRunMainLeg extends StepRunLeg implements StepLeg {
  constructor(stepRun: StepRun, call: CallContext) {
    super(call.legs.main, stepRun, call);
  }

  get direction(): Direction {
    return this.call.record.direction;
  }

  ring(): void {
    this.send({ type: 'ring' });
  }

  progress(): void {
    this.send({ type: 'progress' });
  }

  answer(): void {
    this.send({ type: 'answer' });
  }

  reject(sipStatus: number): void {
    this.send({ type: 'reject', sipStatus });
  }

  record(options: { maxLengthMs: number; endSilenceMs: number; terminators: string }): string {
    const { call, stepRun } = this;
    const recordId = call.transaction.nextId('recording');
    const opened = call.recordings.open(recordId);
    if ('fault' in opened) throw Object.assign(new Error(opened.fault.message), opened);
    stepRun.expect(recordId, { legId: this.id, stop: { type: 'stop_record', recordId } });
    this.send({ type: 'record', recordId, file: opened.file, ...options });
    return recordId;
  }

  stopRecord(recordId: string): void {
    this.send({ type: 'stop_record', recordId });
  }

  takeTypedAhead(): string {
    return this.call.typedAhead.take();
  }

  putBack(digits: string): void {
    this.call.typedAhead.putBack(digits);
  }

  ignoreNext(digit: string, withinMs: number): void {
    this.call.typedAhead.ignoreNext(digit, this.call.clock.nowMs + withinMs);
  }
}

/** Sound that tells what is sensitive is kept nowhere. */
const inPrivate = (item: AudioItem): AudioItem =>
  item.type === 'speech' || item.type === 'ssml' ? { ...item, private: true } : item;

function withoutWords(command: PlayCommand): PlayCommand {
  const audio = command.audio.map((item): AudioItem => {
    if (item.type === 'speech') return { ...item, text: MASK };
    return item.type === 'ssml' ? { ...item, ssml: MASK } : item;
  });
  return { ...command, audio };
}
