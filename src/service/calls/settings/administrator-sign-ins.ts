/**
 * Times of the last requests of administrators. They are stored apart from the administrators, so that a late write
 * never brings back one that another node has removed.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { SettingStore } from './setting-store.ts';

const KIND = 'administrator-seen';
/** Minimum time between two writes for the same administrator. */
const WRITE_EVERY_MS = 10 * 60_000;

export interface SignIns {
  /** Records a request. It never fails: without a writable store, only this process knows the time. */
  record(key: string): void;
  /** In milliseconds since 1970. Undefined if there was no request. */
  lastMs(key: string): number | undefined;
  forget(key: string): Promise<void>;
}

export function createSignIns({
  store,
  clock,
  isReadOnly,
}: {
  store: SettingStore;
  clock: Clock;
  isReadOnly: boolean;
}): SignIns {
  const times = new Map<string, { seenMs: number; writtenMs: number }>();
  const storedMs = (key: string): number => Number(store.find(KIND, key) ?? Number.NEGATIVE_INFINITY);
  return {
    record(key) {
      const seenMs = clock.now();
      const writtenMs = times.get(key)?.writtenMs ?? storedMs(key);
      const isDue = !isReadOnly && seenMs - writtenMs >= WRITE_EVERY_MS;
      times.set(key, { seenMs, writtenMs: isDue ? seenMs : writtenMs });
      if (isDue) void store.put({ kind: KIND, key, value: seenMs }).catch(() => undefined);
    },
    lastMs(key) {
      const last = Math.max(times.get(key)?.seenMs ?? Number.NEGATIVE_INFINITY, storedMs(key));
      return Number.isFinite(last) ? last : undefined;
    },
    async forget(key) {
      times.delete(key);
      await store.remove(KIND, key);
    },
  };
}
