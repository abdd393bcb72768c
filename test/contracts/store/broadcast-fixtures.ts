/** Small, valid broadcasts and results of their numbers, for the contract suite of their store. */
import { causeOf } from '../../../src/base/core/causes.ts';
import {
  type Attempt,
  type Broadcast,
  type BroadcastOrder,
  type Callee,
  type NumberRow,
  RESULT_REASONS,
  type Result,
  type RetryRule,
} from '../../../src/service/calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import { T0 } from './call-fixtures.ts';

const RETRY: RetryRule = { retries: 3, intervalMs: 5000 };

export const ANSWERED: Result = { code: 'success', reason: 'success', cause: 16 };
export const BUSY: Result = { code: 'failed', reason: 'Busy', cause: 17 };
export const STOPPED: Result = { code: 'failed', reason: RESULT_REASONS.stopped };

export const broadcastOf = (
  broadcastId: string,
  { projectId = 'project-1', ...changes }: Partial<Broadcast> & Partial<Pick<BroadcastOrder, 'projectId'>> = {},
): Broadcast => ({
  order: {
    broadcastId,
    projectId,
    name: 'Reminders for "é" 👋',
    from: '+33199001122',
    eventUrl: 'http://127.0.0.1:9/events',
    autoRecord: false,
    pacing: { callsPerSecond: 2.5 },
    retry: { busy: RETRY, no_answer: RETRY, declined: { retries: 0, intervalMs: 0 }, unreachable: RETRY },
    window: { timezone: 'Europe/Paris', hours: [{ days: 'mon-fri', open: '09:00-18:00' }] },
    ringTimeoutMs: 60_000,
    idleTimeoutMs: 10_000,
    redialLost: false,
  },
  state: 'initiated',
  createdMs: T0,
  numbers: 0,
  ...changes,
});

export const phoneOf = (number: number): string => String(33_600_000_000 + number);

export function* calleesOf(count: number): Generator<Callee> {
  for (let number = 1; number <= count; number++) yield { phone: phoneOf(number) };
}

/** A call that found the line busy. */
export const attemptOf = (callId: string): Attempt => ({ callId, endedMs: T0 + 20, cause: causeOf(17) });

export const numbersOf = (rows: readonly NumberRow[]): number[] => rows.map(({ number }) => number);

/** Short names for actions on the numbers of broadcast `b1`. */
export interface BroadcastActions {
  create(
    broadcastId: string,
    callees: Iterable<Callee> | number,
    more?: Parameters<typeof broadcastOf>[1],
  ): Promise<void>;
  claim(number: number, callId?: string, broadcastId?: string): Promise<boolean>;
  requeue(number: number, dueMs: number): Promise<void>;
  row(number: number, broadcastId?: string): Promise<NumberRow>;
  due(nowMs?: number, limit?: number): Promise<number[]>;
}

export const broadcastActions = (store: BroadcastStore): BroadcastActions => ({
  create: (broadcastId, callees, more) =>
    store.create(broadcastOf(broadcastId, more), typeof callees === 'number' ? calleesOf(callees) : callees, []),
  claim: (number, callId = `call-${number}`, broadcastId = 'b1') =>
    store.claim(broadcastId, number, { callId, atMs: T0 + 10 }),
  requeue: (number, dueMs) => store.requeue('b1', number, attemptOf(`call-${number}`), BUSY, dueMs),
  row: async (number, broadcastId = 'b1') => (await store.report({ broadcastId, after: number - 1, limit: 1 }))[0]!,
  due: async (nowMs = T0 + 1000, limit = 100) => numbersOf(await store.due('b1', nowMs, limit)),
});
