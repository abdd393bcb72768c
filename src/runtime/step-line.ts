/** A line as a step sees it: what is asked of it belongs to the visit that asks. */
import type { AudioItem, LegCommand } from '../core/leg.ts';
import type { StepLeg, StepLine, StepParty } from '../steps/step.ts';
import type { Direction } from './journal.ts';
import { MASK } from './journal.ts';
import type { Line } from './lines.ts';
import type { CallDoor, Visit } from './visit.ts';

type PlayCommand = Extract<LegCommand, { type: 'play' }>;

/** SIP: from here on a status is final (RFC 3261 §7.2). */
const FIRST_FINAL_STATUS = 200;

class VisitLine implements StepLine {
  protected readonly line: Line;
  protected readonly visit: Visit;
  protected readonly door: CallDoor;

  constructor(line: Line, visit: Visit, door: CallDoor) {
    this.line = line;
    this.visit = visit;
    this.door = door;
  }

  get id(): string {
    return this.line.legId;
  }

  get state(): Line['state'] {
    return this.line.state;
  }

  hangup(cause: number): void {
    this.send({ type: 'hangup', cause });
  }

  play(audio: AudioItem[], options?: { repeat?: boolean }): string {
    const playId = this.#owe('play', (id) => ({ type: 'stop_play', playId: id }));
    const repeated = options?.repeat ? { repeat: true } : {};
    const { saysResult } = this.visit;
    const heard = saysResult ? audio.map(inPrivate) : audio;
    const command: PlayCommand = { type: 'play', playId, audio: heard, ...repeated };
    this.send(command, saysResult ? withoutWords(command) : command);
    return playId;
  }

  stopPlay(playId: string): void {
    if (this.visit.settle(playId)) this.send({ type: 'stop_play', playId });
  }

  sendDigits(digits: string, toneMs: number, gapMs: number): string {
    const sendId = this.#owe('send');
    const command: LegCommand = { type: 'send_digits', sendId, digits, toneMs, gapMs };
    this.send(command, this.visit.step.sensitive ? { ...command, digits: MASK } : command);
    return sendId;
  }

  listen(options: Parameters<StepLine['listen']>[0]): string {
    const listenId = this.#owe('listen', (id) => ({ type: 'stop_listen', listenId: id }));
    this.visit.listened = true;
    this.send({ type: 'listen', listenId, ...options });
    return listenId;
  }

  stopListen(listenId: string): void {
    this.send({ type: 'stop_listen', listenId });
  }

  detectMachine(options: { timeoutMs: number; awaitBeepMs: number }): string {
    const detectId = this.#owe('detect', (id) => ({ type: 'stop_detect', detectId: id }));
    this.send({ type: 'detect_machine', detectId, ...options });
    return detectId;
  }

  stopDetect(detectId: string): void {
    this.send({ type: 'stop_detect', detectId });
  }

  join(mixId: string, options?: { muted?: boolean }): void {
    this.visit.joined.add(this.line);
    this.send({ type: 'join', mixId, ...(options?.muted ? { muted: true } : {}) });
  }

  leave(): void {
    if (this.visit.joined.delete(this.line)) this.send({ type: 'leave' });
  }

  mute(muted: boolean): void {
    this.send({ type: 'mute', muted });
  }

  hold(music: AudioItem[]): void {
    this.send({ type: 'hold', music });
  }

  resume(): void {
    if (this.line.held) this.send({ type: 'resume' });
  }

  refer(to: string, replacesLegId?: string): string {
    const referId = this.#owe('refer');
    this.send({ type: 'refer', referId, to, ...(replacesLegId === undefined ? {} : { replacesLegId }) });
    return referId;
  }

  referProgress(referId: string, sipStatus: number): void {
    if (sipStatus >= FIRST_FINAL_STATUS) this.visit.referrals.delete(referId);
    this.send({ type: 'refer_progress', referId, sipStatus });
  }

  protected send(command: LegCommand, shown = command): void {
    if (this.visit.mayUse(this.line)) this.door.lines.send(this.line, command, this.visit.number, shown);
  }

  /** The id of what begins now, and whose answer the visit is owed. */
  #owe(kind: string, stop?: (id: string) => LegCommand): string {
    const id = this.door.nextId(kind);
    this.visit.owe(id, { line: this.line, ...(stop ? { stop: stop(id) } : {}) });
    return id;
  }
}

export class VisitParty extends VisitLine implements StepParty {
  readonly to: string;

  constructor(line: Line, visit: Visit, door: CallDoor) {
    super(line, visit, door);
    this.to = line.to ?? '';
  }
}

export class VisitLeg extends VisitLine implements StepLeg {
  constructor(visit: Visit, door: CallDoor) {
    super(door.lines.main, visit, door);
  }

  get direction(): Direction {
    return this.door.direction;
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
    const { door, line, visit } = this;
    const recordId = door.nextId('recording');
    const opened = door.recordings.open(recordId);
    if ('fault' in opened) throw Object.assign(new Error(opened.fault.message), opened);
    visit.owe(recordId, { line, stop: { type: 'stop_record', recordId } });
    this.send({ type: 'record', recordId, file: opened.file, ...options });
    return recordId;
  }

  stopRecord(recordId: string): void {
    this.send({ type: 'stop_record', recordId });
  }

  takeTypedAhead(): string {
    return this.door.typedAhead.take();
  }

  putBack(digits: string): void {
    this.door.typedAhead.putBack(digits);
  }

  ignoreNext(digit: string, withinMs: number): void {
    this.door.typedAhead.ignoreNext(digit, this.door.nowMs + withinMs);
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
