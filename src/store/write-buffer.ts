/**
 * The book while it cannot be written to: what calls decide is held in memory and written when that is possible again, so
 * that a full disk ends no conversation, and loses no end of a call and no event of it.
 *
 * Invariants
 *  H1 of one call everything is written in the order in which it was decided;
 *  H2 the first write of a call is never held: nobody is told of a call that is written nowhere;
 *  H3 what is held is bounded; beyond that calls are ended, and of those the end is still held.
 */
import type { Log } from '../core/log.ts';
import { WriteError } from '../core/write-error.ts';
import type { CallStore, CallWrite } from '../runtime/call-store.ts';
import type { StoreWrites } from './write-health.ts';

export interface WriteBuffer {
  callStore: CallStore;
  /** Calls of which something is held. */
  readonly bufferedCalls: number;
  isBuffered(callId: string): boolean;
  /** Does the work now, or when it can be done: what it throws but `WriteError` is logged. */
  whenWritable(work: () => void): void;
  /** Tries once more, and says what is left. */
  close(): Promise<void>;
}

/** Characters of JSON. */
const MAX_CHARACTERS = 32 * 2 ** 20;
/** More, for the ends of calls alone. */
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
  /** Characters that may be held. */
  maxCharacters?: number;
}

export function createWriteBuffer({
  callStore,
  writes,
  log,
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
    // Copied: what is being written goes on as it was given.
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
      // Nothing of it can be written, now or later.
      drop(callId, one);
      log.error('call.not_written', { callId, error });
      return;
    }
    one.isBeingWritten = false;
    if (one.write === writing) return drop(callId, one);
    // More was decided meanwhile.
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

  const unwatch = writes.watch(() => {
    // Not inside the write that went well.
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
        const before = held.get(callId);
        if (before) return hold(write, new WriteError(writes.failure?.why ?? 'broken'));
        try {
          await callStore.commit(write);
        } catch (error) {
          // H2
          if (!(error instanceof WriteError) || write.entries[0]?.seq === 1) throw error;
          hold(write, error);
          // It was well again before this was held.
          if (!writes.failure) writeAll();
        }
      },
      call: (callId) => held.get(callId)?.write.record ?? callStore.call(callId),
      checkpoint: (callId) => held.get(callId)?.write.checkpoint ?? callStore.checkpoint(callId),
      journal(callId) {
        const written = callStore.journal(callId);
        const lastSeq = written.at(-1)?.seq ?? 0;
        return written.concat(held.get(callId)?.write.entries.filter(({ seq }) => seq > lastSeq) ?? []);
      },
      list: (query) =>
        callStore.list(query).map((listed) => {
          const one = held.get(listed.record.callId);
          return one ? { ...listed, record: one.write.record } : listed;
        }),
      unfinished: () =>
        callStore.unfinished().filter(({ callId }) => held.get(callId)?.write.record.endedMs === undefined),
    },
  };
}
