/** Small, valid broadcasts and what becomes of their numbers, for the contract suite of their store. */
import {
  type Attempt,
  type Broadcast,
  type BroadcastOrder,
  type Callee,
  NEVER_CALLED,
  type Result,
  type RetryRule,
} from '../calls/broadcast/broadcast.ts';
import { causeOf } from '../core/causes.ts';
import { T0 } from './call-writes.ts';

const RETRY: RetryRule = { retries: 3, intervalMs: 5000 };

export const ANSWERED: Result = { code: 'success', reason: 'success', cause: 16 };
export const BUSY: Result = { code: 'failed', reason: 'Busy', cause: 17 };
export const STOPPED: Result = { code: 'failed', reason: NEVER_CALLED.stopped };

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
