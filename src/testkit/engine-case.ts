/**
 * The stand of the engine contract: a harness plays the network, `Watch` is the host that writes down what it is told
 * and finds broken invariants, `Case` and `Line` drive one call. Used by `engine-contract.ts`.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AudioItem, LegCommand, LegEvent } from '../core/leg.ts';
import type { Engine, EngineHost, IncomingLeg } from '../telephony/engine.ts';
import type { CalleePlan } from '../telephony/simulated/far-end.ts';

/** Things a harness may be unable to bring about. */
export type ContractFeature =
  | 'early_media'
  | 'press'
  | 'speak'
  | 'send_digits'
  | 'record'
  | 'missing_audio'
  | `dial_${CalleePlan['does']}`
  | 'random';

/** The network's side of one call. */
export interface ContractParty {
  press(digits: string): void;
  speak(durationMs: number): void;
  hangUp(): void;
  /** Digits that arrived so far. */
  readonly received: string;
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
  file: join(tmpdir(), `callweave-contract-${recordId}.wav`),
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
export const hangup: LegCommand = { type: 'hangup', cause: 16 };
export const answer: LegCommand = { type: 'answer' };

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
      for (const type of ['answered', 'ringing'] as const) {
        if (count(type) > 1) found.push(`${legId} tells ${type} ${count(type)} times`);
      }
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

/** Prefixed by kind: a play and a recording may share an id. */
function idOf(command: LegCommand): string | undefined {
  if (command.type === 'play') return `play ${command.playId}`;
  if (command.type === 'record') return `record ${command.recordId}`;
  return command.type === 'send_digits' ? `digits ${command.sendId}` : undefined;
}

function answeredId(event: LegEvent): string | undefined {
  if (event.type === 'play_ended') return `play ${event.playId}`;
  if (event.type === 'record_ended') return `record ${event.recordId}`;
  return event.type === 'digits_sent' ? `digits ${event.sendId}` : undefined;
}

/** One leg of a case. */
export class Line {
  readonly legId: string;
  readonly party: ContractParty;
  readonly #case: Case;

  constructor(contract: Case, legId: string, party: ContractParty) {
    this.#case = contract;
    this.legId = legId;
    this.party = {
      press: (digits) => party.press(digits),
      speak: (durationMs) => party.speak(durationMs),
      hangUp() {
        contract.watch.ending.add(legId);
        party.hangUp();
      },
      get received() {
        return party.received;
      },
    };
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
    return new Line(this, this.watch.arrivals[before]!.legId, party);
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
    return new Line(this, legId, {
      press: (digits) => party().press(digits),
      speak: (durationMs) => party().speak(durationMs),
      hangUp: () => party().hangUp(),
      get received() {
        return party().received;
      },
    });
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
