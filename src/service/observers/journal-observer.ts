/** Passes journal entries to observers, such as metrics and logs, after they are written. */
import type { CallStore, CallWrite } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';

/** `record` is the record of the call after the write. */
export type JournalObserver = (entry: JournalEntry, record: CallRecord) => void;

export interface ObservedCallStore extends CallStore {
  observe(observer: JournalObserver): void;
}

export class JournalObservers {
  readonly #observers: JournalObserver[] = [];

  add(observer: JournalObserver): void {
    this.#observers.push(observer);
  }

  /** The same store, whose writes are reported. */
  observed(callStore: CallStore): CallStore {
    return {
      ...callStore,
      commit: async (write) => {
        await callStore.commit(write);
        this.written(write);
      },
    };
  }

  /** To be called after each write. */
  written({ entries, record }: Pick<CallWrite, 'entries' | 'record'>): void {
    for (const entry of entries) for (const observer of this.#observers) observer(entry, record);
  }
}
