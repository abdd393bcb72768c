/** What the use cases of this folder work with; put together in `app.ts`. */
import type { Clock } from '../core/clock.ts';
import type { Delivery } from '../core/delivery.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Ids } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { TraceContext } from '../core/trace-context.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';
import type { CallSpec } from '../runtime/ports.ts';
import type { Supervisor } from '../runtime/supervisor.ts';
import type { Engine } from '../telephony/engine.ts';
import { CallError, type CallErrorCode } from './call-error.ts';
import type { CallRefusals } from './call-refusals.ts';
import type { CallOfCanary } from './canaries/canary.ts';
import type { Capacity, DialRefusal } from './capacity.ts';
import type { ConferenceDesk } from './conferences/conference-desk.ts';
import type { Queues } from './conferences/queues.ts';
import type { Rooms } from './conferences/rooms.ts';
import type { Numbers } from './numbers.ts';
import type { PromptAudio } from './play-order.ts';
import type { Project } from './project-store.ts';
import type { NamedPrompts } from './prompts.ts';
import type { Recordings } from './recordings.ts';

export interface CallParts {
  clock: Clock;
  ids: Ids;
  /** Numbers in [0, 1). */
  random(): number;
  log: Log;
  engine: Pick<Engine, 'send' | 'capabilities'>;
  supervisor: Supervisor;
  callStore: CallStore;
  flows: Flows;
  /** The version that a new call takes: of the flow in force, or a candidate that some callers get; default the former. */
  versionFor?(flow: CompiledFlow, call: CallOfCanary, input: JsonObject): CompiledFlow;
  numbers: Numbers;
  projects: { find(projectId: string): Project | undefined };
  /** Whether there is a way to this number, SIP URI or user. */
  isRoutable(to: string): boolean;
  /** Whether the sound of calls may be sent to this address. */
  mayStream(url: string): boolean;
  conferences: ConferenceDesk;
  queues: Pick<Queues, 'list'>;
  rooms: Rooms;
  recordings: Recordings;
  /** Where a recording can be had: a whole URL. */
  recordingUrl(recordingId: string): string;
  /** The prompts of the configuration and of the admin API, as they are now. */
  prompts(): NamedPrompts;
  promptAudio: PromptAudio;
  /** What expressions see as `env` and `secrets`. */
  env(): JsonObject;
  /** Of flows that name none; default UTC. */
  timezone?(): string;
  secrets(): JsonObject;
  /** The schedules that flows may name, as they are now. */
  schedules(): Readonly<Record<string, Json>>;
  /** Counts the calls in that were refused. */
  refusals: CallRefusals;
  /** Whether one more call may begin. */
  capacity: Capacity;
  /** Whether the store and the cluster let new calls begin; default yes. */
  isReady?(): boolean;
  /** Whether a verb is heard by the caller. */
  isMedia(verb: string): boolean;
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  /** Begins the trace of a call, or its part of the trace that asked for it. Absent: there are no traces. */
  traceOf?(
    call: Pick<CallSpec, 'callId' | 'projectId' | 'direction' | 'from' | 'to' | 'flow'>,
    parent?: TraceContext,
  ): TraceContext | undefined;
}

/** The flows there are, and how to make one of a document that came with a request. */
export interface Flows {
  get(name: string): CompiledFlow | undefined;
  names(): readonly string[];
  compile(document: JsonObject): { flow?: CompiledFlow; diagnostics: Diagnostic[] };
}

/** What every call takes along, with the seed of a chance of its own: kept in its journal, so that a replay draws the same. */
export const runDefaults = (
  { random, env, timezone, secrets, schedules, projects }: CallParts,
  projectId: string,
): Pick<CallSpec, 'seed' | 'env' | 'timezone' | 'secrets' | 'schedules' | 'strictBridgeState'> => ({
  seed: Math.floor(random() * 2 ** 32),
  env: env(),
  timezone: timezone?.(),
  secrets: secrets(),
  schedules: schedules(),
  strictBridgeState: projects.find(projectId)?.strictBridgeState ?? true,
});

/** Whether the project may show this number: one of its own, unless its carriers check that. */
export const mayPresent = (
  projectId: string,
  number: string,
  { numbers, projects }: Pick<CallParts, 'numbers' | 'projects'>,
): boolean => projects.find(projectId)?.cliPolicy === 'any' || numbers.belongsTo(projectId, number);

/** Throws where the project may place no call now. */
export function checkAdmission(
  projectId: string,
  { capacity, isReady }: Pick<CallParts, 'capacity' | 'isReady'>,
): void {
  const refuse = (why: DialRefusal, code: CallErrorCode, message: string): never => {
    capacity.refusals.add(why);
    throw new CallError(code, message);
  };
  if (isReady?.() === false) refuse('not_ready', 'store_failing', REFUSED_FOR_NOW);
  const problem = capacity.problem({ projectId, direction: 'outbound' });
  if (problem) refuse(problem.why, problem.why === 'project_full' ? 'project_full' : 'overloaded', problem.message);
}

/** Counts a call that is placed against the pace of its project; throws where it comes too early. */
export function takeTurn(projectId: string, { capacity, projects }: Pick<CallParts, 'capacity' | 'projects'>): void {
  if (capacity.takeTurn(projectId)) return;
  capacity.refusals.add('project_pace');
  const { callsPerSecond } = projects.find(projectId) ?? {};
  throw new CallError('too_many_requests', `the project may place ${callsPerSecond} calls per second`);
}

export const REFUSED_FOR_NOW = 'new calls are refused for now: GET /health has the reason';

/** Flows that come with the service; see `flows/builtin`. */
export const REST_CONTROL = 'rest-control';
export const INBOUND_WEBHOOK = 'inbound-webhook';
