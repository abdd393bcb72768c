/**
 * People who work together in the studio: their places (`presence.ts`), the latest save of each flow, and the changes
 * of comments, reported to the open pages.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { createPresence, type PersonAt, type StudioPresence } from './presence.ts';
import type { StudioTable } from './studio-table.ts';

export interface FlowSave {
  flow: string;
  /** Name of the administrator. */
  who: string;
  /** `ETag` of the saved text. */
  etag: string;
  /** Number of the saved version. Absent for a draft with errors. */
  versionNumber?: number;
  atMs: number;
}

export type StudioEvent =
  | { name: 'people'; people: PersonAt[] }
  | { name: 'saved'; save: FlowSave }
  /** Comments of some flow have changed. */
  | { name: 'comments' };

export interface StudioPeople extends Pick<StudioPresence, 'report' | 'list'> {
  recordSave(save: Omit<FlowSave, 'atMs'>): void;
  /** Latest save of each flow, within a day. */
  saves(): FlowSave[];
  commentsChanged(): void;
  /** Calls the listener with each event until the returned function is called. */
  watch(listener: (event: StudioEvent) => void): () => void;
  close(): void;
}

const KIND = 'saved ';
const KEPT_MS = 86_400_000;
const MAX_SAVES = 500;
/** Delay after a change of presence, so that a group of changes is one event. */
const SETTLE_MS = 100;

export function createStudioPeople({ table, clock }: { table: StudioTable; clock: Clock }): StudioPeople {
  const listeners = new Set<(event: StudioEvent) => void>();
  let timer: Timer | undefined;
  const emit = (event: StudioEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const presence = createPresence({
    ...{ table, clock },
    changed() {
      if (timer !== undefined || listeners.size === 0) return;
      timer = clock.after(SETTLE_MS, () => {
        timer = undefined;
        emit({ name: 'people', people: presence.list() });
      });
    },
  });
  const saveIn = (field: string): FlowSave | undefined => {
    const text = field.startsWith(KIND) ? table.get(field) : undefined;
    return text === undefined ? undefined : (JSON.parse(text) as FlowSave);
  };
  const saves = (): FlowSave[] => table.entries().flatMap(([field]) => saveIn(field) ?? []);
  table.onChange((fields) => {
    for (const field of fields) {
      const save = saveIn(field);
      if (save) emit({ name: 'saved', save });
    }
  });
  return {
    report: presence.report,
    list: presence.list,
    recordSave(save) {
      const atMs = clock.now();
      const old = saves()
        .filter(({ flow }) => flow !== save.flow)
        .sort((one, other) => other.atMs - one.atMs)
        .filter((each, index) => index >= MAX_SAVES - 1 || each.atMs <= atMs - KEPT_MS);
      for (const { flow } of old) void table.remove(KIND + flow).catch(() => undefined);
      void table.put(KIND + save.flow, JSON.stringify({ ...save, atMs })).catch(() => undefined);
    },
    saves: () => saves().filter(({ atMs }) => atMs > clock.now() - KEPT_MS),
    commentsChanged: () => emit({ name: 'comments' }),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      timer?.cancel();
      presence.close();
    },
  };
}
