/** Passes journal entries to observers, such as metrics and logs, after they are written. */
import type { CallStore } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';

export interface ObservedCallStore extends CallStore {
  /** `record` is the call's record after the write. */
  observe(observer: (entry: JournalEntry, record: CallRecord) => void): void;
}

export function observeJournal(callStore: CallStore): ObservedCallStore {
  const observers: Parameters<ObservedCallStore['observe']>[0][] = [];
  return {
    ...callStore,
    observe: (observer) => void observers.push(observer),
    async commit(write) {
      await callStore.commit(write);
      for (const entry of write.entries) for (const observer of observers) observer(entry, write.record);
    },
  };
}
