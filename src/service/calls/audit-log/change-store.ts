/** Audit log: changes by administrators, with author, means and origin. */
export interface AuditEntry {
  atMs: number;
  /** Name of the token; for an automatic change, the part of the service that made it. */
  who: string;
  /** Absent if the change was not a request. */
  via?: 'token' | 'studio';
  /** Source address of the request. */
  remote?: string;
  what: string;
  /** Names of the changed fields, never their values. */
  keys?: string[];
  /** Hashes of the old and the new version, if known. */
  before?: string;
  after?: string;
}

export interface ListedChange extends AuditEntry {
  /** Increasing number of the change. */
  changeNo: number;
}

export interface ChangePage {
  limit: number;
  /** Number of a change: only earlier ones are listed. */
  beforeNo?: number;
}

export interface ChangeStore {
  /** The latest 10,000 are kept until they expire. */
  add(change: AuditEntry): void;
  /** Lists the changes, latest first. */
  list(page: ChangePage): ListedChange[];
  /** Deletes changes from before this time; returns how many. */
  forget(beforeMs: number): number;
}
