/**
 * Rehearses a broadcast: the real broadcast service, runtime, steps and flows on simulated lines in virtual time, with
 * callees from profiles. A hundred thousand numbers take about 25 seconds. `callees.ts` draws the behaviour of a call,
 * `callee-key-presses.ts` presses its keys.
 *
 * Invariants
 * R1 the same options give the same result: time, ids, random numbers and timer order depend only on them;
 * - memory does not grow with the numbers, except for their rows in the store: journals are only kept for the traced
 * number.
 */
import { countingIds, seededRandom } from '../../../base/core/ids.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import { silentLog } from '../../../base/core/silent-log.ts';
import type { CompiledFlow } from '../../../language/flow/compiled-flow.ts';
import type { DialRequest } from '../../../media/telephony/engine.ts';
import { SimulatedEngine } from '../../../media/telephony/simulated/engine.ts';
import type { Broadcast, Callee } from '../../../service/calls/broadcast/broadcast.ts';
import type {
  BroadcastCounts,
  BroadcastLimits,
  NewBroadcast,
  NumberPage,
  NumberQuery,
} from '../../../service/calls/broadcast/broadcasts.ts';
import { createBroadcasts } from '../../../service/calls/broadcast/create-broadcasts.ts';
import { createDoNotCall, optOut } from '../../../service/calls/broadcast/do-not-call.ts';
import { CallError } from '../../../service/calls/call-error.ts';
import { createFlowCalls } from '../../../service/calls/call-orders/flow-calls.ts';
import { createCallRefusals } from '../../../service/calls/call-refusals.ts';
import { createCapacity, DEFAULT_RESERVE_PERCENT } from '../../../service/calls/capacity.ts';
import { conferenceGateway } from '../../../service/calls/conferences/conference-gateway.ts';
import { configuredRooms, type RoomDirectory } from '../../../service/calls/conferences/room-phones.ts';
import { createVenues } from '../../../service/calls/conferences/venues.ts';
import type { Flows } from '../../../service/calls/flow-files/flow-input.ts';
import type { NumberDirectory } from '../../../service/calls/numbers/numbers.ts';
import type { Project } from '../../../service/calls/projects/project-store.ts';
import type { NamedPrompts } from '../../../service/calls/prompts/prompts.ts';
import type { Recordings } from '../../../service/calls/recordings/recordings.ts';
import type { CallStore, CallWrite } from '../../../service/runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../../../service/runtime/journal.ts';
import type { RuntimePorts } from '../../../service/runtime/ports.ts';
import { createSupervisor, type Supervisor } from '../../../service/runtime/supervisor.ts';
import { openSqliteStore } from '../../../service/store/sqlite/store.ts';
import { stepsByVerb } from '../../../verbs/steps.ts';
import { NO_NUMBERS } from '../no-numbers.ts';
import { silentAudio } from '../silent-audio.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { pressKeysFor } from './callee-key-presses.ts';
import type { DrawnCallee } from './callees.ts';
import { type CalleeProfiles, defaultProfiles } from './callees-file.ts';
import { createInMemoryBroadcastStore } from './in-memory-broadcast-store.ts';
import { VisitCounter } from './visit-counter.ts';

export interface RehearsalOptions {
  order: Omit<NewBroadcast, 'broadcastId' | 'projectId'>;
  numbers: readonly Callee[];
  /** Flows by name, and those contained in the order. */
  flows: Flows & { find(flow: string | JsonObject): CompiledFlow | undefined };
  /** Default: the usual callees. */
  profiles?: CalleeProfiles;
  /** Default: 1. */
  seed?: number;
  startMs?: number;
  limits?: Partial<BroadcastLimits>;
  /** Maximum number of concurrent calls in both directions. */
  maxCalls?: number;
  /** Percentage of calls reserved for inbound ones. Default: that of a service without configuration. */
  inboundReservePercent?: number;
  /** Project of the broadcast and its caller IDs. Default: any caller ID is allowed. */
  project?: { settings: Partial<Project>; numbers: NumberDirectory };
  prompts?: NamedPrompts;
  schedules?: Readonly<Record<string, Json>>;
  env?: JsonObject;
  timezone?: string;
  secrets?: JsonObject;
  rooms?: RoomDirectory;
  /** Responds to the requests of flows. By default there is no network. */
  http?: RuntimePorts['http'];
  /** Number whose journals are kept. */
  traced?: string;
  /** Flow whose visits are counted. */
  counted?: string;
  /** Called between events. An error thrown here ends the rehearsal. */
  between?(): void;
  /** Called at intervals with the number of finished numbers and of placed calls. */
  progress?(done: { numbers: number; calls: number }): void;
}

export interface Rehearsal {
  readonly broadcast: Broadcast;
  readonly duplicates: number;
  readonly counts: BroadcastCounts;
  /** Virtual time. */
  readonly nowMs: number;
  /** Peak of concurrent calls, without parties called by flows. */
  readonly mostCalls: number;
  /** Number of calls by callee group. */
  readonly callsByGroup: ReadonlyMap<string, number>;
  /** Journals of the traced number, one for each call. */
  readonly journals: readonly JournalEntry[][];
  /** For the counted flow: number of entries into each step, and of exits by each outcome (`step outcome`). */
  readonly visits: { readonly steps: ReadonlyMap<string, number>; readonly exits: ReadonlyMap<string, number> };
  /** Crashed calls. Always none, unless the runtime has a bug. */
  readonly crashes: { readonly count: number; readonly first?: unknown };
  report(query: NumberQuery): Promise<NumberPage>;
  close(): Promise<void>;
}

const PROJECT_ID = 'rehearsal';
/** Limits of a service without configuration. */
const LIMITS: BroadcastLimits = {
  callsPerSecond: 50,
  maxConcurrent: 800,
  projectCallsPerSecond: 10,
  projectMaxConcurrent: 100,
  projectBroadcasts: 1,
  numbers: 100_000,
};
const MAX_CALLS = 1_000;
/** In calls. */
const PROGRESS_EVERY = 50;
/** Maximum virtual time without a call, because a calling window may never open. */
const MAX_PAUSE_MS = 31 * 24 * 3_600_000;
/** Maximum virtual time after the broadcast for calls that its flows have ordered. */
const MAX_ORDERS_MS = 24 * 3_600_000;

/** Throws the `CallError` with which the service would refuse the broadcast. */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { order, seed = 1, profiles = defaultProfiles(), schedules = {} } = options;
  const clock = new VirtualClock(options.startMs, 'promises');
  const ids = countingIds();
  const { broadcasts: broadcastStore, calls } = openSqliteStore({ file: ':memory:', clock });
  /** By call: attempt number, from the claim to the start of the call. */
  const claimed = new Map<string, number>();
  const store = createInMemoryBroadcastStore(broadcastStore, (callId, attempt) => void claimed.set(callId, attempt));
  /** By leg: attempt number, from the start of the call until the leg is dialled. */
  const attempts = new Map<string, number>();
  const traced = tracedJournals(options.traced);
  const visits = new VisitCounter(options.counted);
  const callStore: CallStore = {
    ...calls,
    async commit(write) {
      visits.add(write);
      await traced.commit(write);
    },
  };
  const callsByGroup = new Map<string, number>();
  const callsByParty = new Map<string, number>();
  const crashes: { count: number; first?: unknown } = { count: 0 };
  const project = projectOf(options);
  const venues = createVenues({ clock, ids, rooms: options.rooms ?? configuredRooms([]) });

  /** Callee of a leg: a number of the broadcast, or a party called by a flow. */
  const calleeOf = ({ legId, to }: DialRequest): DrawnCallee => {
    const attempt = attempts.get(legId);
    if (attempt === undefined) return profiles.parties.draw(seed, to, increment(callsByParty, to));
    attempts.delete(legId);
    const callee = profiles.callees.draw(seed, to, attempt);
    increment(callsByGroup, callee.group);
    return callee;
  };

  let dialling: DrawnCallee | undefined;
  const engine = new SimulatedEngine({
    clock,
    ids,
    audio: silentAudio(),
    // The engine passes each far end right before it requests its plan.
    dialled(farEnd, request) {
      dialling = calleeOf(request);
      pressKeysFor(farEnd, dialling, clock);
    },
    callee: () => dialling!.plan,
  });
  const runs = createSupervisor({
    owner: 'rehearsal',
    clock,
    ids,
    engine,
    callStore,
    flow: (flow) => options.flows.find(flow),
    steps: stepsByVerb,
    http: (request, projectId, ...more) =>
      request.call ? placeCall(request.call, projectId) : (options.http ?? noNetwork)(request, projectId, ...more),
    deliveriesOf: () => [],
    keepsJournal: (record) => visits.isOn || traced.keeps(record),
    recordings: NO_RECORDINGS,
    venues,
    mayPresent: (_projectId, cli) => options.project?.numbers.belongsTo(project.projectId, cli) ?? true,
    mayStream: () => true,
    doNotCall: optOut(createDoNotCall(store.doNotCall, clock)),
    onCrash(_callId, error) {
      crashes.first ??= error;
      crashes.count++;
    },
  });
  let mostCalls = 0;
  let begun = 0;
  let tellProgress = (): void => undefined;
  let lastCallMs = clock.now();
  const supervisor: Supervisor = {
    ...runs,
    start(spec) {
      const { callId } = spec;
      attempts.set(spec.legId, claimed.get(callId) ?? 1);
      claimed.delete(callId);
      const run = runs.start(spec);
      lastCallMs = clock.now();
      if (++begun % PROGRESS_EVERY === 0) tellProgress();
      mostCalls = Math.max(mostCalls, runs.liveCalls);
      return run;
    },
    get liveCalls() {
      return runs.liveCalls;
    },
  };
  let overMs: number | undefined;
  /** Unfinished orders of flows (verb `call`). */
  const orders = new Set<string>();
  const numbers = options.project?.numbers ?? { ...NO_NUMBERS, of: () => countriesOf(options) };
  const broadcasts = createBroadcasts({
    clock,
    ids,
    random: seededRandom(seed),
    log: silentLog,
    engine,
    supervisor,
    callStore,
    flows: options.flows,
    numbers,
    projects: { find: () => project },
    conferences: conferenceGateway(venues.conference),
    queues: venues.queue,
    rooms: venues.room,
    recordings: NO_RECORDINGS,
    refusals: createCallRefusals(),
    recordingUrl: (recordingId) => recordingId,
    mayStream: () => true,
    isRoutable: () => true,
    prompts: () => options.prompts ?? {},
    promptAudio: { refusal: () => undefined },
    env: () => options.env ?? {},
    timezone: () => options.timezone ?? 'UTC',
    secrets: () => options.secrets ?? {},
    schedules: () => schedules,
    capacity: createCapacity({
      ...{ clock, supervisor: runs },
      limits: () => ({
        calls: options.maxCalls ?? MAX_CALLS,
        inboundReservePercent: options.inboundReservePercent ?? DEFAULT_RESERVE_PERCENT,
      }),
      projects: { find: () => project, list: () => [project] },
    }),
    deliveriesOf: () => [],
    store,
    limits: { ...LIMITS, ...options.limits },
    eventsOf({ order: { broadcastId, placed } }, what) {
      if (placed === undefined) overMs = what === 'initiated' ? undefined : clock.now();
      else if (what === 'initiated') orders.add(broadcastId);
      else orders.delete(broadcastId);
      return [];
    },
  });
  const placeCall = createFlowCalls({
    ...{ clock, log: silentLog, isRoutable: () => true, numbers, projects: { find: () => project }, broadcasts },
  });
  const isOver = (): boolean => overMs !== undefined && (orders.size === 0 || clock.now() - overMs > MAX_ORDERS_MS);
  const close = async (): Promise<void> => {
    broadcasts.close();
    await engine.stop();
  };
  try {
    await engine.start({ incoming: () => undefined, event: runs.legEvent });
    broadcasts.start();
    const { projectId } = project;
    const created = await broadcasts.create({ ...order, projectId }, options.numbers);
    const { broadcastId } = created.broadcast.order;
    const { progress } = options;
    if (progress) {
      tellProgress = () => {
        const calls = begun;
        void store.counts(broadcastId).then(({ done }) => progress({ numbers: done, calls }));
      };
    }
    await clock.advanceWhile(() => {
      options.between?.();
      return !isOver() && clock.now() - lastCallMs < MAX_PAUSE_MS;
    });
    return {
      broadcast: await broadcasts.find(projectId, broadcastId),
      duplicates: created.duplicates,
      counts: await broadcasts.counts(projectId, broadcastId),
      nowMs: clock.now(),
      mostCalls,
      callsByGroup,
      journals: traced.journals,
      visits,
      crashes,
      report: (query) => broadcasts.report(projectId, broadcastId, query),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Numbers in the countries in which orders of flows may call, without the numbers of a project. */
const countriesOf = ({ order, numbers }: RehearsalOptions): string[] => [
  order.from,
  ...numbers.slice(0, 1).map(({ phone }) => phone),
];

const noNetwork: RuntimePorts['http'] = async ({ name }) => ({
  ok: false,
  reason: 'network',
  message: `${name}: there is no network in a rehearsal`,
});

/** Recordings have no audio and are never read. */
const NO_RECORDINGS: Recordings = {
  open: ({ callId, recordingId }) => ({ file: `${callId}/${recordingId}.wav` }),
  close: () => undefined,
  kept: () => undefined,
  remove: async () => undefined,
  recover: async () => 0,
  found: () => ({ durationMs: 0, failed: 'a rehearsal keeps no recordings' }),
  find: () => {
    throw new CallError('unknown_recording', 'a rehearsal keeps no recordings');
  },
};

const projectOf = ({ project, startMs }: RehearsalOptions): Project => ({
  projectId: PROJECT_ID,
  name: PROJECT_ID,
  keyHash: '',
  webhookSecret: '',
  webhookFormat: 'plain',
  strictBridgeState: true,
  cliPolicy: project ? 'own' : 'any',
  createdMs: startMs ?? 0,
  ...project?.settings,
});

/** Keeps the journals of this number only; other journals are not needed after the result of their call. */
function tracedJournals(number: string | undefined) {
  const traced = number === undefined ? undefined : numberLookupKey(number);
  const byCall = new Map<string, JournalEntry[]>();
  return {
    keeps: ({ to }: CallRecord): boolean => traced !== undefined && numberLookupKey(to) === traced,
    async commit({ record, entries }: CallWrite): Promise<void> {
      if (!this.keeps(record)) return;
      byCall.set(record.callId, [...(byCall.get(record.callId) ?? []), ...entries]);
    },
    get journals(): JournalEntry[][] {
      return [...byCall.values()];
    },
  };
}

/** Returns the new count. */
function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
