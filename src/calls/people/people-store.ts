/**
 * Port: what is kept about people, and how it is deleted. Implemented in `store/sqlite/people.ts`; the contract suite is
 * `contracts/store/people-store.ts`.
 */
import type { CallRecord } from '../../runtime/journal.ts';
import type { KeptRecording } from '../recording-store.ts';

/** What went with calls. */
export interface DeletedCalls {
  /** Of events that were still to be sent. */
  deliveries: string[];
  /** Events that had been given up. */
  deadLetters: number;
  /** Answers to requests with an `Idempotency-Key`. */
  receipts: number;
  /** What rooms kept of their telephones. */
  roomEntries: number;
}

export interface PeopleStore {
  /** In whatever state. */
  recordingsOf(callId: string): KeptRecording[];
  /** Deletes calls that are over, a few in each transaction, with all that belongs to them but their recordings. */
  deleteCalls(calls: readonly CallRecord[]): Promise<DeletedCalls>;
}
