/** Dependencies of the use cases in this folder; assembled in `app.ts`. */
import type { Clock } from '../../base/core/clock.ts';
import type { Delivery } from '../../base/core/delivery.ts';
import type { Ids } from '../../base/core/ids.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { Log } from '../../base/core/log.ts';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { Engine } from '../../media/telephony/engine.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';
import type { CallSpec } from '../runtime/ports.ts';
import type { Supervisor } from '../runtime/supervisor.ts';
import { CallError, type CallErrorCode } from './call-error.ts';
import type { CallRefusals } from './call-refusals.ts';
import type { CallOfCanary } from './canaries/canary.ts';
import type { Capacity, DialRefusal } from './capacity.ts';
import type { ConferenceGateway } from './conferences/conference-gateway.ts';
import type { Queues } from './conferences/queues.ts';
import type { RoomVenue } from './conferences/room-phones.ts';
import type { Flows } from './flow-files/flow-input.ts';
import type { NumberDirectory } from './numbers/numbers.ts';
import type { Project } from './projects/project-store.ts';
import type { PromptAudio } from './prompts/play-order.ts';
import type { NamedPrompts } from './prompts/prompts.ts';
import type { Recordings } from './recordings/recordings.ts';

export interface CallParts {
  clock: Clock;
  ids: Ids;
  /** Random numbers in [0, 1). */
  random(): number;
  log: Log;
  engine: Pick<Engine, 'send' | 'capabilities'>;
  supervisor: Supervisor;
  callStore: CallStore;
  flows: Flows;
  /** Version of the flow for a new call: the live version, or a canary. Default: the live version. */
  versionFor?(flow: CompiledFlow, call: CallOfCanary, input: JsonObject): CompiledFlow;
  /** Compiles a kept version of a flow. Throws `unknown_flow` and `flow_invalid`. */
  keptVersion?(name: string, hash: string): CompiledFlow;
  numbers: NumberDirectory;
  projects: { find(projectId: string): Project | undefined };
  /** True if a route to this number, SIP URI or user exists. */
  isRoutable(to: string): boolean;
  /** True if the audio of calls may be streamed to this URL. */
  mayStream(url: string): boolean;
  conferences: ConferenceGateway;
  queues: Pick<Queues, 'list'>;
  rooms: RoomVenue;
  recordings: Recordings;
  /** Absolute URL of a recording. */
  recordingUrl(recordingId: string): string;
  /** Current prompts of the configuration and the admin API. */
  prompts(): NamedPrompts;
  promptAudio: PromptAudio;
  /** `env` and `secrets` in expressions. */
  env(): JsonObject;
  /** Time zone of flows that name none; default UTC. */
  timezone?(): string;
  secrets(): JsonObject;
  /** Current schedules that flows may name. */
  schedules(): Readonly<Record<string, Json>>;
  /** Counts of refused inbound calls. */
  refusals: CallRefusals;
  /** Decides whether one more call may begin. */
  capacity: Capacity;
  /** True if the store and the cluster allow new calls. Default: true. */
  isReady?(): boolean;
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  /** Starts the trace of a call, as part of the trace of the request if there is one. Absent if tracing is off. */
  traceOf?(
    call: Pick<CallSpec, 'callId' | 'projectId' | 'direction' | 'from' | 'to' | 'flow'>,
    parent?: TraceContext,
  ): TraceContext | undefined;
}

/**
 * Values fixed at the start of each call, with its own random seed: kept in its journal, so that a replay draws the
 * same numbers.
 */
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

/** True if the project may present this number: one of its own, or any if its carriers check caller IDs. */
export const mayPresent = (
  projectId: string,
  number: string,
  { numbers, projects }: Pick<CallParts, 'numbers' | 'projects'>,
): boolean => projects.find(projectId)?.cliPolicy === 'any' || numbers.belongsTo(projectId, number);

/** Throws if the project may place no call now. */
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

/** Counts a placed call against the rate of its project; throws if it exceeds the rate. */
export function takeTurn(projectId: string, { capacity, projects }: Pick<CallParts, 'capacity' | 'projects'>): void {
  if (capacity.takeTurn(projectId)) return;
  capacity.refusals.add('project_pace');
  const { callsPerSecond } = projects.find(projectId) ?? {};
  throw new CallError('too_many_requests', `the project may place ${callsPerSecond} calls per second`);
}

export const REFUSED_FOR_NOW = 'new calls are refused for now: GET /health has the reason';

/** Built-in flows; see `flows/builtin`. */
export const REST_CONTROL = 'rest-control';
export const INBOUND_WEBHOOK = 'inbound-webhook';
