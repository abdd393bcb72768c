/**
 * The stand of the engine contract: a harness plays the network, `Case` and `Line` drive one call. Used by
 * `engine-contract.ts`; neighbour: `engine-contract/watch.ts` is the host that finds broken invariants.
 */
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { expect } from 'vitest';
import { randomIds } from '../../../src/base/core/ids.ts';
import type { AudioItem, LegCommand, LegEvent } from '../../../src/base/core/leg.ts';
import type { SipHeaders } from '../../../src/base/core/sip-headers.ts';
import type { Engine, EngineCapabilities } from '../../../src/media/telephony/engine.ts';
import type { CalleePlan, ReferPlan, SeenHeaders, SinkPlan } from '../../../src/media/telephony/simulated/far-end.ts';
import { InvariantChecker } from './invariant-checker.ts';

/** Abilities that only some harnesses have and list in `can`. */
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
  /** `ContractParty.headers`, and those that parties set */
  | 'headers'
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

/** Requirement of a case: of the engine, or of the harness. */
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
  'headers',
  'sink',
  'answerer',
  'callee_early_media',
]);

/** One thing that every engine does. */
export interface ContractCase {
  name: string;
  needs: readonly ContractFeature[];
  run(contract: EngineDriver): Promise<void>;
}

export interface ContractTopic {
  topic: string;
  cases: readonly ContractCase[];
}

export const contractCase = (
  name: string,
  needs: readonly ContractFeature[],
  run: ContractCase['run'],
): ContractCase => ({ name, needs, run });

/** Why a case cannot be played over this harness. */
export function reasonToSkip(
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
  hangUp(headers?: SipHeaders): void;
  /** Headers set by the engine in messages to the party, without standard ones. */
  readonly headers?: readonly SeenHeaders[];
  /** Digits that arrived so far. */
  readonly received: string;
  /** Says these words: a recogniser understands them that has them as a hint. Takes at least 300 ms. */
  say?(text: string): void;
  /** Milliseconds of sound that arrived so far; silence is none. */
  readonly heardMs?: number;
  /** Puts us on hold, or takes us back. */
  hold?(held: boolean): void;
  /** Asks the engine to call another number (REFER); the party stays on the line. */
  refer?(to: string): void;
  /** Final statuses of its referral. */
  readonly referStatus?: readonly number[];
  /** Reaction of the party to a REFER from the engine. */
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
  /** Simulates an inbound call, which the engine reports to the host of the suite. */
  callIn(headers?: SipHeaders): Promise<ContractParty>;
  /** Makes a party ready to be dialled: its number, and itself once it was dialled. */
  callee(plan: CalleePlan): Promise<{ to: string; party(): ContractParty }>;
  /** Why something cannot be done here; its cases are skipped with this reason. */
  cannot?: Partial<Record<ContractFeature, string>>;
  /** Abilities in addition to the required ones. */
  can?: readonly ContractAbility[];
  /** A web socket of its own, which does as `plan` says. */
  sink?(plan: SinkPlan): Promise<ContractSink>;
  /** A file of which no sound can be made. */
  missingFile?: string;
  /** Tolerance of measured durations, in ms. */
  toleranceMs: number;
  /** Frees what the harness itself holds; the suite stops the engine. */
  close(): Promise<void>;
}

export const SOUND: AudioItem[] = [{ type: 'tone', frequencyHz: 440, durationMs: 300 }];
export const LONG_SOUND: AudioItem[] = [{ type: 'silence', durationMs: 60_000 }];
const TIMEOUT_MS = 5_000;
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
/** Nothing listens at the default address. */
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
export const near = ({ harness }: EngineDriver, ms: number) => ({
  asymmetricMatch: (given: unknown) => typeof given === 'number' && Math.abs(given - ms) <= harness.toleranceMs,
  toString: () => `about ${ms}`,
});

/** The party of a leg, also before it exists. Optional abilities are used only if a case needs them. */
class LegParty implements Required<ContractParty> {
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
  hangUp(headers?: SipHeaders): void {
    this.#hangsUp();
    this.#party().hangUp(headers);
  }
  get headers(): readonly SeenHeaders[] {
    return this.#party().headers ?? [];
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
export class ContractLeg {
  readonly legId: string;
  readonly party: Required<ContractParty>;
  readonly #case: EngineDriver;

  constructor(contract: EngineDriver, legId: string, party: () => ContractParty) {
    this.#case = contract;
    this.legId = legId;
    this.party = new LegParty(party, () => contract.host.ending.add(legId));
  }

  get events(): LegEvent[] {
    return this.#case.host.legs.get(this.legId) ?? [];
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  send(...commands: LegCommand[]): void {
    for (const command of commands) this.#case.host.send(this.legId, command);
  }

  all<Type extends LegEvent['type']>(type: Type): Extract<LegEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<LegEvent, { type: Type }> => event.type === type);
  }

  /** The first event of this type, once it is there. */
  async waitFor<Type extends LegEvent['type']>(type: Type, count = 1): Promise<Extract<LegEvent, { type: Type }>> {
    await this.#case.waitUntil(() => this.all(type).length >= count, `${type} in ${this.types.join(', ')}`);
    return this.all(type)[count - 1]!;
  }
}

/** A running engine with the functions that cases use to control it. */
export class EngineDriver {
  readonly harness: EngineHarness;
  readonly host: InvariantChecker;
  #dialled = 0;

  constructor(harness: EngineHarness) {
    this.harness = harness;
    this.host = new InvariantChecker(harness.engine);
  }

  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    for (let waitedMs = 0; !holds(); waitedMs += STEP_MS) {
      if (waitedMs > TIMEOUT_MS) throw new Error(`waited in vain for ${what}`);
      await this.harness.elapse(STEP_MS);
    }
  }

  async offeredLeg(headers?: SipHeaders): Promise<ContractLeg> {
    const before = this.host.arrivals.length;
    const party = await this.harness.callIn(headers);
    await this.waitUntil(() => this.host.arrivals.length > before, 'a call');
    return new ContractLeg(this, this.host.arrivals[before]!.legId, () => party);
  }

  async connectedLeg(): Promise<ContractLeg> {
    const line = await this.offeredLeg();
    line.send(answer);
    await line.waitFor('answered');
    return line;
  }

  async dial(
    plan: CalleePlan,
    { ringTimeoutMs = 30_000, headers }: { ringTimeoutMs?: number; headers?: SipHeaders } = {},
  ): Promise<ContractLeg> {
    const { to, party } = await this.harness.callee(plan);
    // Cases run in parallel, and their engines may share one server.
    const legId = `dialled-${++this.#dialled}-${randomIds.next('leg')}`;
    this.host.dial({ legId, from: '+33199000000', to, ringTimeoutMs, ...(headers && { headers }) });
    return new ContractLeg(this, legId, party);
  }

  /** Ends whatever lives, waits for late events, and judges everything that was seen. */
  async checkInvariants(): Promise<void> {
    const legIds = [...this.host.legs.keys()];
    for (const legId of legIds) this.host.send(legId, hangup);
    const over = (legId: string) => this.host.legs.get(legId)!.some(({ type }) => type === 'ended');
    await this.waitUntil(() => legIds.every(over), 'the end of all legs');
    await this.harness.elapse(200);
    expect(this.host.violations()).toEqual([]);
  }
}
