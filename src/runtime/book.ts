/** Port: where calls are written. Implemented in `store/`; the contract suite is `testkit/book-contract.ts`. */
import type { Delivery } from '../core/delivery.ts';
import type { CallRecord, Checkpoint, JournalEntry } from './journal.ts';

/** All of one decision: written in one transaction or not at all. */
export interface CallWrite {
  record: CallRecord;
  checkpoint: Checkpoint;
  entries: JournalEntry[];
  deliveries: Delivery[];
}

export interface Book {
  /** Resolves when the write would survive the death of the process. Writes of one call are kept in order. */
  commit(write: CallWrite): Promise<void>;
  call(callId: string): CallRecord | undefined;
  checkpoint(callId: string): Checkpoint | undefined;
  journal(callId: string): JournalEntry[];
  /** Calls without an end: at start-up, those that died with the service. */
  unfinished(): CallRecord[];
}
