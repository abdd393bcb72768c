/** The book of calls in memory. */
import type { CallCursor, CallStore, CallWrite, ListedCall } from '../../runtime/call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../runtime/journal.ts';
import { checkSequence, gapError } from '../journal-order.ts';
import type { MemoryOutbox } from './outbox.ts';
import type { MemoryReceipts } from './receipts.ts';

interface Kept {
  record: string;
  checkpoint: string;
  entries: string[];
  endedMs: number | undefined;
  cursor: CallCursor;
  projectId: string;
}

export class MemoryBook implements CallStore {
  readonly #calls = new Map<string, Kept>();
  readonly #outbox: MemoryOutbox;
  readonly #receipts: MemoryReceipts;
  #written = 0;

  constructor(outbox: MemoryOutbox, receipts: MemoryReceipts) {
    this.#outbox = outbox;
    this.#receipts = receipts;
  }

  /** Async only in its answer: what it refuses is a rejection, as with the durable books. */
  async commit({ record, checkpoint, entries, deliveries, receipt }: CallWrite): Promise<void> {
    checkSequence(record.callId, entries);
    const known = this.#calls.get(record.callId);
    const before = known?.entries ?? [];
    const firstSeq = entries[0]?.seq ?? before.length + 1;
    if (firstSeq !== before.length + 1) throw gapError(record.callId, firstSeq);
    const kept: Kept = {
      record: JSON.stringify(record),
      checkpoint: JSON.stringify(checkpoint),
      entries: before,
      endedMs: record.endedMs,
      cursor: known?.cursor ?? { startedMs: record.startedMs, number: ++this.#written },
      projectId: record.projectId,
    };
    const texts = entries.map((entry) => JSON.stringify(entry));
    // Nothing is changed before this line, and nothing below it can fail.
    this.#outbox.add(deliveries);
    if (receipt) this.#receipts.keep(receipt);
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

  list(query: Parameters<CallStore['list']>[0]): ListedCall[] {
    const { projectId, after, fromMs, toMs, limit } = query;
    return [...this.#calls.values()]
      .filter((kept) => kept.projectId === projectId)
      .filter(({ cursor }) => cursor.startedMs >= fromMs && cursor.startedMs <= toMs)
      .filter(({ cursor }) => after === undefined || isNewer(after, cursor))
      .sort((a, b) => (isNewer(a.cursor, b.cursor) ? -1 : 1))
      .slice(0, limit)
      .map(({ cursor, record }) => ({ cursor, record: JSON.parse(record) }));
  }

  unfinished(): CallRecord[] {
    return [...this.#calls.values()]
      .filter((kept) => kept.endedMs === undefined)
      .sort((a, b) => a.cursor.startedMs - b.cursor.startedMs)
      .map((kept) => JSON.parse(kept.record));
  }

  forget(endedBeforeMs: number): number {
    const old = [...this.#calls].filter(([, { endedMs }]) => endedMs !== undefined && endedMs < endedBeforeMs);
    for (const [callId] of old) this.#calls.delete(callId);
    return old.length;
  }
}

const isNewer = (a: CallCursor, b: CallCursor): boolean =>
  a.startedMs > b.startedMs || (a.startedMs === b.startedMs && a.number > b.number);
