/** Writes the audit log. A change takes effect even while the store is not writable; its entry is written later. */
import type { AuditEntry, ChangePage, ChangeStore, ListedChange } from './change-store.ts';

export interface Changes {
  add(change: Omit<AuditEntry, 'atMs'>): void;
  list(page: ChangePage): ListedChange[];
}

export interface ChangesParts {
  store: ChangeStore;
  nowMs(): number;
  /** Runs the work now, or as soon as the store is writable again. */
  whenWritable(work: () => void): void;
}

export const createChanges = ({ store, nowMs, whenWritable }: ChangesParts): Changes => ({
  add(change) {
    const made: AuditEntry = { atMs: nowMs(), ...change };
    whenWritable(() => store.add(made));
  },
  list: (page) => store.list(page),
});
