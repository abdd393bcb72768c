/** Calls of the project: live calls from the event stream, followed by records from the API, loaded page by page. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import { type CallRow, callRowOf } from '../call-rows/call-row.ts';
import type { LiveCallList } from '../live/live-calls.ts';

interface Page {
  calls: Record<string, Json>[];
  next?: string;
}

const PAGE_SIZE = 200;

/** Starts of the calls to load. Undefined: no limit. */
export interface CallWindow {
  fromMs?: number;
  toMs?: number;
}

export class CallRecords {
  readonly #calls = signal<ReadonlyMap<string, CallRow>>(new Map());
  readonly #isBusy = signal(false);
  readonly #failure = signal<unknown>(undefined);
  #next: string | undefined;
  #isAll = false;
  #loading: Promise<void> | undefined;
  #window: CallWindow = {};
  /** Number of windows so far: pages of an earlier one do not continue the list. */
  #round = 0;

  get calls(): ReadonlySignal<ReadonlyMap<string, CallRow>> {
    return this.#calls;
  }

  get isBusy(): ReadonlySignal<boolean> {
    return this.#isBusy;
  }

  get failure(): ReadonlySignal<unknown> {
    return this.#failure;
  }

  /** Loads the next page. A page that is being loaded is awaited; no effect after the last one. */
  async loadMore(): Promise<void> {
    this.#loading ??= this.#loadNext().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #loadNext(): Promise<void> {
    if (this.#isAll) return;
    this.#isBusy.value = true;
    const round = this.#round;
    const page = await this.#load(this.#next);
    this.#isBusy.value = false;
    if (page === undefined || round !== this.#round) return;
    this.#next = page.next;
    this.#isAll = page.next === undefined;
  }

  /** Loads the calls of these days from now on. The loaded calls stay. */
  async look(window: CallWindow): Promise<void> {
    const { fromMs, toMs } = this.#window;
    if (this.#round > 0 && window.fromMs === fromMs && window.toMs === toMs) return;
    this.#window = window;
    this.#round++;
    this.#next = undefined;
    this.#isAll = false;
    // A page of the earlier days is awaited first.
    await this.#loading;
    await this.loadMore();
  }

  /** Loads all pages, up to a number of calls. */
  async loadAll(most: number): Promise<void> {
    while (!this.#isAll && this.#failure.peek() === undefined && this.#calls.peek().size < most) await this.loadMore();
  }

  /** Reloads the first page. */
  async refresh(): Promise<void> {
    await this.#load(undefined);
  }

  async #load(cursor: string | undefined): Promise<Page | undefined> {
    const { fromMs, toMs } = this.#window;
    const query = new URLSearchParams({
      limit: String(PAGE_SIZE),
      ...(cursor !== undefined && { cursor }),
      ...(fromMs !== undefined && { started_from: new Date(fromMs).toISOString() }),
      ...(toMs !== undefined && { started_to: new Date(toMs).toISOString() }),
    });
    try {
      const page = await request<Page & Record<string, Json>>(`/voice/v1/call?${query}`);
      const rows = page.calls.map(callRowOf);
      this.#calls.value = new Map([...this.#calls.peek(), ...rows.map((row) => [row.id, row] as const)]);
      this.#failure.value = undefined;
      return page;
    } catch (error) {
      this.#failure.value = error;
      return undefined;
    }
  }
}

/**
 * Live calls first, then the newest. For a live call the stream overrides the record; for an ended call the record
 * overrides the stream.
 */
export function merged(records: ReadonlyMap<string, CallRow>, { calls, ended }: LiveCallList): CallRow[] {
  const known = [...records.values()].filter(
    ({ id, endedMs }) => !calls.has(id) && (endedMs !== undefined || !ended.has(id)),
  );
  const ids = new Set(known.map(({ id }) => id));
  const others = [...ended].flatMap(([id, row]) => (row && !calls.has(id) && !ids.has(id) ? [row] : []));
  const rows = [...calls.values(), ...known, ...others];
  const isLive = ({ endedMs }: CallRow): number => (endedMs === undefined ? 0 : 1);
  return rows.sort((one, other) => isLive(one) - isLive(other) || other.startedMs - one.startedMs);
}
