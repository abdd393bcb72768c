/** Writes down who changed what; a change that is made is made, also while the store cannot be written to. */
import type { Change, ChangeStore } from './change-store.ts';

export interface Changes {
  add(change: Omit<Change, 'atMs'>): void;
  list(limit: number): Change[];
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
  list: (limit) => store.list(limit),
});
