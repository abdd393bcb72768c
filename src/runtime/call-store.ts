/**
 * Port: where calls are stored, and which life of which node owns each of them (`core/ownership.ts`). Implemented in
 * `store/`; the contract suite is `contracts/store/call-store.ts`. Several nodes may share it, so that all of it is
 * asynchronous.
 *
 * Invariants
 *  - the journal entries of a call are numbered from 1 without gaps;
 *  - what is written under another fence than the call has is refused, whatever else it says;
 *  - of several that adopt a call after the same fence, one does.
 */
import type { Delivery } from '../core/delivery.ts';
import type { Json } from '../core/json.ts';
import type { LifeId, Ownership } from '../core/ownership.ts';
import type { Receipt } from '../core/receipt.ts';
import type { CallRecord, Checkpoint, JournalEntry } from './journal.ts';

/** All of one decision: written in one transaction or not at all. */
export interface CallWrite extends Ownership {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: JournalEntry[];
  deliveries: Delivery[];
  /** What is answered to the request that made the call. */
  receipt?: Receipt;
  /** What the entries show masked. It is kept encrypted until the call ends, or not at all. */
  unmasked?: UnmaskedEntry[];
}

/** Of `in`: the input; of `started`: its `input`, `env` and `headers`. */
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
  /** Default: of all projects. */
  projectId?: string;
  after?: CallCursor;
  fromMs: number;
  toMs: number;
  /** Only those without an end: found without looking at the others. */
  isLive?: boolean;
  limit: number;
}

/** Some entries of a journal, in their order. */
export interface JournalPage {
  entries: JournalEntry[];
  /** More are there already. */
  hasMore: boolean;
}

export interface JournalQuery {
  /** Entries after this one; 0: from the beginning. */
  afterSeq: number;
  /** At least 1. A page may be shorter than this where its entries are long, but is not empty while there are more. */
  limit: number;
}

export interface CallStore {
  /**
   * Resolves when the write would survive the death of the process. Writes of one call are kept in order. Rejects with
   * `Fenced` when the call has another fence. A write whose entries are all there already under its fence was given
   * before: it resolves, and nothing of it is written or delivered again.
   */
  commit(write: CallWrite): Promise<void>;
  call(callId: string): Promise<CallRecord | undefined>;
  checkpoint(callId: string): Promise<Checkpoint | undefined>;
  journal(callId: string): Promise<JournalEntry[]>;
  /** A part of the journal; the call may be live. */
  journalPage(callId: string, query: JournalQuery): Promise<JournalPage>;
  /** Calls, the newest first: at most `limit` of those that come after `after`, and began in this time. */
  list(query: CallQuery): Promise<ListedCall[]>;
  /** Calls without an end, the oldest first. */
  unfinished(): Promise<CallRecord[]>;
  /**
   * Makes `owner` the owner of a live call that had this fence when it was looked at. The new fence; undefined: somebody
   * was first, or the call has ended, or there is none.
   */
  adopt(callId: string, by: { owner: LifeId; seenFence: number }): Promise<number | undefined>;
  /** Undefined: there is no such call. */
  ownership(callId: string): Promise<(Ownership & { isEnded: boolean }) | undefined>;
  /** The live calls of a life, the oldest first. */
  ownedBy(owner: LifeId): Promise<string[]>;
  /** The lives that own live calls. */
  owners(): Promise<LifeId[]>;
  /** What the journal of a live call shows masked, by the numbers of its entries. Absent: it is not kept. */
  unmasked?(callId: string): Promise<ReadonlyMap<number, Json>>;
}

export interface ListedCall {
  cursor: CallCursor;
  record: CallRecord;
}
