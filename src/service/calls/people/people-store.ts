/**
 * Port: search and deletion of personal data. Implemented in `service/store/sqlite/people.ts`, which knows the contents
 * of every table.
 */
import type { DataSubject } from '../../../base/core/data-subject.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { KeptRecording } from '../recordings/recording-store.ts';

export interface DeletedEvents {
  /** Ids of pending events. */
  deliveries: string[];
  /** Count of dead letters. */
  deadLetters: number;
}

/** Data deleted with calls. */
export interface DeletedCalls extends DeletedEvents {
  /** Stored responses to requests with an `Idempotency-Key`. */
  receipts: number;
  /** Room entries about phone participants. */
  roomEntries: number;
}

/** Places at which a person is named. Other modules delete the listed items; `PeopleStore.erase` deletes the rows. */
export interface Traces {
  calls: { callId: string; isOver: boolean }[];
  /** Recordings named after the person, of any call. */
  recordings: string[];
  /** Broadcasts whose order names the person. */
  broadcasts: { broadcastId: string; isOver: boolean }[];
  /** Numbers that broadcasts have yet to call. */
  queued: { broadcastId: string; number: number }[];
  rooms: { projectId: string; roomId: string }[];
  /** Room sessions in which the person took part. */
  sessions: Set<string>;
  /** All archives. `isNaming`: the archive's row names the person. `isOpen`: the archive is still being written. */
  archives: { confNum: string; isOpen: boolean; isNaming: boolean }[];
  /** Keys of the rows that `erase` deletes or overwrites, by table. */
  rows: Map<string, RowKey[]>;
  /** Rows that name the person and remain because they are settings, by table. */
  staying: Map<string, number>;
}

export interface ErasedRows {
  /** Count of rows by table, without those deleted with calls. */
  counts: Map<string, number>;
  /** Ids of pending events. */
  deliveries: string[];
}

export type RowKey = readonly (string | number)[];

export interface PeopleStore {
  /** Recordings of a call, in any state. */
  recordingsOf(callId: string): KeptRecording[];
  /** Deletes ended calls, a few per transaction, with all their data except recordings. */
  deleteCalls(calls: readonly CallRecord[]): Promise<DeletedCalls>;
  /** Deletes the reports, journal and events of an ended room session. */
  deleteSession(projectId: string, confNum: string): Promise<DeletedEvents & { roomEntries: number }>;
  /** Searches all stored data, one part per turn of the event loop. */
  search(person: DataSubject): Promise<Traces>;
  /** Deletes or overwrites the rows of `traces`, some per transaction. */
  erase(traces: Traces, person: DataSubject): Promise<ErasedRows>;
  /**
   * Removes remnants of deleted data from the files of the store. With `isPatient` a large store is rewritten too,
   * which removes remnants of earlier versions; the service is blocked meanwhile. False if remnants may be left.
   */
  seal(options: { isPatient: boolean }): Promise<boolean>;
}
