/**
 * Goes on with a call whose node was lost, where its engine has survived: the journal is repeated without effects, the
 * engine is asked what is so, and only what was decided and not done is done. Neighbours: `recorded-ids.ts`,
 * `supervisor.ts`; `cluster/adoption.ts` finds such calls.
 *
 * Invariants
 *  - it comes after the adoption in the store, so that the earlier owner writes nothing more, and takes the engine's
 *    connection before it asks, so that nothing of the earlier owner arrives after the answer;
 *  - the repeated entries are those of the journal, or the call is given up: nothing was done then;
 *  - commands that are missing are the last ones of their leg: they were sent in the order of the journal.
 */
import type { Cause } from '../core/causes.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { HttpReply } from '../core/http-exchange.ts';
import type { LegCommand, LegEvent } from '../core/leg.ts';
import { answeredRequestOf, requestKeyOf } from '../core/leg-answers.ts';
import type { CallRun } from './call-run.ts';
import type { CallInput, CallRecord, JournalEntry, JournalEntryOf } from './journal.ts';
import { containsMask } from './masked-templates.ts';
import type { CallSpec, RuntimePorts } from './ports.ts';
import { recordedIds } from './recorded-ids.ts';
import type { Supervisor } from './supervisor.ts';

/** An engine whose legs outlive the node that commands them. */
export interface SurvivingEngine {
  /**
   * From here on commands to these legs are taken under this fence only, and their events come here. What arrives late of
   * an adopter with a lower fence changes nothing.
   */
  take(legIds: readonly string[], fence: number): Promise<void>;
  inspect(legId: string): Promise<LegAtEngine>;
}

export interface LegAtEngine {
  /** `none`: never dialled. */
  state: 'none' | 'ringing' | 'connected' | 'ended';
  /** Of one that has ended. */
  cause?: Cause;
  /** How many commands have arrived for it, whatever became of them: they arrive in the order in which they were sent. */
  commands: number;
  /** Whether the request with this key (`requestKeyOf`) has not been answered yet. */
  isOpen(requestKey: string): boolean;
}

export interface AdoptedCall {
  journal: readonly JournalEntry[];
  record: CallRecord;
  fence: number;
  /** What the journal does not hold. */
  spec: Pick<CallSpec, 'flow' | 'secrets' | 'schedules' | 'strictBridgeState'>;
}

/** What a replay cannot bring back, or another node cannot go on with. */
const UNREPEATABLE: ReadonlySet<JournalEntry['kind']> = new Set(['venue', 'recording', 'stream', 'transcript']);
const UNREPEATABLE_INPUTS: ReadonlySet<CallInput['type']> = new Set(['taken_over', 'given_up', 'lost', 'venue']);
/** Of a leg that nobody has dialled yet: the journal does not say how long it may ring. */
const RING_TIMEOUT_MS = 60_000;
/** To repeat one input. */
const PATIENCE_MS = 5000;
/** Nearly all inputs are repeated within a turn or two. */
const QUICK_LOOKS = 20;
const SLOW_LOOK_MS = 20;

/** The run that goes on with the call; undefined: it cannot be repeated, and nothing was done. */
export async function adoptRun(
  adopted: AdoptedCall,
  { ports, engine, supervisor }: { ports: RuntimePorts; engine: SurvivingEngine; supervisor: Supervisor },
): Promise<CallRun | undefined> {
  const { journal } = adopted;
  const [started] = journal;
  if (started?.kind !== 'started' || !isRepeatable(journal)) return undefined;
  const repeating = new RepeatingPorts(adopted, started, ports);
  const { run, open } = supervisor.adopt(specOf(started, adopted), repeating.ports);
  if (!(await repeating.repeat(run))) {
    repeating.giveUp(run);
    return undefined;
  }
  const legIds = run.legIds;
  await engine.take(legIds, adopted.fence);
  const found = new Map(await Promise.all(legIds.map(async (legId) => [legId, await engine.inspect(legId)] as const)));
  open();
  repeating.goOn(run, (legId) => found.get(legId));
  return run;
}

function isRepeatable(journal: readonly JournalEntry[]): boolean {
  return journal.every((entry) => {
    if (UNREPEATABLE.has(entry.kind)) return false;
    return entry.kind !== 'in' || !(UNREPEATABLE_INPUTS.has(entry.input.type) || containsMask(entry.input));
  });
}

function specOf(started: JournalEntryOf<'started'>, { record, spec, journal }: AdoptedCall): CallSpec {
  const { callId, projectId, eventUrl, ownerRef, broadcastId, trace } = record;
  const { direction, from, to, headers, input, seed, env, timezone, announce, answered, sip } = started;
  const legId = started.leg ?? callId;
  const said = headers === undefined ? {} : { headers };
  const [, second] = journal;
  return {
    ...{ callId, projectId, direction, from, to, legId, input, seed, env, timezone, ...spec },
    ...(direction === 'outbound' ? { dial: { legId, from, to, ringTimeoutMs: RING_TIMEOUT_MS, ...said } } : said),
    announce: announce ?? (second?.kind === 'state' && second.state === 'incomingcall'),
    ...(eventUrl === undefined ? {} : { eventUrl }),
    ...(ownerRef === undefined ? {} : { ownerRef }),
    ...(broadcastId === undefined ? {} : { broadcastId }),
    ...(trace === undefined ? {} : { trace }),
    ...(answered === undefined ? {} : { answered }),
    ...(sip === undefined ? {} : { sip }),
  };
}

interface Effect {
  legId: string;
  isDial: boolean;
  perform(): void;
}

/** Ports that repeat a journal, and are those of the node afterwards. */
class RepeatingPorts {
  readonly ports: RuntimePorts;
  readonly #journal: readonly JournalEntry[];
  readonly #live: RuntimePorts;
  readonly #clock: RepeatingClock;
  #isLive = false;
  #repeated = 0;
  #isSame = true;
  /** What was decided, in order. */
  #effects: Effect[] = [];
  /** Requests of flows, and how to go on with them. */
  readonly #requests = new Map<string, () => void>();

  constructor({ journal, fence }: AdoptedCall, started: JournalEntry, live: RuntimePorts) {
    this.#journal = journal;
    this.#live = live;
    this.#clock = new RepeatingClock(started.atMs);
    const given = recordedIds(journal);
    const { engine } = live;
    this.ports = {
      ...live,
      fence,
      clock: this.#clock,
      ids: { next: (kind) => given.get(kind)?.shift() ?? live.ids.next(kind) },
      engine: {
        dial: (request) => this.#effect({ legId: request.legId, isDial: true, perform: () => engine.dial(request) }),
        send: (legId, command) => this.#effect({ legId, isDial: false, perform: () => engine.send(legId, command) }),
        release: (legId) => {
          if (this.#isLive) engine.release?.(legId);
        },
      },
      callStore: { commit: (write) => (this.#isLive ? live.callStore.commit(write) : this.#compare(write.entries)) },
      deliveriesOf: (entry, record) => (this.#isLive ? live.deliveriesOf(entry, record) : []),
      http: (...request) => (this.#isLive ? live.http(...request) : this.#request(request)),
    };
  }

  /** False: the journal cannot be repeated as it is. */
  async repeat(run: CallRun): Promise<boolean> {
    const inputs = this.#journal.flatMap((entry, index) => (entry.kind === 'in' ? [{ entry, index }] : []));
    for (const { entry, index } of inputs) {
      if (!(await this.#reached(index))) return false;
      this.#clock.set(entry.atMs);
      const { input } = entry;
      if (input.type === 'http') this.#requests.delete(input.requestId);
      if (input.type === 'command') void run.command(input.command, input.source);
      else run.post(input);
    }
    return this.#reached(this.#journal.length);
  }

  /** Does what was not done, and reports what has happened meanwhile. */
  goOn(run: CallRun, legAt: (legId: string) => LegAtEngine | undefined): void {
    this.#isLive = true;
    this.#clock.goOn(this.#live.clock);
    const counts = new Map<string, number>();
    for (const { legId, isDial, perform } of this.#effects.splice(0)) {
      const leg = legAt(legId);
      // Of a leg that has ended before, nothing is left to do.
      if (!leg) continue;
      const before = counts.get(legId) ?? 0;
      if (!isDial) counts.set(legId, before + 1);
      if (isDial ? leg.state === 'none' : before >= leg.commands) perform();
    }
    for (const { legId, event } of missedEvents(this.#journal, run.legId, legAt)) {
      run.post({ type: 'leg', event, ...(legId === run.legId ? {} : { leg: legId }) });
    }
    for (const goOn of this.#requests.values()) goOn();
  }

  /** Ends the run without writing or doing anything. */
  giveUp(run: CallRun): void {
    this.#isSame = false;
    run.post({ type: 'lost' });
  }

  #effect(effect: Effect): void {
    if (this.#isLive) effect.perform();
    else this.#effects.push(effect);
  }

  async #compare(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) {
      if (!isSame(entry, this.#journal[this.#repeated++])) this.#isSame = false;
    }
    if (!this.#isSame) throw new Error('the journal cannot be repeated');
  }

  /** What had no answer is asked again where that does no harm. */
  #request(request: Parameters<RuntimePorts['http']>): Promise<HttpReply> {
    const [{ method, name }, , , { requestId }] = request;
    return new Promise((resolve) => {
      this.#requests.set(requestId, () => {
        if (IDEMPOTENT.has(method)) resolve(this.#live.http(...request));
        else resolve({ ok: false, reason: 'network', message: `${name}: its node was lost before the answer came` });
      });
    });
  }

  async #reached(length: number): Promise<boolean> {
    const { clock } = this.#live;
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    let looks = 0;
    do {
      // Effects come after the commit: they are known when the run waits again.
      const delayMs = looks++ < QUICK_LOOKS ? 0 : SLOW_LOOK_MS;
      await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
    } while (this.#isSame && this.#repeated < length && clock.monotonicMs() < untilMs);
    return this.#isSame && this.#repeated === length;
  }
}

/** RFC 9110 §9.2.2 */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

function isSame(repeated: JournalEntry, recorded: JournalEntry | undefined): boolean {
  const { atMs: _atMs, wallMs: _wallMs, ...entry } = repeated;
  if (!recorded) return false;
  const { atMs: _recordedMs, wallMs: _recordedWallMs, ...other } = recorded;
  return JSON.stringify(sorted(entry)) === JSON.stringify(sorted(other));
}

const sorted = (entry: object): unknown[] => Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1));

/** What the engine reported while nobody listened, as far as it can be known afterwards. */
function missedEvents(
  journal: readonly JournalEntry[],
  mainLegId: string,
  legAt: (legId: string) => LegAtEngine | undefined,
): { legId: string; event: LegEvent }[] {
  const open = new Map<string, { legId: string; command: LegCommand; index: number }>();
  const counts = new Map<string, number>();
  const answered = new Set<string>();
  for (const entry of journal) {
    if (entry.kind === 'command') {
      const { command, leg: legId = mainLegId } = entry;
      const index = counts.get(legId) ?? 0;
      counts.set(legId, index + 1);
      const key = requestKeyOf(command);
      if (key !== undefined) open.set(key, { legId, command, index });
    }
    if (entry.kind !== 'in' || entry.input.type !== 'leg') continue;
    const { event, leg = mainLegId } = entry.input;
    if (event.type === 'answered') answered.add(leg);
    const answer = answeredRequestOf(event);
    if (answer?.isFinal) open.delete(answer.name);
  }
  const legs = new Set([mainLegId, ...journal.flatMap((entry) => (entry.kind === 'dialled' ? [entry.leg] : []))]);
  const missed: { legId: string; event: LegEvent }[] = [];
  for (const legId of legs) {
    const leg = legAt(legId);
    if (leg?.state === 'connected' && !answered.has(legId)) missed.push({ legId, event: { type: 'answered' } });
  }
  for (const [key, { legId, command, index }] of open) {
    const leg = legAt(legId);
    const event = leg && index < leg.commands && !leg.isOpen(key) ? endOf(command) : undefined;
    if (event) missed.push({ legId, event });
  }
  for (const legId of legs) {
    const leg = legAt(legId);
    if (leg?.state === 'ended' && leg.cause) {
      missed.push({ legId, event: { type: 'ended', cause: leg.cause, by: 'network' } });
    }
  }
  return missed;
}

function endOf(command: LegCommand): LegEvent | undefined {
  if (command.type === 'play') {
    return { type: 'play_ended', playId: command.playId, reason: 'finished', playedMs: 0 };
  }
  return command.type === 'send_digits' ? { type: 'digits_sent', sendId: command.sendId } : undefined;
}

/** Stands still at the times of a journal, and goes on with a clock of the node afterwards. */
class RepeatingClock implements Clock {
  #nowMs: number;
  #live: { clock: Clock; offsetMs: number } | undefined;
  /** Set while it stood still. */
  readonly #waiting = new Map<object, { dueMs: number; fire(): void }>();
  readonly #timers = new Map<object, Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#live ? this.#live.clock.now() : this.#nowMs;
  }

  monotonicMs(): number {
    return this.#live ? this.#live.clock.monotonicMs() + this.#live.offsetMs : this.#nowMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    if (this.#live) return this.#live.clock.after(delayMs, fire);
    const key = {};
    this.#waiting.set(key, { dueMs: this.#nowMs + delayMs, fire });
    return {
      cancel: () => {
        this.#waiting.delete(key);
        this.#timers.get(key)?.cancel();
      },
    };
  }

  /** The call was not asked while nobody carried it: its time has passed all the same. */
  goOn(clock: Clock): void {
    this.#live = { clock, offsetMs: Math.max(clock.now(), this.#nowMs) - clock.monotonicMs() };
    for (const [key, { dueMs, fire }] of [...this.#waiting].sort(([, one], [, other]) => one.dueMs - other.dueMs)) {
      this.#timers.set(key, clock.after(Math.max(0, dueMs - this.monotonicMs()), fire));
    }
    this.#waiting.clear();
  }
}
