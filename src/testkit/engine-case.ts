/**
 * The stand of the engine contract: a harness plays the network, `Watch` is the host that writes down what it is told
 * and finds broken invariants, `Case` and `Line` drive one call. Used by `engine-contract.ts`.
 */
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { expect } from 'vitest';
import type { AudioItem, LegCommand, LegEvent } from '../core/leg.ts';
import type { Engine, EngineCapabilities, EngineHost, IncomingLeg } from '../telephony/engine.ts';
import type { CalleePlan, ReferPlan, SinkPlan } from '../telephony/simulated/far-end.ts';

/** What only some harnesses can bring about: those that can name it in `can`. */
export type ContractAbility =
  /** `ContractParty.say` */
  | 'say'
  /** `ContractParty.heardMs` */
  | 'hear'
  /** `ContractParty.hold` */
  | 'far_hold'
  /** `ContractParty.refer` and `referStatus` */
  | 'far_refer'
  /** `ContractParty.onRefer` */
  | 'on_refer'
  /** `EngineHarness.sink` */
  | 'sink'
  /** Plans that say who answers. */
  | 'answerer'
  /** Plans in which the callee is heard before it answers. */
  | 'callee_early_media';

const CAPABILITIES = {
  early_media: 'earlyMedia',
  send_digits: 'sendDigits',
  record: 'record',
  mix: 'mix',
  stream: 'stream',
  listen: 'listen',
  detect_machine: 'detectMachine',
  refer: 'refer',
} as const satisfies Record<string, keyof EngineCapabilities>;

/** What a case needs: of the engine, or of the harness. */
export type ContractFeature =
  | keyof typeof CAPABILITIES
  | ContractAbility
  | 'press'
  | 'speak'
  | 'missing_audio'
  | `dial_${CalleePlan['does']}`
  | 'random';

const ABILITIES: ReadonlySet<ContractFeature> = new Set<ContractAbility>([
  'say',
  'hear',
  'far_hold',
  'far_refer',
  'on_refer',
  'sink',
  'answerer',
  'callee_early_media',
]);

/** One thing that every engine does. */
export interface ContractCase {
  name: string;
  needs: readonly ContractFeature[];
  prove(contract: Case): Promise<void>;
}

export interface ContractTopic {
  topic: string;
  cases: readonly ContractCase[];
}

export const proves = (
  name: string,
  needs: readonly ContractFeature[],
  prove: ContractCase['prove'],
): ContractCase => ({ name, needs, prove });

/** Why a case cannot be played over this harness. */
export function obstacle(
  { engine, cannot, can }: EngineHarness,
  needs: readonly ContractFeature[],
): string | undefined {
  for (const feature of needs) {
    const reason = cannot?.[feature];
    if (reason !== undefined) return reason;
    const capability = (CAPABILITIES as Partial<Record<ContractFeature, keyof EngineCapabilities>>)[feature];
    if (capability !== undefined && !engine.capabilities[capability]) return `the engine has no ${capability}`;
    if (ABILITIES.has(feature) && !can?.includes(feature as ContractAbility))
      return `nothing here brings about ${feature}`;
  }
  return undefined;
}

/** The network's side of one call. */
export interface ContractParty {
  press(digits: string): void;
  speak(durationMs: number): void;
  hangUp(): void;
  /** Digits that arrived so far. */
  readonly received: string;
  /** Says these words: a recogniser understands them that has them as a hint. Takes at least 300 ms. */
  say?(text: string): void;
  /** Milliseconds of sound that arrived so far; silence is none. */
  readonly heardMs?: number;
  /** Puts us on hold, or takes us back. */
  hold?(held: boolean): void;
  /** Asks us to call somebody else (REFER); it stays on the line. */
  refer?(to: string): void;
  /** What it was told of that, final statuses only. */
  readonly referStatus?: readonly number[];
  /** What it does when we ask that of it. */
  onRefer?(plan: ReferPlan): void;
}

/** A receiver of streams. */
export interface ContractSink {
  url: string;
  /** Frames that arrived. */
  readonly frames: number;
}

export interface EngineHarness {
  engine: Engine;
  /** Lets this much of the engine's time pass. */
  elapse(ms: number): Promise<void>;
  /** A party calls in; it is told to the host that the suite started the engine with. */
  callIn(): Promise<ContractParty>;
  /** Makes a party ready to be dialled: its number, and itself once it was dialled. */
  callee(plan: CalleePlan): Promise<{ to: string; party(): ContractParty }>;
  /** Why something cannot be done here; its cases are skipped with this reason. */
  cannot?: Partial<Record<ContractFeature, string>>;
  /** What can be done beyond what every harness does. */
  can?: readonly ContractAbility[];
  /** A web socket of its own, which does as `plan` says. */
  sink?(plan: SinkPlan): Promise<ContractSink>;
  /** A file of which no sound can be made. */
  missingFile?: string;
  /** How far measured durations may be off. */
  toleranceMs: number;
  /** Frees what the harness itself holds; the suite stops the engine. */
  close(): Promise<void>;
}

export const SOUND: AudioItem[] = [{ type: 'tone', frequencyHz: 440, durationMs: 300 }];
export const LONG_SOUND: AudioItem[] = [{ type: 'silence', durationMs: 60_000 }];
const PATIENCE_MS = 5_000;
const STEP_MS = 10;

export const play = (playId: string, audio: AudioItem[] = SOUND, repeat = false): LegCommand => ({
  type: 'play',
  playId,
  audio,
  ...(repeat ? { repeat } : {}),
});
export const record = (
  recordId: string,
  wishes: Partial<Extract<LegCommand, { type: 'record' }>> = {},
): LegCommand => ({
  type: 'record',
  recordId,
  file: joinPath(tmpdir(), `callweave-contract-${recordId}.wav`),
  maxLengthMs: 30_000,
  endSilenceMs: 0,
  terminators: '',
  ...wishes,
});
export const sendDigits = (sendId: string, digits = '12'): LegCommand => ({
  type: 'send_digits',
  sendId,
  digits,
  toneMs: 60,
  gapMs: 60,
});
export const listen = (
  listenId: string,
  wishes: Partial<Extract<LegCommand, { type: 'listen' }>> = {},
): LegCommand => ({
  type: 'listen',
  listenId,
  language: 'en-US',
  hints: ['billing', 'agent'],
  minConfidence: 0.3,
  endSilenceMs: 300,
  maxLengthMs: 30_000,
  ...wishes,
});
export const detect = (detectId: string, timeoutMs = 5_000, awaitBeepMs = 0): LegCommand => ({
  type: 'detect_machine',
  detectId,
  timeoutMs,
  awaitBeepMs,
});
/** Nobody listens at the default address. */
export const stream = (
  streamId: string,
  url = 'ws://127.0.0.1:9/',
  wishes: Partial<Extract<LegCommand, { type: 'stream' }>> = {},
): LegCommand => ({
  type: 'stream',
  streamId,
  url,
  tracks: ['inbound'],
  bidirectional: false,
  start: {},
  ...wishes,
});
export const refer = (referId: string): LegCommand => ({ type: 'refer', referId, to: 'sip:other@192.0.2.9' });
export const join = (mixId: string, muted = false): LegCommand => ({ type: 'join', mixId, muted });
export const hangup: LegCommand = { type: 'hangup', cause: 16 };
export const answer: LegCommand = { type: 'answer' };

/** Equal to any number that is as near as the harness can measure. */
export const near = ({ harness }: Case, ms: number) => ({
  asymmetricMatch: (given: unknown) => typeof given === 'number' && Math.abs(given - ms) <= harness.toleranceMs,
  toString: () => `about ${ms}`,
});

/** A host that writes down what it is told, and notices when it is told from inside a call. */
class Watch implements EngineHost {
  readonly legs = new Map<string, LegEvent[]>();
  readonly arrivals: IncomingLeg[] = [];
  /** Ids by leg, and whether an answer is owed: between a hang-up and its `ended` the leg may be gone or not. */
  readonly asked = new Map<string, Map<string, 'owed' | 'free'>>();
  readonly ending = new Set<string>();
  readonly broken: string[] = [];
  readonly #engine: Engine;
  #inside: string | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  incoming(leg: IncomingLeg): void {
    this.arrivals.push(leg);
    this.legs.set(leg.legId, []);
  }

  event(legId: string, event: LegEvent): void {
    if (this.#inside) this.broken.push(`E4: ${event.type} came from inside ${this.#inside}`);
    const events = this.legs.get(legId);
    if (events) events.push(structuredClone(event));
    else this.broken.push(`${event.type} of a leg that nobody was told of`);
  }

  send(legId: string, command: LegCommand): void {
    const id = idOf(command);
    const over = this.legs.get(legId)?.some(({ type }) => type === 'ended') ?? true;
    const asked = this.asked.get(legId) ?? new Map<string, 'owed' | 'free'>();
    if (id && !over) this.asked.set(legId, asked.set(id, this.ending.has(legId) ? 'free' : 'owed'));
    if (command.type === 'hangup' || command.type === 'reject') this.ending.add(legId);
    this.#within(command.type, () => this.#engine.send(legId, command));
  }

  dial(legId: string, to: string, ringTimeoutMs: number): void {
    this.legs.set(legId, []);
    this.#within('dial', () => this.#engine.dial({ legId, from: '+33199000000', to, ringTimeoutMs }));
  }

  /** Broken invariants of everything that was seen; every leg must be over by now. */
  violations(): string[] {
    const found = [...this.broken];
    for (const [legId, events] of this.legs) {
      const count = (type: LegEvent['type']) => events.filter((event) => event.type === type).length;
      if (count('ended') !== 1) found.push(`E1: ${legId} ended ${count('ended')} times`);
      if (events.at(-1)?.type !== 'ended') found.push(`E1: ${legId} tells ${events.at(-1)?.type} after its end`);
      for (const type of ['answered', 'ringing', 'early_media'] as const) {
        if (count(type) > 1) found.push(`${legId} tells ${type} ${count(type)} times`);
      }
      found.push(...stragglers(events).map((what) => `E2: ${legId} tells ${what} after its answer`));
      const answers = events.map(answeredId).filter((id) => id !== undefined);
      const asked = this.asked.get(legId) ?? new Map<string, 'owed' | 'free'>();
      for (const id of new Set([...asked.keys(), ...answers])) {
        const given = answers.filter((each) => each === id).length;
        const isRight = given === 1 ? asked.has(id) : given === 0 && asked.get(id) === 'free';
        if (!isRight) found.push(`E2: ${id} was answered ${given} times`);
      }
    }
    return found;
  }

  #within(what: string, act: () => void): void {
    this.#inside = what;
    try {
      act();
    } catch (error) {
      this.broken.push(`E3: ${what} threw ${String(error)}`);
    }
    this.#inside = undefined;
  }
}

/** What is answered, prefixed by kind: a play and a recording may share an id. */
function idOf(command: LegCommand): string | undefined {
  switch (command.type) {
    case 'play':
      return `play ${command.playId}`;
    case 'record':
      return `record ${command.recordId}`;
    case 'send_digits':
      return `digits ${command.sendId}`;
    case 'stream':
      return `stream ${command.streamId}`;
    case 'listen':
      return `listen ${command.listenId}`;
    case 'detect_machine':
      return `detect ${command.detectId}`;
    case 'refer':
      return `refer ${command.referId}`;
    default:
      return undefined;
  }
}

function answeredId(event: LegEvent): string | undefined {
  switch (event.type) {
    case 'play_ended':
      return `play ${event.playId}`;
    case 'record_ended':
      return `record ${event.recordId}`;
    case 'digits_sent':
      return `digits ${event.sendId}`;
    case 'stream_ended':
      return `stream ${event.streamId}`;
    case 'listen_ended':
      return `listen ${event.listenId}`;
    case 'machine_detected':
      return `detect ${event.detectId}`;
    case 'refer_ended':
      return `refer ${event.referId}`;
    default:
      return undefined;
  }
}

/** Events of a stream or a listening that come after its last one. */
function stragglers(events: readonly LegEvent[]): string[] {
  const over = new Set<string>();
  return events.flatMap((event) => {
    const final = answeredId(event);
    if (final !== undefined) over.add(final);
    if (event.type === 'stream_started') return over.has(`stream ${event.streamId}`) ? [event.type] : [];
    if (event.type !== 'speech_started' && event.type !== 'utterance') return [];
    return over.has(`listen ${event.listenId}`) ? [event.type] : [];
  });
}

/** The party of a leg, whenever it comes to be; abilities that a case does not need are not asked for. */
class LineParty implements Required<ContractParty> {
  readonly #party: () => ContractParty;
  readonly #hangsUp: () => void;

  constructor(party: () => ContractParty, hangsUp: () => void) {
    this.#party = party;
    this.#hangsUp = hangsUp;
  }

  press(digits: string): void {
    this.#party().press(digits);
  }
  speak(durationMs: number): void {
    this.#party().speak(durationMs);
  }
  say(text: string): void {
    this.#party().say!(text);
  }
  hold(held: boolean): void {
    this.#party().hold!(held);
  }
  refer(to: string): void {
    this.#party().refer!(to);
  }
  onRefer(plan: ReferPlan): void {
    this.#party().onRefer!(plan);
  }
  hangUp(): void {
    this.#hangsUp();
    this.#party().hangUp();
  }
  get received(): string {
    return this.#party().received;
  }
  get heardMs(): number {
    return this.#party().heardMs ?? 0;
  }
  get referStatus(): readonly number[] {
    return this.#party().referStatus ?? [];
  }
}

/** One leg of a case. */
export class Line {
  readonly legId: string;
  readonly party: Required<ContractParty>;
  readonly #case: Case;

  constructor(contract: Case, legId: string, party: () => ContractParty) {
    this.#case = contract;
    this.legId = legId;
    this.party = new LineParty(party, () => contract.watch.ending.add(legId));
  }

  get events(): LegEvent[] {
    return this.#case.watch.legs.get(this.legId) ?? [];
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  send(...commands: LegCommand[]): void {
    for (const command of commands) this.#case.watch.send(this.legId, command);
  }

  all<Type extends LegEvent['type']>(type: Type): Extract<LegEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<LegEvent, { type: Type }> => event.type === type);
  }

  /** The first event of this type, once it is there. */
  async until<Type extends LegEvent['type']>(type: Type, count = 1): Promise<Extract<LegEvent, { type: Type }>> {
    await this.#case.until(() => this.all(type).length >= count, `${type} in ${this.types.join(', ')}`);
    return this.all(type)[count - 1]!;
  }
}

/** An engine at work, with what a case needs to drive it. */
export class Case {
  readonly harness: EngineHarness;
  readonly watch: Watch;
  #dialled = 0;

  constructor(harness: EngineHarness) {
    this.harness = harness;
    this.watch = new Watch(harness.engine);
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    for (let waitedMs = 0; !holds(); waitedMs += STEP_MS) {
      if (waitedMs > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
      await this.harness.elapse(STEP_MS);
    }
  }

  async offered(): Promise<Line> {
    const before = this.watch.arrivals.length;
    const party = await this.harness.callIn();
    await this.until(() => this.watch.arrivals.length > before, 'a call');
    return new Line(this, this.watch.arrivals[before]!.legId, () => party);
  }

  async connected(): Promise<Line> {
    const line = await this.offered();
    line.send(answer);
    await line.until('answered');
    return line;
  }

  async dial(plan: CalleePlan, ringTimeoutMs = 30_000): Promise<Line> {
    const { to, party } = await this.harness.callee(plan);
    const legId = `dialled-${++this.#dialled}`;
    this.watch.dial(legId, to, ringTimeoutMs);
    return new Line(this, legId, party);
  }

  /** Ends whatever lives, waits for late events, and judges everything that was seen. */
  async judge(): Promise<void> {
    const legIds = [...this.watch.legs.keys()];
    for (const legId of legIds) this.watch.send(legId, hangup);
    const over = (legId: string) => this.watch.legs.get(legId)!.some(({ type }) => type === 'ended');
    await this.until(() => legIds.every(over), 'the end of all legs');
    await this.harness.elapse(200);
    expect(this.watch.violations()).toEqual([]);
  }
}
