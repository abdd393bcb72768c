/**
 * Runs a broadcast through random changes in a store and in a simple model, which must agree after each change: the
 * invariants of the port, in random orders.
 */
import { expect } from 'vitest';
import type { Counts, NumberState, Result } from '../../../src/service/calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import { ANSWERED, attemptOf, BUSY, STOPPED } from './broadcast-fixtures.ts';
import { T0 } from './call-fixtures.ts';

interface ModelRow {
  number: number;
  state: NumberState;
  attempts: number;
  dueMs: number;
  result?: Result;
}

export interface RandomRun {
  numbers: number;
  steps: number;
  random: () => number;
}

/** Runs a broadcast that has just been created. */
export async function runRandomly(
  store: BroadcastStore,
  broadcastId: string,
  { numbers, steps, random }: RandomRun,
): Promise<void> {
  const model: ModelRow[] = Array.from({ length: numbers }, (_, index) => ({
    number: index + 1,
    state: 'queued',
    attempts: 0,
    dueMs: T0,
  }));
  const lastResult = new Map<number, Result>();
  const oneOf = <T>(things: readonly T[]): T => things[Math.floor(random() * things.length)]!;
  let nowMs = T0;
  let calls = 0;

  const end = (row: ModelRow, result: Result): void => {
    row.state = 'done';
    row.result = result;
  };

  const claim = async (row: ModelRow): Promise<void> => {
    const isQueued = row.state === 'queued';
    expect(await store.claim(broadcastId, row.number, { callId: `call-${++calls}`, atMs: nowMs })).toBe(isQueued);
    if (!isQueued) return;
    row.state = 'calling';
    row.attempts += 1;
    delete row.result;
  };
  const release = async (row: ModelRow): Promise<void> => {
    await store.release(broadcastId, row.number);
    if (row.state !== 'calling') return;
    row.state = 'queued';
    row.attempts -= 1;
    const last = lastResult.get(row.number);
    if (last) row.result = last;
  };
  const requeue = async (row: ModelRow): Promise<void> => {
    const dueMs = nowMs + Math.floor(random() * 5) * 100;
    const result = oneOf([BUSY, ANSWERED]);
    await store.requeue(broadcastId, row.number, attemptOf(`call-${calls}`), result, dueMs);
    if (row.state !== 'calling') return;
    lastResult.set(row.number, result);
    Object.assign(row, { state: 'queued', dueMs, result });
  };
  const settle = async (row: ModelRow): Promise<void> => {
    const result = oneOf([ANSWERED, BUSY, STOPPED]);
    const attempt = random() < 0.5 ? { attempt: attemptOf(`call-${calls}`) } : {};
    await store.settle(broadcastId, row.number, { result, atMs: nowMs, ...attempt });
    if (row.state !== 'done') end(row, result);
  };
  const settleQueued = async (): Promise<void> => {
    const queued = model.filter(({ state }) => state === 'queued');
    expect(await store.settleQueued(broadcastId, { result: STOPPED, atMs: nowMs })).toBe(queued.length);
    for (const row of queued) end(row, row.result ?? STOPPED);
  };

  const agree = async (): Promise<void> => {
    const rows = await store.report({ broadcastId, limit: numbers });
    expect(
      rows.map(({ number, state, attempts, dueMs, result }) => ({
        number,
        state,
        attempts,
        dueMs,
        ...(result && { result }),
      })),
    ).toEqual(model);
    expect(await store.counts(broadcastId)).toEqual(countsOf(model));
    const queued = model.filter(({ state }) => state === 'queued');
    const due = queued
      .filter(({ dueMs }) => dueMs <= nowMs)
      .sort((a, b) => Math.min(b.attempts, 1) - Math.min(a.attempts, 1) || a.dueMs - b.dueMs || a.number - b.number);
    expect((await store.due(broadcastId, nowMs, numbers)).map(({ number }) => number)).toEqual(
      due.map(({ number }) => number),
    );
    expect(await store.nextDueMs(broadcastId)).toBe(
      queued.length === 0 ? undefined : Math.min(...queued.map(({ dueMs }) => dueMs)),
    );
    const calling = model.filter(({ state }) => state === 'calling');
    expect((await store.calling(broadcastId, numbers)).map(({ number }) => number)).toEqual(
      calling.map(({ number }) => number),
    );
  };

  for (let step = 0; step < steps; step++) {
    nowMs += Math.floor(random() * 3) * 100;
    // Settling is rare enough for numbers to live through more than one call.
    if (random() < 0.01) await settleQueued();
    else await oneOf([claim, claim, claim, release, requeue, requeue, requeue, settle])(oneOf(model));
    await agree();
  }
}

function countsOf(model: readonly ModelRow[]): Counts {
  const of = (state: NumberState): ModelRow[] => model.filter((row) => row.state === state);
  const withCode = (code: Result['code']): number => of('done').filter(({ result }) => result!.code === code).length;
  const reasons: Record<string, number> = {};
  for (const { result } of of('done')) reasons[result!.reason] = (reasons[result!.reason] ?? 0) + 1;
  return {
    numbers: model.length,
    queued: of('queued').length,
    calling: of('calling').length,
    done: of('done').length,
    success: withCode('success'),
    failed: withCode('failed'),
    reasons,
    attempts: model.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}
