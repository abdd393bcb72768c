/** The list of changes, the trail of administrators: who changed what, by which way, from where. */
export interface Change {
  atMs: number;
  /** The name of the token; of what nobody asked for, the part of the service that did it. */
  who: string;
  /** Absent where it was not a request. */
  via?: 'token' | 'studio';
  /** The address that the request came from. */
  remote?: string;
  what: string;
  /** What was changed in it; never to what. */
  keys?: string[];
  /** Hashes of what was there and of what is there, where they are known. */
  before?: string;
  after?: string;
}

export interface ListedChange extends Change {
  /** A number that grows from change to change. */
  changeNo: number;
}

export interface ChangePage {
  limit: number;
  /** Only changes before this one. */
  beforeNo?: number;
}

export interface ChangeStore {
  /** The latest 10,000 are kept, until they are too old. */
  add(change: Change): void;
  /** The latest first. */
  list(page: ChangePage): ListedChange[];
  /** Those from before this moment; returns how many. */
  forget(beforeMs: number): number;
}
