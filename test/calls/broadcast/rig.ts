/**
 * Broadcasts over real runs, steps, flows and a store in memory, on simulated lines in virtual time: far ends follow
 * the plan of their number, and the service can crash at any moment and restart on the same store.
 */
import { countingIds, type Ids, seededRandom } from '../../../src/base/core/ids.ts';
import type { Json } from '../../../src/base/core/json.ts';
import type { Log, LogFields } from '../../../src/base/core/log.ts';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../../src/language/flow/compiled-flow.ts';
import { FlowLibrary } from '../../../src/language/flow/flow-library.ts';
import type { DialRequest } from '../../../src/media/telephony/engine.ts';
import { SimulatedEngine } from '../../../src/media/telephony/simulated/engine.ts';
import type { CalleePlan, FarEnd } from '../../../src/media/telephony/simulated/far-end.ts';
import { silentAudio } from '../../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import type {
  Broadcast,
  BroadcastOrder,
  Callee,
  Counts,
  NegativeOutcome,
  NumberRow,
  RetryPolicy,
} from '../../../src/service/calls/broadcast/broadcast.ts';
import type { BroadcastLimits } from '../../../src/service/calls/broadcast/broadcasts.ts';
import type { Broadcasts } from '../../../src/service/calls/broadcast/create-broadcasts.ts';
import {
  type BroadcastEvent,
  type BroadcastParts,
  createBroadcasts,
} from '../../../src/service/calls/broadcast/create-broadcasts.ts';
import type { DialGate } from '../../../src/service/calls/broadcast/dial-gate.ts';
import { createCallRefusals } from '../../../src/service/calls/call-refusals.ts';
import { type CallLimits, createCapacity } from '../../../src/service/calls/capacity.ts';
import { conferenceGateway } from '../../../src/service/calls/conferences/conference-gateway.ts';
import { configuredRooms } from '../../../src/service/calls/conferences/room-phones.ts';
import { createVenues } from '../../../src/service/calls/conferences/venues.ts';
import type { Project } from '../../../src/service/calls/projects/project-store.ts';
import { recoverCalls } from '../../../src/service/calls/recovery/recover-calls.ts';
import type { CallRecord, JournalEntry } from '../../../src/service/runtime/journal.ts';
import { createSupervisor, type Supervisor } from '../../../src/service/runtime/supervisor.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { stepsByVerb, verbs } from '../../../src/verbs/steps.ts';
import { createMemoryStore } from '../../memory-store.ts';

export const PROJECT = 'shop';
export const START_MS = Date.parse('2026-03-02T08:30:00Z');

const BUILT_IN = new FlowLibrary(verbs).loadBuiltIn();

export const LIMITS: BroadcastLimits = {
  callsPerSecond: 50,
  maxConcurrent: 100,
  projectCallsPerSecond: 10,
  projectMaxConcurrent: 50,
  projectBroadcasts: 100,
  numbers: 100_000,
};

export interface RigOptions {
  limits?: Partial<BroadcastLimits>;
  /** Plan of a callee; by default it answers and talks for five seconds. */
  callee?: (to: string, attempt: number) => CalleePlan;
  /** Name → YAML. */
  flows?: Record<string, string>;
  schedules?: Record<string, Json>;
  rooms?: readonly string[];
  reaches?: (to: string) => boolean;
  /** Whether there is room for another call. */
  admits?: () => boolean;
  callLimits?: Partial<CallLimits>;
  /** Limits by project; default: one project without limits of its own. */
  projects?: Record<string, { maxCalls?: number; callsPerSecond?: number }>;
  startMs?: number;
  store?: Store;
  /** Several nodes dial. */
  gate?: DialGate;
  clock?: VirtualClock;
  /** Told of each far end. */
  dialled?: (farEnd: FarEnd, request: DialRequest) => void;
}

/** Write at which the process dies, counted over calls and broadcasts. */
export interface Death {
  /** Number of the write within this run. */
  write: number;
  /** Whether that one is still done. */
  when: 'before' | 'after';
}

const WRITES = new Set(['change', 'claim', 'release', 'requeue', 'settle', 'settleQueued']);

export interface Dial {
  to: string;
  atMs: number;
  farEnd: FarEnd;
}

const ANSWERS: CalleePlan = { does: 'answer', ringsAfterMs: 100, afterMs: 1000, talkMs: 5000 };

let lives = 0;
let owners = 0;

/** A service that starts again over the same data makes other ids than the one before. */
function idsOfLife(): Ids {
  const ids = countingIds();
  const life = ++lives;
  return { next: (kind) => `${ids.next(kind)}.${life}` };
}

export class Rig {
  readonly clock: VirtualClock;
  readonly store: Store;
  /** Life id of this rig. */
  readonly owner = `life-${++owners}`;
  readonly dials: Dial[] = [];
  readonly told: { broadcast: Broadcast; what: BroadcastEvent; counts: Counts }[] = [];
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  readonly crashes: unknown[] = [];
  readonly records: CallRecord[] = [];
  readonly options: RigOptions;
  readonly schedules: Record<string, Json>;
  readonly parts: BroadcastParts;
  readonly broadcasts: Broadcasts;
  readonly supervisor: Supervisor;
  readonly flows = new Map<string, CompiledFlow>();
  readonly startMs: number;
  readonly #attempts = new Map<string, number>();
  /** When the process is to die, of its own writes. */
  death: Death | undefined;
  /** Final events of broadcasts, after they were stored. */
  readonly ends: BroadcastEvent[] = [];
  #writes = 0;
  /** True after the simulated crash: no event of this run reaches the next one. */
  #isDead = false;

  constructor(options: RigOptions = {}) {
    this.options = options;
    this.clock = options.clock ?? new VirtualClock(options.startMs ?? START_MS);
    this.startMs = this.clock.now();
    this.store = options.store ?? createMemoryStore();
    this.schedules = options.schedules ?? {};
    for (const [name, text] of Object.entries(options.flows ?? {})) {
      const { flow, diagnostics } = compileFlow(text, `${name}.flow.yaml`, verbs, {});
      if (!flow) throw new Error(JSON.stringify(diagnostics));
      this.flows.set(name, flow);
    }
    const ids = idsOfLife();
    const { clock } = this;
    const engine = new SimulatedEngine({
      clock,
      ids,
      audio: silentAudio(),
      callee: ({ to }) => {
        const attempt = (this.#attempts.get(to) ?? 0) + 1;
        this.#attempts.set(to, attempt);
        return this.options.callee?.(to, attempt) ?? ANSWERS;
      },
      dialled: (farEnd, request) => {
        this.dials.push({ to: request.to, atMs: clock.now(), farEnd });
        this.options.dialled?.(farEnd, request);
      },
    });
    const named = (flow: string): CompiledFlow | undefined => this.flows.get(flow) ?? BUILT_IN.get(flow);
    const eventsOf = (entry: JournalEntry, record: CallRecord) => {
      if (entry.kind === 'ended') this.records.push({ ...record });
      return [];
    };
    const rooms = (options.rooms ?? []).map((roomId) => ({ projectId: PROJECT, roomId, name: roomId }));
    const venues = createVenues({ clock, ids, rooms: configuredRooms(rooms) });
    const callStore: Store['calls'] = {
      commit: (write) => this.#writing(() => this.store.calls.commit(write)) ?? new Promise(() => undefined),
      call: (callId) => this.store.calls.call(callId),
      checkpoint: (callId) => this.store.calls.checkpoint(callId),
      journal: (callId) => this.store.calls.journal(callId),
      journalPage: (callId, query) => this.store.calls.journalPage(callId, query),
      list: (query) => this.store.calls.list(query),
      unfinished: () => this.store.calls.unfinished(),
      adopt: (callId, by) => this.store.calls.adopt(callId, by),
      ownership: (callId) => this.store.calls.ownership(callId),
      ownedBy: (owner) => this.store.calls.ownedBy(owner),
      owners: () => this.store.calls.owners(),
    };
    this.supervisor = createSupervisor({
      owner: this.owner,
      clock,
      ids,
      engine,
      callStore,
      flow: (flow) => (typeof flow === 'string' ? named(flow) : BUILT_IN.compile(flow).flow),
      steps: stepsByVerb,
      http: async () => ({ ok: false, reason: 'network', message: 'there is no network' }),
      deliveriesOf: eventsOf,
      recordings: { open: ({ recordingId }) => ({ file: recordingId }), close: () => undefined },
      venues,
      mayPresent: () => true,
      mayStream: () => true,
      onCrash: (_callId, error) => this.crashes.push(error),
    });
    void engine.start({
      incoming: () => undefined,
      event: (legId, event) => this.#isDead || this.supervisor.legEvent(legId, event),
    });
    this.parts = {
      clock,
      ids,
      random: seededRandom(1),
      log: this.#log(),
      engine,
      supervisor: this.supervisor,
      callStore,
      flows: { get: named, names: () => BUILT_IN.names(), compile: (document) => BUILT_IN.compile(document) },
      numbers: {
        find: () => undefined,
        shared: () => [],
        belongsTo: (projectId, number) => projectId.startsWith('shop') && number === '1000',
        of: () => [],
        outboundGreeting: () => undefined,
      },
      projects: { find: (projectId) => options.projects?.[projectId] as Project | undefined },
      isRoutable: (to) => this.options.reaches?.(to) ?? true,
      mayStream: () => true,
      conferences: conferenceGateway(venues.conference),
      queues: venues.queue,
      rooms: venues.room,
      recordings: undefined as never,
      refusals: createCallRefusals(),
      recordingUrl: (recordingId) => recordingId,
      prompts: () => ({ hello: { default: { text: 'Hello' } } }),
      promptAudio: { refusal: () => undefined },
      env: () => ({}),
      secrets: () => ({}),
      schedules: () => this.schedules,
      capacity: createCapacity({
        ...{ clock, supervisor: this.supervisor },
        limits: () => ({ calls: 100_000, inboundReservePercent: 0, ...options.callLimits }),
        projects: {
          find: (projectId) => options.projects?.[projectId],
          list: () => Object.keys(options.projects ?? {}),
        },
        isOpen: () => options.admits?.() ?? true,
      }),
      deliveriesOf: eventsOf,
      store: this.#mortal(this.store.broadcasts),
      limits: { ...LIMITS, ...options.limits },
      ...(options.gate ? { gate: options.gate } : {}),
      eventsOf: (broadcast, what, counts) => {
        this.told.push({ broadcast, what, counts });
        return [];
      },
    };
    this.broadcasts = createBroadcasts(this.parts);
  }

  /** A service that has started. */
  static open(options: RigOptions = {}): Rig {
    const rig = new Rig(options);
    rig.broadcasts.start();
    return rig;
  }

  async create(callees: readonly (string | Callee)[], more: Partial<BroadcastOrder> = {}): Promise<string> {
    const given = callees.map((callee) => (typeof callee === 'string' ? { phone: callee } : callee));
    const { broadcast } = await this.broadcasts.create({ ...order(), ...more }, given);
    return broadcast.order.broadcastId;
  }

  async find(broadcastId: string, projectId = PROJECT): Promise<Broadcast> {
    return await this.broadcasts.find(projectId, broadcastId);
  }

  async rows(broadcastId: string): Promise<NumberRow[]> {
    return await this.store.broadcasts.report({ broadcastId, limit: 1_000_000 });
  }

  /** Phone → code, reason and attempts. */
  async results(broadcastId: string): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await this.rows(broadcastId)).map(({ phone, state, result, attempts }) => [
        phone,
        `${state === 'done' ? '' : `${state} `}${result?.code ?? '-'} ${result?.reason ?? '-'} ${attempts}`,
      ]),
    );
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.settle();
  }

  /** Until it has ended. */
  async finish(broadcastId: string, limitMs = 24 * 3_600_000): Promise<Broadcast> {
    const untilMs = this.clock.now() + limitMs;
    for (;;) {
      const found = (await this.store.broadcasts.find(broadcastId))!;
      if (found.endedMs !== undefined) return found;
      if (!(await this.clock.advanceToNext(untilMs))) throw new Error(`it does not end: ${JSON.stringify(found)}`);
    }
  }

  /** Kills the process: unwritten data is lost, and it does nothing any more. */
  die(): void {
    this.#isDead = true;
    this.broadcasts.close();
  }

  /** Starts the next run with the same store; `options` override the previous ones. */
  async restart(options: Partial<RigOptions> = {}): Promise<Rig> {
    const rig = new Rig({ ...this.options, ...options, store: this.store, clock: this.clock });
    await rig.broadcasts.recover();
    await recoverCalls({ ...rig.parts, owner: rig.owner });
    rig.broadcasts.start();
    return rig;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Undefined: the process died before it was done, or in doing it. */
  #writing<T>(write: () => T): T | undefined {
    if (this.#isDead) return undefined;
    const isLast = ++this.#writes === this.death?.write;
    if (isLast && this.death?.when === 'before') {
      this.die();
      return undefined;
    }
    const done = write();
    if (!isLast) return done;
    this.die();
    return undefined;
  }

  /** The store as a dead process sees it: no operation returns. */
  #mortal(store: Store['broadcasts']): Store['broadcasts'] {
    return new Proxy(store, {
      get: (target, name: keyof Store['broadcasts'] & string) => {
        const found = target[name];
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) => {
          if (!WRITES.has(name)) return (found as (...all: unknown[]) => unknown).apply(target, args);
          let isDone = false;
          const result = this.#writing(() => {
            const value = (found as (...all: unknown[]) => unknown).apply(target, args);
            isDone = true;
            if (name === 'change' && (args[1] as { endedMs?: number }).endedMs !== undefined)
              this.ends.push(this.told.at(-1)!.what);
            return value;
          });
          // A process that is dead waits for ever.
          return isDone && !this.#isDead ? result : new Promise(() => undefined);
        };
      },
    });
  }

  #log(): Log {
    const keep =
      (level: string) =>
      (message: string, fields: LogFields = {}) =>
        void this.lines.push({ level, message, fields });
    return {
      ...{ debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
      child: () => this.#log(),
    };
  }
}

export const retries = (count: number, intervalMs = 5000, ...of: NegativeOutcome[]): RetryPolicy => {
  const rule = (setback: NegativeOutcome) => ({
    retries: of.length === 0 || of.includes(setback) ? count : 0,
    intervalMs,
  });
  return {
    ...{
      busy: rule('busy'),
      no_answer: rule('no_answer'),
      declined: rule('declined'),
      unreachable: rule('unreachable'),
    },
  };
};

export const order = (): Omit<BroadcastOrder, 'broadcastId'> => ({
  projectId: PROJECT,
  name: 'a test',
  from: '1000',
  autoRecord: false,
  pacing: {},
  retry: retries(0),
  ringTimeoutMs: 30_000,
  idleTimeoutMs: 0,
  redialLost: false,
  action: {
    type: 'play',
    play: { text: 'Good morning', dtmf: false, asr: false, startTimeoutMs: 5000, recognizerTimeoutMs: 2000 },
  },
});

export const phones = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => `+3310000${String(index + from).padStart(5, '0')}`);
