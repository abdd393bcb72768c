/**
 * The numbers of one broadcast as objects: much faster to change than rows of a database. Neighbour:
 * `in-memory-broadcast-store.ts`. `calls/broadcast/broadcast-store.ts` documents the methods.
 */
import type { Attempt, Callee, Counts, NumberRow, NumberState, Result } from '../../calls/broadcast/broadcast.ts';
import type { ReportQuery } from '../../calls/broadcast/broadcast-store.ts';
import type { JsonObject } from '../../core/json.ts';
import { numberLookupKey } from '../../core/phone-number.ts';
import { Heap, type HeapItem } from '../heap.ts';

/** `again`: it waits for a repetition. */
const STATES = { new: 'queued', again: 'queued', calling: 'calling', done: 'done' } as const;

class TableRow implements HeapItem<TableRow> {
  index = -1;
  readonly number: number;
  readonly phone: string;
  input: JsonObject | undefined;
  stage: keyof typeof STATES = 'new';
  attempts = 0;
  dueMs: number;
  changedMs: number;
  callId: string | undefined = undefined;
  result: Result | undefined = undefined;
  /** The last call that is over. */
  lastCall: Attempt | undefined = undefined;

  constructor(number: number, { phone, input }: Callee, createdMs: number) {
    this.number = number;
    this.phone = phone;
    this.input = input;
    this.dueMs = createdMs;
    this.changedMs = createdMs;
  }

  get state(): NumberState {
    return STATES[this.stage];
  }

  isBefore(other: TableRow): boolean {
    return this.dueMs < other.dueMs || (this.dueMs === other.dueMs && this.number < other.number);
  }

  toNumberRow(): NumberRow {
    const { number, phone, state, attempts, dueMs, changedMs, input, callId, result, lastCall } = this;
    const row: NumberRow = { number, phone, state, attempts, dueMs, changedMs };
    if (input) row.input = input;
    if (callId !== undefined) row.callId = callId;
    if (state === 'calling' || !result) return row;
    row.result = result;
    if (!lastCall) return row;
    row.endedMs = Math.round(lastCall.endedMs);
    if (lastCall.answeredMs !== undefined) row.answeredMs = Math.round(lastCall.answeredMs);
    if (lastCall.answeredBy !== undefined) row.answeredBy = lastCall.answeredBy;
    if (lastCall.output !== undefined) row.output = lastCall.output;
    return row;
  }
}

export class NumberTable {
  readonly #rows: readonly TableRow[];
  readonly #again = new Heap<TableRow>();
  /** No row before this index is new. */
  #firstNew = 0;

  constructor(callees: Iterable<Callee>, createdMs: number) {
    this.#rows = Array.from(callees, (callee, index) => new TableRow(index + 1, callee, createdMs));
  }

  get count(): number {
    return this.#rows.length;
  }

  due(nowMs: number, limit: number): NumberRow[] {
    const again: TableRow[] = [];
    for (let next = this.#again.first; next && next.dueMs <= nowMs && again.length < limit; next = this.#again.first) {
      this.#again.remove(next);
      again.push(next);
    }
    for (const row of again) this.#again.add(row);
    const isDue = ({ stage, dueMs }: TableRow): boolean => stage === 'new' && dueMs <= nowMs;
    return again.map((row) => row.toNumberRow()).concat(this.#find(isDue, this.#nextNew(), limit - again.length));
  }

  nextDueMs(): number | undefined {
    const next = [this.#again.first, this.#rows[this.#nextNew()]].filter((row) => row !== undefined);
    return next.length === 0 ? undefined : Math.min(...next.map(({ dueMs }) => dueMs));
  }

  /** Which attempt of the number this is; undefined: it was not queued. */
  claim(number: number, { callId, atMs }: { callId: string; atMs: number }): number | undefined {
    const row = this.#rows[number - 1];
    if (row?.state !== 'queued') return undefined;
    this.#move(row, 'calling');
    row.callId = callId;
    row.changedMs = Math.round(atMs);
    return ++row.attempts;
  }

  release(number: number): void {
    const row = this.#rows[number - 1];
    if (row?.stage !== 'calling') return;
    row.attempts--;
    row.callId = row.lastCall?.callId;
    this.#move(row, row.attempts === 0 ? 'new' : 'again');
  }

  requeue(number: number, attempt: Attempt, last: Result, dueMs: number): void {
    const row = this.#rows[number - 1];
    if (row?.stage !== 'calling') return;
    // Rounded up: a number must not be found before it is due.
    row.dueMs = Math.ceil(dueMs);
    endCall(row, attempt);
    setResult(row, last, attempt.endedMs);
    this.#move(row, 'again');
  }

  settle(number: number, { result, atMs, attempt }: { result: Result; atMs: number; attempt?: Attempt }): void {
    const row = this.#rows[number - 1];
    if (!row || row.stage === 'done') return;
    if (attempt || row.stage === 'calling') endCall(row, attempt);
    setResult(row, result, atMs);
    this.#move(row, 'done');
  }

  settleQueued({ result, atMs, most = this.count }: { result: Result; atMs: number; most?: number }): number {
    let settled = 0;
    for (const row of this.#rows) {
      if (settled === most) break;
      if (row.state !== 'queued') continue;
      setResult(row, row.result ?? result, atMs);
      this.#move(row, 'done');
      settled++;
    }
    return settled;
  }

  calling(limit: number): NumberRow[] {
    return this.#find(({ stage }) => stage === 'calling', 0, limit);
  }

  counts(): Counts {
    const inStates = { queued: 0, calling: 0, done: 0 };
    const came = { success: 0, failed: 0 };
    const reasons = new Map<string, number>();
    let attempts = 0;
    for (const row of this.#rows) {
      attempts += row.attempts;
      inStates[row.state]++;
      if (row.stage !== 'done' || !row.result) continue;
      const { code, reason } = row.result;
      came[code]++;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    return { numbers: this.count, ...inStates, ...came, reasons: Object.fromEntries(reasons), attempts };
  }

  report({ after = 0, limit, states, code, reason, phone }: ReportQuery): NumberRow[] {
    const key = phone === undefined ? undefined : numberLookupKey(phone);
    const fits = (row: TableRow): boolean => {
      if (states && !states.includes(row.state)) return false;
      if (key !== undefined && numberLookupKey(row.phone) !== key) return false;
      if (code === undefined && reason === undefined) return true;
      const { result } = row;
      if (row.stage !== 'done' || !result) return false;
      return (code ?? result.code) === result.code && (reason ?? result.reason) === result.reason;
    };
    return this.#find(fits, after, limit);
  }

  /** The first rows from this index on that fit. */
  #find(fits: (row: TableRow) => boolean, from: number, limit: number): NumberRow[] {
    const found: NumberRow[] = [];
    for (let index = from; index < this.count && found.length < limit; index++) {
      const row = this.#rows[index]!;
      if (fits(row)) found.push(row.toNumberRow());
    }
    return found;
  }

  /** The index of the first row that is new. */
  #nextNew(): number {
    while (this.#firstNew < this.count && this.#rows[this.#firstNew]!.stage !== 'new') this.#firstNew++;
    return this.#firstNew;
  }

  #move(row: TableRow, stage: TableRow['stage']): void {
    row.stage = stage;
    this.#again.remove(row);
    if (stage === 'again') this.#again.add(row);
    if (stage === 'new') this.#firstNew = Math.min(this.#firstNew, row.number - 1);
    if (stage === 'done') row.input = undefined;
  }
}

/** Without an attempt nothing is known of the call. */
function endCall(row: TableRow, attempt: Attempt | undefined): void {
  row.lastCall = attempt;
  if (attempt) row.callId = attempt.callId;
}

function setResult(row: TableRow, result: Result, atMs: number): void {
  row.result = result;
  row.changedMs = Math.round(atMs);
}
