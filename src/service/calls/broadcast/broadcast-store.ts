/**
 * Port: broadcasts and their numbers. Implemented in `service/store/sqlite/broadcasts.ts` (also used for the store in
 * memory); the contract suite is `test/contracts/store/broadcast-store.ts`.
 *
 * Invariants
 *  - A change is durable when its method resolves: it survives the death of the process.
 *  - Several nodes may work on one broadcast. If several claim a number or end the broadcast, one succeeds.
 *  - A number goes `queued → calling → queued | done`, and never leaves `done`.
 *  - A broadcast is visible only when all its numbers are written; a partly written one is removed at the next start.
 *  - No method uses memory that grows with the count of numbers, except for the rows that its caller requests.
 */
import type { Delivery } from '../../../base/core/delivery.ts';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { Attempt, Broadcast, BroadcastState, Callee, Counts, NumberRow, Result } from './broadcast.ts';

export interface BroadcastStore {
  /**
   * Writes the broadcast and its numbers, a few thousand per transaction and turn of the event loop; the last
   * transaction includes the deliveries and the receipt. The caller has checked the numbers: none occurs twice.
   */
  create(
    broadcast: Broadcast,
    callees: Iterable<Callee>,
    deliveries: readonly Delivery[],
    receipt?: Receipt,
  ): Promise<void>;
  find(broadcastId: string): Promise<Broadcast | undefined>;
  /** Broadcasts of a project, newest first, starting after the one named. */
  list(query: { projectId: string; after?: string; limit: number }): Promise<Broadcast[]>;
  /** Broadcasts that are not over (no `endedMs`), oldest first. */
  unfinished(): Promise<Broadcast[]>;
  /** Writes a change of state with its events. False, and nothing is written, if the broadcast is over already. */
  change(broadcastId: string, change: StateChange, deliveries: readonly Delivery[]): Promise<boolean>;

  /** Numbers that may be called now, at most `limit`: due retries come before numbers that were never called. */
  due(broadcastId: string, nowMs: number, limit: number): Promise<NumberRow[]>;
  /** Time at which the next `queued` number is due. Undefined if none is queued. */
  nextDueMs(broadcastId: string): Promise<number | undefined>;
  /** `queued → calling`, before the call is made; counts the attempt. False if the number was not queued. */
  claim(broadcastId: string, number: number, call: { callId: string; atMs: number }): Promise<boolean>;
  /** `calling → queued`, undoing the claim: no call was made. */
  release(broadcastId: string, number: number): Promise<void>;
  /** `calling → queued`, for a retry. `node`: the node that was calling the number, if not this one (see `settle`). */
  requeue(
    broadcastId: string,
    number: number,
    attempt: Attempt,
    last: Result,
    dueMs: number,
    node?: string,
  ): Promise<void>;
  /**
   * `queued | calling → done`. Without `attempt`, no call was made this time. If several nodes share a broadcast,
   * nothing is written for a number that is being called by a node other than `node` (default: this one).
   */
  settle(broadcastId: string, number: number, end: NumberEnd): Promise<void>;
  /**
   * Settles `queued` numbers with this result, or with that of their last call if they have one. Returns how many.
   * `most`: maximum per call, for batches.
   */
  settleQueued(broadcastId: string, end: { result: Result; atMs: number; most?: number }): Promise<number>;
  /** At the start of the service: numbers whose calls were lost with it, at most `limit`. */
  calling(broadcastId: string, limit: number): Promise<NumberRow[]>;
  /** Nodes that are calling numbers of a broadcast that several nodes share. */
  callingNodes?(broadcastId: string): Promise<string[]>;
  /** Releases numbers that this node has read ahead and will not call, so that other nodes can call them. */
  letGo?(broadcastId: string, numbers: readonly number[]): Promise<void>;
  /** Completes operations that failed on this node or that lost nodes left half done, if nodes share broadcasts. */
  repair?(isLost: (node: string) => boolean): Promise<void>;

  /** Rejects if the broadcast does not exist. */
  counts(broadcastId: string): Promise<Counts>;
  /** Numbers in the order in which they were submitted. `after`: last number of the previous page. */
  report(query: ReportQuery): Promise<NumberRow[]>;

  doNotCall: DoNotCallStore;
  /** Deletes a broadcast that is over with its numbers, a bounded number of rows at a time. */
  remove(broadcastId: string): Promise<void>;
  /**
   * Deletes broadcasts that ended earlier, with their numbers, a bounded number of rows at a time. Returns the count of
   * broadcasts.
   */
  prune(endedBeforeMs: number): Promise<number>;
}

export interface NumberEnd {
  result: Result;
  atMs: number;
  attempt?: Attempt;
  /** The lost node for which this one writes the result. */
  node?: string;
}

export interface StateChange {
  state: BroadcastState;
  startedMs?: number;
  endedMs?: number;
  error?: string;
  /** Ends also the live calls of a stopped broadcast, on every node. */
  hangUp?: true;
}

export interface ReportQuery {
  broadcastId: string;
  after?: number;
  limit: number;
  states?: readonly NumberRow['state'][];
  /** Both match `done` numbers, as in `Counts`. */
  code?: Result['code'];
  reason?: string;
  /** The number in dialled form: `dialled()` of `service/calls/numbers/numbers.ts`. */
  phone?: string;
}

/** Numbers that broadcasts of a project never call. A key is the number as it is dialled, in lower case. */
export interface DoNotCallStore {
  /** Returns how many keys were new. */
  add(projectId: string, keys: readonly string[], atMs: number): Promise<number>;
  remove(projectId: string, key: string): Promise<boolean>;
  has(projectId: string, key: string): Promise<boolean>;
  /** Sorted by key. `after`: last key of the previous page. */
  list(query: { projectId: string; after?: string; limit: number }): Promise<{ key: string; addedMs: number }[]>;
  count(projectId: string): Promise<number>;
}
