/** Writes down who changed what; a change that is made is made, also while the store cannot be written to. */
import type { Change, ChangePage, ChangeStore, ListedChange } from './change-store.ts';

export interface Changes {
  add(change: Omit<Change, 'atMs'>): void;
  list(page: ChangePage): ListedChange[];
}

export interface ChangesParts {
  store: ChangeStore;
  nowMs(): number;
  /** Now, or when the store can be written to again. */
  whenWritable(work: () => void): void;
}

export const createChanges = ({ store, nowMs, whenWritable }: ChangesParts): Changes => ({
  add(change) {
    const made: Change = { atMs: nowMs(), ...change };
    whenWritable(() => store.add(made));
  },
  list: (page) => store.list(page),
});
