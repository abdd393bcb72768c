/**
 * What may be asked of broadcasts: the use cases behind the API, and what the service does with them at its start and
 * end. Implemented in `create-broadcasts.ts`.
 */
import type { Receipt } from '../../core/receipt.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { Broadcast, BroadcastOrder, Callee, Counts, NumberRow, Result } from './broadcast.ts';

/**
 * An order as the API reads it: what it leaves out is filled in from the defaults of the service. The API makes the id,
 * because it holds the broadcast's events back until its answer has left; without one, it is made here.
 */
export type NewBroadcast = Omit<BroadcastOrder, 'broadcastId'> & { broadcastId?: string };

export interface CreatedBroadcast {
  broadcast: Broadcast;
  duplicates: number;
}

export interface Broadcasts {
  /**
   * Checks the order and all its numbers, writes it, and begins. Duplicates are called once, and counted in `duplicates`.
   * Throws a `CallError`: `cli_not_assigned`, `numbers_invalid` (with `offenders`, all of them), what placing a call with
   * this action may throw, `overloaded`.
   */
  create(
    order: NewBroadcast,
    callees: readonly Callee[],
    /** What is answered to the request, written with the broadcast. */
    receipt?: (made: CreatedBroadcast) => Receipt | undefined,
  ): Promise<CreatedBroadcast>;
  /** The rest throw `unknown_broadcast`, also for one of another project. */
  find(projectId: string, broadcastId: string): Broadcast;
  list(query: { projectId: string; after?: string; limit: number }): Broadcast[];
  counts(projectId: string, broadcastId: string): BroadcastCounts;
  report(projectId: string, broadcastId: string, query: NumberQuery): NumberPage;
  /** Nothing new is dialled from now on; `hangUp`: calls that go on are ended. One that is over stays as it is. */
  stop(projectId: string, broadcastId: string, options: { hangUp: boolean }): Promise<Broadcast>;
  /** A call of the broadcast, as it stands; throws `unknown_call` for any other. */
  callOf(projectId: string, broadcastId: string, callId: string): CallRecord;
  readonly doNotCall: DoNotCall;

  /** Takes up what an earlier life of the service left (see `recover-broadcasts.ts`); before its calls are buried. */
  recover(): Promise<void>;
  /** Begins to dial, and ends those that cannot be carried on; after the calls are buried. */
  start(): void;
  /** Dials nothing any more; calls that go on are left alone. */
  close(): void;
  /** For metrics: broadcasts that go on, calls of broadcasts, numbers that wait. */
  readonly figures: { running: number; calls: number; queued: number };
}

/** `calling` parted into what the calls are doing. */
export interface BroadcastCounts extends Counts {
  ringing: number;
  connected: number;
}

/** States of numbers as the API tells them: a number that is being called and does not ring yet is `queued`. */
export type NumberStatus = 'queued' | 'ringing' | 'connected' | 'disconnected';

export interface NumberQuery {
  limit: number;
  /** `next` of the page before. */
  cursor?: string;
  state?: NumberStatus;
  code?: Result['code'];
  reason?: string;
  phone?: string;
}

export interface NumberPage {
  rows: (NumberRow & { status: NumberStatus })[];
  next?: string;
}

/** Numbers that broadcasts of a project never call, however they are written. */
export interface DoNotCall {
  /** Throws `numbers_invalid`. How many were new. */
  add(projectId: string, phones: readonly string[]): number;
  /** The same of a long list, in turns that let live calls go on. */
  addAll(projectId: string, phones: readonly string[]): Promise<number>;
  remove(projectId: string, phone: string): boolean;
  has(projectId: string, phone: string): boolean;
  list(query: { projectId: string; cursor?: string; limit: number }): {
    phones: { phone: string; addedMs: number }[];
    next?: string;
  };
}

/** What the service allows; from the configuration (`broadcasts`). */
export interface BroadcastLimits {
  /** Of all broadcasts together. */
  callsPerSecond: number;
  maxConcurrent: number;
  /** Those of a project that say nothing of their own share this. */
  projectCallsPerSecond: number;
  projectMaxConcurrent: number;
  /** Of a project that are not over: what they are to do stands in memory. */
  projectBroadcasts: number;
  /** Numbers of one broadcast. */
  numbers: number;
}
