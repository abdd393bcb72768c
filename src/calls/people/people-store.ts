/**
 * Port: what is kept about people, and how it is deleted. Implemented in `store/sqlite/people.ts`, which knows of every
 * table what it holds.
 */
import type { Person } from '../../core/person.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { KeptRecording } from '../recording-store.ts';

export interface DeletedEvents {
  /** Of those that were still to be sent. */
  deliveries: string[];
  /** Those that had been given up. */
  deadLetters: number;
}

/** What went with calls. */
export interface DeletedCalls extends DeletedEvents {
  /** Answers to requests with an `Idempotency-Key`. */
  receipts: number;
  /** What rooms kept of their telephones. */
  roomEntries: number;
}

/** Where somebody is named. What others delete is listed; `PeopleStore.erase` deletes the rest. */
export interface Traces {
  calls: { callId: string; isOver: boolean }[];
  /** Named after them, of whichever call. */
  recordings: string[];
  /** Broadcasts whose order names them. */
  broadcasts: { broadcastId: string; isOver: boolean }[];
  /** Numbers that broadcasts have yet to call. */
  queued: { broadcastId: string; number: number }[];
  rooms: { projectId: string; roomId: string }[];
  /** Sessions of rooms in which they were. */
  sessions: Set<string>;
  /** All archives; `isNaming`: in what the table has of it. `isOpen`: it is still being written. */
  archives: { confNum: string; isOpen: boolean; isNaming: boolean }[];
  /** By table: the keys of rows that `erase` deletes or overwrites. */
  rows: Map<string, RowKey[]>;
  /** By table: rows that name them and stay, because they are settings. */
  staying: Map<string, number>;
}

export interface ErasedRows {
  /** How many of each table: those that went with calls are not among them. */
  counts: Map<string, number>;
  /** Ids of those that were still to be sent. */
  deliveries: string[];
}

export type RowKey = readonly (string | number)[];

export interface PeopleStore {
  /** In whatever state. */
  recordingsOf(callId: string): KeptRecording[];
  /** Deletes calls that are over, a few in each transaction, with all that belongs to them but their recordings. */
  deleteCalls(calls: readonly CallRecord[]): Promise<DeletedCalls>;
  /** Deletes reports, journal and events of a session of a room that is over. */
  deleteSession(projectId: string, confNum: string): Promise<DeletedEvents & { roomEntries: number }>;
  /** Looks through everything that is kept, a piece in each turn of the event loop. */
  search(person: Person): Promise<Traces>;
  /** Deletes, or overwrites, the rows of `traces`, some in each transaction. */
  erase(traces: Traces, person: Person): Promise<ErasedRows>;
  /**
   * Leaves nothing of what was deleted in the files of the store. A large store is written anew, which removes what earlier
   * versions left in it, only where `isPatient`: for that time nothing else happens. False: something may be left.
   */
  seal(options: { isPatient: boolean }): Promise<boolean>;
}
