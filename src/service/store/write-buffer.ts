/**
 * Buffers writes of calls while the store is not writable, and writes them afterwards: a full disk ends no
 * conversation, and loses neither the end of a call nor its events.
 *
 * Invariants
 *  H1 The writes of a call keep their order.
 *  H2 The first write of a call is never buffered: an unwritten call must not be reported.
 *  H3 The buffer is bounded. When it is full, calls are ended; their ends are still buffered.
 */
import type { Log } from '../../base/core/log.ts';
import { Fenced } from '../../base/core/ownership.ts';
import { WriteError } from '../../base/core/write-error.ts';
import type { CallStore, CallWrite } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';
import type { StoreWrites } from './write-health.ts';

export interface WriteBuffer {
  callStore: CallStore;
  /** Count of calls with buffered writes. */
  readonly bufferedCalls: number;
  isBuffered(callId: string): boolean;
  /** Runs `work` now, and again when the store is writable if it fails with a `WriteError`. Other errors are logged. */
  whenWritable(work: () => void): void;
  /** Makes a last attempt, and logs the calls that remain unwritten. */
  close(): Promise<void>;
}

/** Size limit of buffered writes, in characters of JSON. */
const MAX_CHARACTERS = 32 * 2 ** 20;
/** Additional size for the ends of calls, in characters of JSON. */
const RESERVED_FOR_ENDS = 8 * 2 ** 20;
const MAX_TASKS = 10_000;

interface BufferedCall {
  write: CallWrite;
  weight: number;
  isBeingWritten: boolean;
}

export interface WriteBufferParts {
  callStore: CallStore;
  writes: StoreWrites;
  log: Log;
  /** Called after each write that was carried out or buffered. */
  written?: (write: CallWrite) => void;
  /** Maximum characters in the buffer. */
  maxCharacters?: number;
}

export function createWriteBuffer({
  callStore,
  writes,
  log,
  written = () => undefined,
  maxCharacters = MAX_CHARACTERS,
}: WriteBufferParts): WriteBuffer {
  const held = new Map<string, BufferedCall>();
  const works: (() => void)[] = [];
  let weight = 0;

  /** H3 */
  const hold = (write: CallWrite, writeError: WriteError): void => {
    const more = JSON.stringify([write.entries, write.deliveries]).length;
    const isEnd = write.record.endedMs !== undefined;
    if (weight + more > maxCharacters + (isEnd ? RESERVED_FOR_ENDS : 0)) throw writeError;
    weight += more;
    const { callId } = write.record;
    const before = held.get(callId);
    if (!before) {
      log.warn('call.held', { callId, why: writeError.reason });
      held.set(callId, { write, weight: more, isBeingWritten: false });
      return;
    }
    before.weight += more;
    // Copied: the write in progress must not change.
    before.write = {
      ...write,
      entries: [...before.write.entries, ...write.entries],
      deliveries: [...before.write.deliveries, ...write.deliveries],
    };
  };

  const drop = (callId: string, one: BufferedCall): void => {
    weight -= one.weight;
    held.delete(callId);
  };

  const writeOne = async (callId: string, one: BufferedCall): Promise<void> => {
    one.isBeingWritten = true;
    const writing = one.write;
    try {
      await callStore.commit(writing);
    } catch (error) {
      one.isBeingWritten = false;
      if (error instanceof WriteError) return;
      // The write is invalid, or the node was fenced: a retry would not help.
      drop(callId, one);
      if (error instanceof Fenced) log.warn('call.fenced', { callId });
      else log.error('call.not_written', { callId, error });
      return;
    }
    one.isBeingWritten = false;
    if (one.write === writing) return drop(callId, one);
    // Further writes were buffered meanwhile.
    const { entries, deliveries } = one.write;
    one.write = {
      ...one.write,
      entries: entries.slice(writing.entries.length),
      deliveries: deliveries.slice(writing.deliveries.length),
    };
    await writeOne(callId, one);
  };

  const doWorks = (): void => {
    for (const work of works.splice(0)) attempt(work);
  };

  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof WriteError)) log.error('store.work_failed', { error });
      else if (works.length < MAX_TASKS) works.push(work);
    }
  };

  const writeAll = (): void => {
    for (const [callId, one] of held) if (!one.isBeingWritten) void writeOne(callId, one);
    doWorks();
  };

  // Read the buffer before the store: during the read, entries may be written and leave the buffer.
  const waitingEntries = (callId: string): readonly JournalEntry[] => held.get(callId)?.write.entries ?? [];
  const waitingRecords = (): ReadonlyMap<string, CallRecord> =>
    new Map([...held].map(([callId, { write }]) => [callId, write.record]));
  const newest = (found: CallRecord, waiting: ReadonlyMap<string, CallRecord>): CallRecord =>
    held.get(found.callId)?.write.record ??
    (found.endedMs === undefined ? waiting.get(found.callId) : undefined) ??
    found;

  const unwatch = writes.watch(() => {
    // Not within the successful write itself.
    if (!writes.failure) setImmediate(() => !writes.failure && writeAll());
  });

  return {
    get bufferedCalls() {
      return held.size;
    },
    isBuffered: (callId) => held.has(callId),
    whenWritable: attempt,
    async close() {
      unwatch();
      doWorks();
      await Promise.all([...held].map(([callId, one]) => (one.isBeingWritten ? undefined : writeOne(callId, one))));
      if (held.size > 0) log.error('calls.not_written', { count: held.size });
    },
    callStore: {
      async commit(write) {
        const { callId } = write.record;
        // H1
        if (held.has(callId)) hold(write, new WriteError(writes.failure?.why ?? 'broken'));
        else {
          try {
            await callStore.commit(write);
          } catch (error) {
            // H2
            if (!(error instanceof WriteError) || write.entries[0]?.seq === 1) throw error;
            hold(write, error);
            // The store recovered before this write was buffered.
            if (!writes.failure) writeAll();
          }
        }
        written(write);
      },
      async call(callId) {
        return held.get(callId)?.write.record ?? callStore.call(callId);
      },
      async checkpoint(callId) {
        return held.get(callId)?.write.checkpoint ?? callStore.checkpoint(callId);
      },
      async journal(callId) {
        const waiting = waitingEntries(callId);
        const written = await callStore.journal(callId);
        const lastSeq = written.at(-1)?.seq ?? 0;
        return written.concat(waiting.filter(({ seq }) => seq > lastSeq));
      },
      async journalPage(callId, query) {
        const waiting = waitingEntries(callId);
        const page = await callStore.journalPage(callId, query);
        if (page.hasMore) return page;
        const lastSeq = page.entries.at(-1)?.seq ?? query.afterSeq;
        const entries = page.entries.concat(waiting.filter(({ seq }) => seq > lastSeq));
        return { entries: entries.slice(0, query.limit), hasMore: entries.length > query.limit };
      },
      async list(query) {
        const waiting = waitingRecords();
        const listed = await callStore.list(query);
        return listed.map((row) => ({ ...row, record: newest(row.record, waiting) }));
      },
      async unfinished() {
        const waiting = waitingRecords();
        const found = await callStore.unfinished();
        return found.map((record) => newest(record, waiting)).filter(({ endedMs }) => endedMs === undefined);
      },
      adopt: (callId, by) => callStore.adopt(callId, by),
      ownership: (callId) => callStore.ownership(callId),
      ownedBy: (owner) => callStore.ownedBy(owner),
      owners: () => callStore.owners(),
    },
  };
}
