/** Port: where calls are stored. Implemented in `store/`; the contract suite is `contracts/store/call-store.ts`. */
import type { Delivery } from '../core/delivery.ts';
import type { Receipt } from '../core/receipt.ts';
import type { CallRecord, Checkpoint, JournalEntry } from './journal.ts';

/** All of one decision: written in one transaction or not at all. */
export interface CallWrite {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: JournalEntry[];
  deliveries: Delivery[];
  /** What is answered to the request that made the call. */
  receipt?: Receipt;
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
  /** Resolves when the write would survive the death of the process. Writes of one call are kept in order. */
  commit(write: CallWrite): Promise<void>;
  call(callId: string): CallRecord | undefined;
  checkpoint(callId: string): Checkpoint | undefined;
  journal(callId: string): JournalEntry[];
  /** A part of the journal; the call may be live. */
  journalPage(callId: string, query: JournalQuery): JournalPage;
  /** Calls, the newest first: at most `limit` of those that come after `after`, and began in this time. */
  list(query: CallQuery): {
    cursor: CallCursor;
    record: CallRecord;
  }[];
  /** Calls without an end: at start-up, those that died with the service. */
  unfinished(): CallRecord[];
}
