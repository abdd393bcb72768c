/**
 * Port: broadcasts and their numbers. Implemented in `store/sqlite/broadcasts.ts` (of which the one in memory is made,
 * too); the contract suite is `contracts/store/broadcast-store.ts`.
 *
 * Invariants
 *  - what a method changed is durable when it resolves (survives the death of the process);
 *  - several nodes may work on one broadcast: of those that claim a number, or end the broadcast, one succeeds;
 *  - a number goes `queued → calling → queued | done`, and never leaves `done`;
 *  - a broadcast is visible only when all its numbers are written; a half-written one is gone after a restart;
 *  - nothing here takes memory that grows with the numbers, but for what a caller asks to be given at once.
 */
import type { Delivery } from '../../core/delivery.ts';
import type { Receipt } from '../../core/receipt.ts';
import type { Attempt, Broadcast, BroadcastState, Callee, Counts, NumberRow, Result } from './broadcast.ts';

export interface BroadcastStore {
  /**
   * Writes it with its numbers, a few thousand per transaction and turn of the event loop, and the deliveries and the
   * receipt with the last of them. The caller has checked the numbers: none is there twice.
   */
  create(
    broadcast: Broadcast,
    callees: Iterable<Callee>,
    deliveries: readonly Delivery[],
    receipt?: Receipt,
  ): Promise<void>;
  find(broadcastId: string): Promise<Broadcast | undefined>;
  /** Of a project, the newest first, those that come after the one named. */
  list(query: { projectId: string; after?: string; limit: number }): Promise<Broadcast[]>;
  /** Those that are not over (no `endedMs`), the oldest first. */
  unfinished(): Promise<Broadcast[]>;
  /** Writes a change of state, with its events. False, and nothing is written: it is over already. */
  change(broadcastId: string, change: StateChange, deliveries: readonly Delivery[]): Promise<boolean>;

  /** What may be called now: at most `limit`, repetitions that are due before numbers that were never called. */
  due(broadcastId: string, nowMs: number, limit: number): Promise<NumberRow[]>;
  /** When the next of the `queued` ones is due; undefined: none is queued. */
  nextDueMs(broadcastId: string): Promise<number | undefined>;
  /** `queued → calling`, before the call is made; counts the attempt. False: it was not queued. */
  claim(broadcastId: string, number: number, call: { callId: string; atMs: number }): Promise<boolean>;
  /** `calling → queued`, as if it had not been claimed: there was no call. */
  release(broadcastId: string, number: number): Promise<void>;
  /** `calling → queued`: to be called again. `node`: which was calling it, if not this one: see `settle`. */
  requeue(
    broadcastId: string,
    number: number,
    attempt: Attempt,
    last: Result,
    dueMs: number,
    node?: string,
  ): Promise<void>;
  /**
   * `queued | calling → done`. Without an attempt: it was never called, or not this time. Where several nodes share a
   * broadcast, nothing is written of a number that another one is calling than `node` (default: this one).
   */
  settle(broadcastId: string, number: number, end: NumberEnd): Promise<void>;
  /**
   * All that are `queued → done` with this result, or the one of their last call where they had one. How many. `most`: no
   * more than so many, for callers that settle a hundred thousand in batches.
   */
  settleQueued(broadcastId: string, end: { result: Result; atMs: number; most?: number }): Promise<number>;
  /** At a start: those whose calls died with the service, at most `limit` of them. */
  calling(broadcastId: string, limit: number): Promise<NumberRow[]>;
  /** Where several nodes share a broadcast: those that are calling numbers of it. */
  callingNodes?(broadcastId: string): Promise<string[]>;
  /** Where several nodes share a broadcast: others may call these at once, which this one has read and does not call. */
  letGo?(broadcastId: string, numbers: readonly number[]): Promise<void>;
  /** Where several nodes share broadcasts: finishes what this one could not, and what lost ones have left half done. */
  repair?(isLost: (node: string) => boolean): Promise<void>;

  /** Rejects where there is no such broadcast. */
  counts(broadcastId: string): Promise<Counts>;
  /** In the order in which they were given; `after`: the number of the last one of the page before. */
  report(query: ReportQuery): Promise<NumberRow[]>;

  doNotCall: DoNotCallStore;
  /** Deletes one that is over, with its numbers, a bounded number of rows at a time. */
  remove(broadcastId: string): Promise<void>;
  /** Deletes broadcasts that ended before, with their numbers, a bounded number of rows at a time. How many broadcasts. */
  prune(endedBeforeMs: number): Promise<number>;
}

export interface NumberEnd {
  result: Result;
  atMs: number;
  attempt?: Attempt;
  /** A lost one, for which this one writes it. */
  node?: string;
}

export interface StateChange {
  state: BroadcastState;
  startedMs?: number;
  endedMs?: number;
  error?: string;
  /** Of a stop: the live calls end, too, on whichever node. */
  hangUp?: true;
}

export interface ReportQuery {
  broadcastId: string;
  after?: number;
  limit: number;
  states?: readonly NumberRow['state'][];
  /** Both of `done` ones, as in `Counts`. */
  code?: Result['code'];
  reason?: string;
  /** As it would be dialled: `dialled()` of `calls/numbers.ts`. */
  phone?: string;
}

/** Numbers that broadcasts of a project never call. Keys are numbers as they are dialled, in lower case. */
export interface DoNotCallStore {
  /** How many were new. */
  add(projectId: string, keys: readonly string[], atMs: number): Promise<number>;
  remove(projectId: string, key: string): Promise<boolean>;
  has(projectId: string, key: string): Promise<boolean>;
  /** By key; `after`: the last of the page before. */
  list(query: { projectId: string; after?: string; limit: number }): Promise<{ key: string; addedMs: number }[]>;
  count(projectId: string): Promise<number>;
}
