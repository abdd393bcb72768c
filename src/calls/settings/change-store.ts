/** The list of changes: who changed what by the admin API. */
export interface Change {
  atMs: number;
  who: string;
  what: string;
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
  /** The latest 10,000 are kept. */
  add(change: Change): void;
  /** The latest first. */
  list(page: ChangePage): ListedChange[];
}
