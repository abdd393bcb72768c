/** The book of calls in memory. */
import type { Book, CallWrite } from '../../runtime/book.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../runtime/journal.ts';
import { checkOrder, gapError } from '../journal-order.ts';
import type { MemoryOutbox } from './outbox.ts';

interface Kept {
  record: string;
  checkpoint: string;
  entries: string[];
  endedMs: number | undefined;
  startedMs: number;
}

export class MemoryBook implements Book {
  readonly #calls = new Map<string, Kept>();
  readonly #outbox: MemoryOutbox;

  constructor(outbox: MemoryOutbox) {
    this.#outbox = outbox;
  }

  /** Async only in its answer: what it refuses is a rejection, as with the durable books. */
  async commit({ record, checkpoint, entries, deliveries }: CallWrite): Promise<void> {
    checkOrder(record.callId, entries);
    const before = this.#calls.get(record.callId)?.entries ?? [];
    const firstSeq = entries[0]?.seq ?? before.length + 1;
    if (firstSeq !== before.length + 1) throw gapError(record.callId, firstSeq);
    const kept: Kept = {
      record: JSON.stringify(record),
      checkpoint: JSON.stringify(checkpoint),
      entries: before,
      endedMs: record.endedMs,
      startedMs: record.startedMs,
    };
    const texts = entries.map((entry) => JSON.stringify(entry));
    // Nothing is changed before this line, and nothing below it can fail.
    this.#outbox.add(deliveries);
    before.push(...texts);
    this.#calls.set(record.callId, kept);
    this.#outbox.tell(deliveries);
  }

  call(callId: string): CallRecord | undefined {
    const kept = this.#calls.get(callId);
    return kept && JSON.parse(kept.record);
  }

  checkpoint(callId: string): Checkpoint | undefined {
    const kept = this.#calls.get(callId);
    return kept && JSON.parse(kept.checkpoint);
  }

  journal(callId: string): JournalEntry[] {
    return (this.#calls.get(callId)?.entries ?? []).map((text) => JSON.parse(text));
  }

  unfinished(): CallRecord[] {
    return [...this.#calls.values()]
      .filter((kept) => kept.endedMs === undefined)
      .sort((a, b) => a.startedMs - b.startedMs)
      .map((kept) => JSON.parse(kept.record));
  }

  forget(endedBeforeMs: number): number {
    const old = [...this.#calls].filter(([, { endedMs }]) => endedMs !== undefined && endedMs < endedBeforeMs);
    for (const [callId] of old) this.#calls.delete(callId);
    return old.length;
  }
}
