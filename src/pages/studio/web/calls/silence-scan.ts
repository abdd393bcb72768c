/** Finds the silence of calls for the filter, from their journals, which the list does not have. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { CallRow } from '../call-rows/call-row.ts';
import { readJournal } from '../call-rows/journal-source.ts';
import type { Entry } from '../journal/entries.ts';
import { longestSilenceMs } from '../journal/silence.ts';

/** Number of journals that are read for one filter. */
const MAX_READ = 300;
const AT_ONCE = 4;

type ReadEntries = (id: string) => Promise<Entry[]>;

async function entriesOf(id: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  await readJournal(
    id,
    0,
    () => true,
    (page) => entries.push(...page),
  );
  return entries;
}

export class SilenceScan {
  readonly #known = signal<ReadonlyMap<string, number>>(new Map());
  readonly #isBusy = signal(false);
  readonly #read: ReadEntries;
  #wanted: readonly string[] = [];

  constructor(read: ReadEntries = entriesOf) {
    this.#read = read;
  }

  /** Longest silence of each call that was read, in ms. */
  get known(): ReadonlySignal<ReadonlyMap<string, number>> {
    return this.#known;
  }

  get isBusy(): ReadonlySignal<boolean> {
    return this.#isBusy;
  }

  /** Reads the journals of ended calls. A later call replaces what is still to be read. */
  async look(calls: readonly CallRow[]): Promise<void> {
    const known = this.#known.peek();
    this.#wanted = calls
      .filter(({ id, endedMs }) => endedMs !== undefined && !known.has(id))
      .slice(0, MAX_READ)
      .map(({ id }) => id);
    if (this.#isBusy.peek() || this.#wanted.length === 0) return;
    this.#isBusy.value = true;
    while (this.#wanted.length > 0) {
      const some = this.#wanted.slice(0, AT_ONCE);
      this.#wanted = this.#wanted.slice(AT_ONCE);
      // A journal that is deleted or cannot be read has no silence.
      const found = await Promise.all(
        some.map(async (id) => [id, await this.#read(id).then(longestSilenceMs, () => 0)] as const),
      );
      this.#known.value = new Map([...this.#known.peek(), ...found]);
    }
    this.#isBusy.value = false;
  }
}
