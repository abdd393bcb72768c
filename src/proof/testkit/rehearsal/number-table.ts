/**
 * Numbers of one broadcast in columns: some tens of bytes for each number, and much faster to update than database
 * rows. Used by `in-memory-broadcast-store.ts`. `service/calls/broadcast/broadcast-store.ts` documents the methods.
 */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import type {
  Attempt,
  Callee,
  Counts,
  NumberRow,
  NumberState,
  Result,
} from '../../../service/calls/broadcast/broadcast.ts';
import type { ReportQuery } from '../../../service/calls/broadcast/broadcast-store.ts';
import { Heap, type HeapItem } from '../heap.ts';

/** Stages of a number. The port has the states as words. */
const NEW = 0;
const AGAIN = 1;
const CALLING = 2;
const DONE = 3;
const STATES: readonly NumberState[] = ['queued', 'queued', 'calling', 'done'];
const ANSWERED_BY = [undefined, 'human', 'machine', 'fax', 'unknown'] as const;

/** A number scheduled for a retry. */
class ScheduledRetry implements HeapItem<ScheduledRetry> {
  index = -1;
  readonly dueMs: number;
  readonly number: number;

  constructor(dueMs: number, number: number) {
    this.dueMs = dueMs;
    this.number = number;
  }

  isBefore(other: ScheduledRetry): boolean {
    return this.dueMs < other.dueMs || (this.dueMs === other.dueMs && this.number < other.number);
  }
}

export class NumberTable {
  readonly count: number;
  readonly #createdMs: number;
  /** Columns are indexed by number, from 1. Index 0 is unused. */
  readonly #phones: string[] = [''];
  /** Serialised JSON. */
  readonly #inputs = new Map<number, string>();
  readonly #outputs = new Map<number, string>();
  readonly #stages: Uint8Array;
  readonly #attempts: Uint16Array;
  readonly #dueMs: Float64Array;
  readonly #changedMs: Float64Array;
  readonly #answeredMs: Float64Array;
  readonly #endedMs: Float64Array;
  readonly #answeredBy: Uint8Array;
  readonly #callIds: (string | undefined)[];
  readonly #results: (Result | undefined)[];
  /** Previous call of each number that is being called. */
  readonly #lastCallIds = new Map<number, string>();
  /** Shared result objects, by reason. */
  readonly #known = new Map<string, Result[]>();
  readonly #again = new Map<number, ScheduledRetry>();
  readonly #queue = new Heap<ScheduledRetry>();
  /** All numbers before it have left the stage `NEW`. */
  #firstNew = 1;
  /** Totals, kept with each change, because progress asks for them thousands of times. */
  readonly #inStates: Record<NumberState, number> = { queued: 0, calling: 0, done: 0 };
  readonly #came: Record<Result['code'], number> = { success: 0, failed: 0 };
  /** Numbers that are done, by reason, and the first of them, which gives the order of the reasons. */
  readonly #reasons = new Map<string, { count: number; first: number }>();
  #attemptsInAll = 0;

  constructor(callees: Iterable<Callee>, createdMs: number) {
    for (const { phone, input } of callees) {
      const number = this.#phones.push(phone) - 1;
      if (input) this.#inputs.set(number, JSON.stringify(input));
    }
    const size = this.#phones.length;
    this.count = size - 1;
    this.#inStates.queued = this.count;
    this.#createdMs = createdMs;
    this.#stages = new Uint8Array(size);
    this.#attempts = new Uint16Array(size);
    this.#dueMs = new Float64Array(size).fill(createdMs);
    this.#changedMs = new Float64Array(size).fill(createdMs);
    this.#answeredMs = new Float64Array(size);
    this.#endedMs = new Float64Array(size);
    this.#answeredBy = new Uint8Array(size);
    this.#callIds = new Array<string | undefined>(size).fill(undefined);
    this.#results = new Array<Result | undefined>(size).fill(undefined);
  }

  due(nowMs: number, limit: number): NumberRow[] {
    const rows: NumberRow[] = [];
    const taken: ScheduledRetry[] = [];
    for (let next = this.#queue.first; next && next.dueMs <= nowMs && rows.length < limit; next = this.#queue.first) {
      this.#queue.remove(next);
      taken.push(next);
      rows.push(this.#row(next.number));
    }
    for (const repetition of taken) this.#queue.add(repetition);
    if (this.#createdMs > nowMs) return rows;
    for (let number = this.#nextNew(); number <= this.count && rows.length < limit; number++) {
      if (this.#stages[number] === NEW) rows.push(this.#row(number));
    }
    return rows;
  }

  nextDueMs(): number | undefined {
    const againMs = this.#queue.first?.dueMs;
    if (this.#nextNew() > this.count) return againMs;
    return againMs === undefined ? this.#createdMs : Math.min(againMs, this.#createdMs);
  }

  /** Returns the attempt number. Undefined if the number was not queued. */
  claim(number: number, { callId, atMs }: { callId: string; atMs: number }): number | undefined {
    if (!this.#isQueued(number)) return undefined;
    const before = this.#callIds[number];
    if (before !== undefined) this.#lastCallIds.set(number, before);
    this.#move(number, CALLING);
    this.#callIds[number] = callId;
    this.#changedMs[number] = Math.round(atMs);
    this.#attemptsInAll++;
    return ++this.#attempts[number]!;
  }

  release(number: number): void {
    if (this.#stages[number] !== CALLING || !this.#isThere(number)) return;
    this.#attempts[number]! -= 1;
    this.#attemptsInAll--;
    this.#callIds[number] = this.#lastCallIds.get(number);
    this.#lastCallIds.delete(number);
    this.#move(number, this.#attempts[number] === 0 ? NEW : AGAIN);
  }

  requeue(number: number, attempt: Attempt, last: Result, dueMs: number): void {
    if (this.#stages[number] !== CALLING || !this.#isThere(number)) return;
    // Rounded up: a number must not be found before it is due.
    this.#dueMs[number] = Math.ceil(dueMs);
    this.#end(number, attempt, last, attempt.endedMs);
    this.#move(number, AGAIN);
  }

  settle(number: number, { result, atMs, attempt }: { result: Result; atMs: number; attempt?: Attempt }): void {
    const stage = this.#stages[number];
    if (stage === DONE || !this.#isThere(number)) return;
    if (attempt || stage === CALLING) this.#end(number, attempt, result, atMs);
    else {
      this.#results[number] = this.#one(result);
      this.#changedMs[number] = Math.round(atMs);
    }
    this.#move(number, DONE);
  }

  settleQueued({ result, atMs, most = this.count }: { result: Result; atMs: number; most?: number }): number {
    let settled = 0;
    for (let number = 1; number <= this.count && settled < most; number++) {
      if (!this.#isQueued(number)) continue;
      this.#results[number] ??= this.#one(result);
      this.#changedMs[number] = Math.round(atMs);
      this.#move(number, DONE);
      settled++;
    }
    return settled;
  }

  calling(limit: number): NumberRow[] {
    return this.#find((number) => this.#stages[number] === CALLING, 0, limit);
  }

  counts(): Counts {
    const sorted = [...this.#reasons].sort(([, one], [, other]) => one.first - other.first);
    const reasons = Object.fromEntries(sorted.map(([reason, { count }]) => [reason, count]));
    return { numbers: this.count, ...this.#inStates, ...this.#came, reasons, attempts: this.#attemptsInAll };
  }

  report({ after = 0, limit, states, code, reason, phone }: ReportQuery): NumberRow[] {
    const key = phone === undefined ? undefined : numberLookupKey(phone);
    const asksResult = code !== undefined || reason !== undefined;
    const fits = (number: number): boolean => {
      const state = STATES[this.#stages[number]!]!;
      if (states && !states.includes(state)) return false;
      if (key !== undefined && numberLookupKey(this.#phones[number]!) !== key) return false;
      if (!asksResult) return true;
      const result = state === 'done' ? this.#results[number] : undefined;
      return (
        result !== undefined && (code ?? result.code) === result.code && (reason ?? result.reason) === result.reason
      );
    };
    return this.#find(fits, after, limit);
  }

  #find(fits: (number: number) => boolean, after: number, limit: number): NumberRow[] {
    const rows: NumberRow[] = [];
    for (let number = after + 1; number <= this.count && rows.length < limit; number++) {
      if (fits(number)) rows.push(this.#row(number));
    }
    return rows;
  }

  #nextNew(): number {
    while (this.#firstNew <= this.count && this.#stages[this.#firstNew] !== NEW) this.#firstNew++;
    return this.#firstNew;
  }

  #isThere(number: number): boolean {
    return number >= 1 && number <= this.count;
  }

  #isQueued(number: number): boolean {
    return this.#isThere(number) && this.#stages[number]! <= AGAIN;
  }

  #move(number: number, stage: number): void {
    const before = this.#stages[number]!;
    this.#stages[number] = stage;
    this.#inStates[STATES[before]!]--;
    this.#inStates[STATES[stage]!]++;
    if (before === AGAIN) {
      this.#queue.remove(this.#again.get(number)!);
      this.#again.delete(number);
    }
    if (stage === AGAIN) {
      const repetition = new ScheduledRetry(this.#dueMs[number]!, number);
      this.#again.set(number, repetition);
      this.#queue.add(repetition);
    } else if (stage === NEW && number < this.#firstNew) this.#firstNew = number;
    else if (stage === DONE) {
      this.#inputs.delete(number);
      this.#count(number);
    }
  }

  /** Adds the result of a number that is done: it does not change any more. */
  #count(number: number): void {
    const result = this.#results[number];
    if (!result) return;
    this.#came[result.code]++;
    const { count, first } = this.#reasons.get(result.reason) ?? { count: 0, first: number };
    this.#reasons.set(result.reason, { count: count + 1, first: Math.min(first, number) });
  }

  /** `attempt` is that of the ended call. Undefined if its call is unknown. */
  #end(number: number, attempt: Attempt | undefined, result: Result, atMs: number): void {
    this.#lastCallIds.delete(number);
    this.#results[number] = this.#one(result);
    this.#changedMs[number] = Math.round(atMs);
    if (attempt) this.#callIds[number] = attempt.callId;
    this.#answeredMs[number] = Math.round(attempt?.answeredMs ?? 0);
    this.#endedMs[number] = Math.round(attempt?.endedMs ?? 0);
    this.#answeredBy[number] = ANSWERED_BY.indexOf(attempt?.answeredBy);
    if (attempt?.output === undefined) this.#outputs.delete(number);
    else this.#outputs.set(number, JSON.stringify(attempt.output));
  }

  #one(result: Result): Result {
    const alike = this.#known.get(result.reason) ?? [];
    const known = alike.find(({ code, cause }) => code === result.code && cause === result.cause);
    if (known) return known;
    const made = { ...result };
    this.#known.set(result.reason, [...alike, made]);
    return made;
  }

  #row(number: number): NumberRow {
    const stage = this.#stages[number]!;
    const row: NumberRow = {
      number,
      phone: this.#phones[number]!,
      state: STATES[stage]!,
      attempts: this.#attempts[number]!,
      dueMs: this.#dueMs[number]!,
      changedMs: this.#changedMs[number]!,
    };
    const input = this.#inputs.get(number);
    if (input !== undefined) row.input = JSON.parse(input) as JsonObject;
    const callId = this.#callIds[number];
    if (callId !== undefined) row.callId = callId;
    const result = this.#results[number];
    if (stage === CALLING || !result) return row;
    row.result = { ...result };
    if (this.#answeredMs[number] !== 0) row.answeredMs = this.#answeredMs[number]!;
    if (this.#endedMs[number] !== 0) row.endedMs = this.#endedMs[number]!;
    const answeredBy = ANSWERED_BY[this.#answeredBy[number]!];
    if (answeredBy !== undefined) row.answeredBy = answeredBy;
    const output = this.#outputs.get(number);
    if (output !== undefined) row.output = JSON.parse(output) as Json;
    return row;
  }
}
