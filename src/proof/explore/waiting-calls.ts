/**
 * Calls that a search will play: by rank or, once the search asks for them, by the number of calls that were played with
 * the same last choice. Among equal ones, the call that was added first is next.
 */
import { Heap, type HeapItem } from '../testkit/heap.ts';

export interface WaitingCall {
  rank: number;
  /** Flow, step and label of the last choice. */
  last?: string;
}

export class WaitingCalls<Call extends WaitingCall> implements Iterable<Call> {
  /** Undefined once the least tried calls come first. */
  #ranked: Heap<Entry<Call>> | undefined = new Heap();
  /** Calls with the same last choice. */
  readonly #groups = new Map<string, Group<Call>>();
  readonly #tried = new Map<string, number>();
  #order = 0;
  #size = 0;

  constructor(calls: readonly Call[]) {
    for (const call of calls) this.add(call);
  }

  get size(): number {
    return this.#size;
  }

  add(call: Call): void {
    const entry = new Entry(call, this.#order++);
    this.#size += 1;
    if (this.#ranked) this.#ranked.add(entry);
    else this.#addToGroup(entry);
  }

  /** Removes the call of the lowest rank; with `leastTried`, also in all later calls, a call with the least tried choice. */
  removeNext({ leastTried }: { leastTried: boolean }): Call | undefined {
    if (leastTried) this.#sortByTries();
    const call = this.#ranked ? this.#removeRanked(this.#ranked) : this.#removeLeastTried();
    if (call === undefined) return undefined;
    this.#size -= 1;
    const { last = '' } = call;
    this.#tried.set(last, (this.#tried.get(last) ?? 0) + 1);
    return call;
  }

  *[Symbol.iterator](): Iterator<Call> {
    for (const { call } of this.#ranked?.items ?? []) yield call;
    for (const { entries } of this.#groups.values()) for (const { call } of entries) yield call;
  }

  #removeRanked(ranked: Heap<Entry<Call>>): Call | undefined {
    const { first } = ranked;
    if (first !== undefined) ranked.remove(first);
    return first?.call;
  }

  #removeLeastTried(): Call | undefined {
    let found: { group: Group<Call>; tries: number; order: number } | undefined;
    for (const group of this.#groups.values()) {
      const tries = this.#tried.get(group.last) ?? 0;
      const { order } = group.entries[0]!;
      const isNext = found === undefined || tries < found.tries || (tries === found.tries && order < found.order);
      if (isNext) found = { group, tries, order };
    }
    if (found === undefined) return undefined;
    const { entries, last } = found.group;
    if (entries.length === 1) this.#groups.delete(last);
    return entries.shift()?.call;
  }

  #sortByTries(): void {
    const entries = [...(this.#ranked?.items ?? [])].toSorted((one, other) => one.order - other.order);
    this.#ranked = undefined;
    for (const entry of entries) this.#addToGroup(entry);
  }

  #addToGroup(entry: Entry<Call>): void {
    const { last = '' } = entry.call;
    const group = this.#groups.get(last);
    if (group) group.entries.push(entry);
    else this.#groups.set(last, { last, entries: [entry] });
  }
}

interface Group<Call extends WaitingCall> {
  last: string;
  /** In the order in which they were added; never empty. */
  entries: Entry<Call>[];
}

class Entry<Call extends WaitingCall> implements HeapItem<Entry<Call>> {
  readonly call: Call;
  readonly order: number;
  index = -1;

  constructor(call: Call, order: number) {
    this.call = call;
    this.order = order;
  }

  isBefore({ call: { rank }, order }: Entry<Call>): boolean {
    return this.call.rank < rank || (this.call.rank === rank && this.order < order);
  }
}
