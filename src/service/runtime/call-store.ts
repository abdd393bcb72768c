/**
 * Port: stored calls, and the node epoch that owns each of them (`base/core/ownership.ts`). Implemented in `store/`;
 * the contract suite is `test/contracts/store/call-store.ts`. Several nodes may share it, so all methods are
 * asynchronous.
 *
 * Invariants
 *  - The journal entries of a call are numbered from 1 without gaps.
 *  - A write under another fence than that of the call is rejected, whatever it contains.
 *  - If several nodes adopt a call after the same fence, one succeeds.
 */
import type { Delivery } from '../../base/core/delivery.ts';
import type { Json } from '../../base/core/json.ts';
import type { NodeEpoch, Ownership } from '../../base/core/ownership.ts';
import type { Receipt } from '../../base/core/receipt.ts';
import type { CallRecord, Checkpoint, JournalEntry } from './journal.ts';

/** Content of one decision: written in one transaction or not at all. */
export interface CallWrite extends Ownership {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: JournalEntry[];
  deliveries: Delivery[];
  /** Response to the request that created the call. */
  receipt?: Receipt;
  /** Values masked in the entries, kept encrypted until the call ends, or not at all. */
  unmasked?: UnmaskedEntry[];
}

/** Value of an `in` entry: the input; of `started`: its `input`, `env` and `headers`. */
export interface UnmaskedEntry {
  seq: number;
  value: Json;
}

/** A position in a list of calls: older calls follow it. */
export interface CallCursor {
  startedMs: number;
  /** Orders calls that began in the same millisecond. */
  number: number;
}

export interface CallQuery {
  /** Default: all projects. */
  projectId?: string;
  after?: CallCursor;
  fromMs: number;
  toMs: number;
  /** True for live calls only; uses an index. */
  isLive?: boolean;
  limit: number;
}

/** Consecutive entries of a journal. */
export interface JournalPage {
  entries: JournalEntry[];
  /** True if more entries exist. */
  hasMore: boolean;
}

export interface JournalQuery {
  /** Entries after this one; 0: from the beginning. */
  afterSeq: number;
  /**
   * Maximum number of entries, at least 1. A page may be shorter if its entries are long, but is not empty while there
   * are more.
   */
  limit: number;
}

export interface CallStore {
  /**
   * Resolves when the write would survive the death of the process. Writes of one call are kept in order. Rejects with
   * `Fenced` if the call has another fence. A write whose entries all exist under its fence is a repetition: it
   * resolves, and nothing is written or delivered again.
   */
  commit(write: CallWrite): Promise<void>;
  call(callId: string): Promise<CallRecord | undefined>;
  checkpoint(callId: string): Promise<Checkpoint | undefined>;
  journal(callId: string): Promise<JournalEntry[]>;
  /** Part of the journal of a live or ended call. */
  journalPage(callId: string, query: JournalQuery): Promise<JournalPage>;
  /** Calls, newest first: at most `limit` that follow `after` and began in this time range. */
  list(query: CallQuery): Promise<ListedCall[]>;
  /** Calls without an end, oldest first. */
  unfinished(): Promise<CallRecord[]>;
  /**
   * Makes `owner` the owner of a live call that had this fence when it was read. Returns the new fence. Undefined if
   * another node was first, or the call has ended or does not exist.
   */
  adopt(callId: string, by: { owner: NodeEpoch; seenFence: number }): Promise<number | undefined>;
  /** Undefined if the call does not exist. */
  ownership(callId: string): Promise<(Ownership & { isEnded: boolean }) | undefined>;
  /** Live calls of an epoch, oldest first. */
  ownedBy(owner: NodeEpoch): Promise<string[]>;
  /** Epochs that own live calls. */
  owners(): Promise<NodeEpoch[]>;
  /** Values masked in the journal of a live call, by entry number. Absent if they are not stored. */
  unmasked?(callId: string): Promise<ReadonlyMap<number, Json>>;
}

export interface ListedCall {
  cursor: CallCursor;
  record: CallRecord;
}
