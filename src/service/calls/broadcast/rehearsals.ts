/**
 * Rehearsals of broadcasts: starts, tracks and stops them. The work runs off the call path, behind the port `Rehearse`,
 * which `proof/testkit/rehearsal` implements.
 *
 * Invariants
 *  - The number of active rehearsals and the numbers of each are bounded. Results are kept in memory only, up to a
 *    bounded number.
 *  - No call is placed and no event is sent.
 */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { CallError, type CallErrorCode, type InvalidNumber } from '../call-error.ts';
import type { Room } from '../conferences/room-phones.ts';
import type { WorkOptions, WorkProgress } from '../flow-files/flow-check.ts';
import type { ProvisionedNumber } from '../numbers/numbers.ts';
import type { Project } from '../projects/project-store.ts';
import type { NamedPrompts } from '../prompts/prompts.ts';
import type { Callee } from './broadcast.ts';
import type { BroadcastLimits, NewBroadcast } from './broadcasts.ts';

export interface RehearsalOrder {
  order: Omit<NewBroadcast, 'projectId'>;
  callees: readonly Callee[];
  seed: number;
  startMs?: number;
  /** Text that describes callees; absent: the default profiles. */
  profiles?: string;
}

/** Snapshot of the service's configuration, without secrets. */
export interface RehearsalHouse {
  project: Pick<
    Project,
    'projectId' | 'name' | 'webhookFormat' | 'strictBridgeState' | 'cliPolicy' | 'maxCalls' | 'callsPerSecond'
  >;
  numbers: readonly ProvisionedNumber[];
  rooms: readonly Room[];
  prompts: NamedPrompts;
  schedules: Readonly<Record<string, Json>>;
  env: JsonObject;
  timezone: string;
  secrets: JsonObject;
  limits: BroadcastLimits;
  maxCalls: number;
  inboundReservePercent: number;
}

export type RehearsalJob = RehearsalOrder & { house: RehearsalHouse };

/** Reason why the service would refuse the broadcast. */
export interface RehearsalRefusal {
  code: CallErrorCode;
  message: string;
  hint?: string;
  diagnostics: readonly Diagnostic[];
  invalidNumbers: readonly InvalidNumber[];
}

export type RehearsalOutcome = { result: JsonObject } | { refused: RehearsalRefusal };

export type Rehearse = (job: RehearsalJob, options: WorkOptions) => Promise<RehearsalOutcome>;

export interface RehearsalStatus {
  readonly rehearsalId: string;
  readonly numbers: number;
  readonly startedMs: number;
  state: 'running' | 'completed' | 'failed' | 'stopped';
  done: WorkProgress;
  endedMs?: number;
  /** Result in the format of the API. */
  result?: JsonObject;
  refused?: Omit<RehearsalRefusal, 'code'>;
}

export interface Rehearsals {
  /** Throws `overloaded`, or `numbers_invalid` if there are too many numbers. */
  start(projectId: string | undefined, order: RehearsalOrder): RehearsalStatus;
  /** Throws `unknown_setting`. */
  find(rehearsalId: string): RehearsalStatus;
  stop(rehearsalId: string): RehearsalStatus;
}

export interface RehearsalsParts {
  /** Snapshot for a project; the first one by default. Throws if the project does not exist. */
  house(projectId: string | undefined): RehearsalHouse;
  rehearse: Rehearse;
  nextId(): string;
  nowMs(): number;
}

export const MAX_REHEARSED_NUMBERS = 10_000;
const MAX_AT_ONCE = 3;
const MAX_KEPT = 20;

export function createRehearsals({ house, rehearse, nextId, nowMs }: RehearsalsParts): Rehearsals {
  /** Rehearsals, oldest first. */
  const kept = new Map<string, { rehearsal: RehearsalStatus; abort: AbortController }>();
  const runningCount = (): number => [...kept.values()].filter(({ rehearsal }) => rehearsal.state === 'running').length;

  const forget = (): void => {
    for (const [id, { rehearsal }] of kept) {
      if (kept.size <= MAX_KEPT) return;
      if (rehearsal.state !== 'running') kept.delete(id);
    }
  };

  const carryOut = async (rehearsal: RehearsalStatus, job: RehearsalJob, signal: AbortSignal): Promise<void> => {
    const end = (state: RehearsalStatus['state'], more: Partial<RehearsalStatus> = {}): void => {
      if (rehearsal.state === 'running') Object.assign(rehearsal, { ...more, state, endedMs: nowMs() });
    };
    const progress = (done: WorkProgress): void => {
      rehearsal.done = done;
    };
    try {
      const outcome = await rehearse(job, { signal, progress });
      if ('result' in outcome) end('completed', { result: outcome.result });
      else end('failed', { refused: outcome.refused });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const { hint } = error instanceof CallError ? error : {};
      end('failed', {
        refused: { message, diagnostics: [], invalidNumbers: [], ...(hint === undefined ? {} : { hint }) },
      });
    }
  };

  const find = (rehearsalId: string) => {
    const found = kept.get(rehearsalId);
    if (!found) throw new CallError('unknown_setting', 'there is no such rehearsal');
    return found;
  };

  return {
    start(projectId, order) {
      const numbers = order.callees.length;
      if (numbers > MAX_REHEARSED_NUMBERS) {
        throw new CallError('numbers_invalid', `a rehearsal may have at most ${MAX_REHEARSED_NUMBERS} numbers`, {
          hint: 'use fewer numbers, or run  callweave rehearse',
        });
      }
      if (runningCount() >= MAX_AT_ONCE)
        throw new CallError('overloaded', `${MAX_AT_ONCE} rehearsals are already running`);
      const job = { ...order, house: house(projectId) };
      const abort = new AbortController();
      const rehearsal: RehearsalStatus = {
        ...{ rehearsalId: nextId(), numbers, startedMs: nowMs() },
        ...{ state: 'running', done: { numbers: 0, calls: 0 } },
      };
      kept.set(rehearsal.rehearsalId, { rehearsal, abort });
      forget();
      void carryOut(rehearsal, job, abort.signal);
      return rehearsal;
    },
    find: (rehearsalId) => find(rehearsalId).rehearsal,
    stop(rehearsalId) {
      const { rehearsal, abort } = find(rehearsalId);
      if (rehearsal.state === 'running') Object.assign(rehearsal, { state: 'stopped', endedMs: nowMs() });
      abort.abort();
      return rehearsal;
    },
  };
}
