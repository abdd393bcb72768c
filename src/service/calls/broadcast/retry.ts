/**
 * Result of a broadcast call: the final result of its number, or a retry.
 *
 * The retry rule is that of the negative outcome of the call that has just ended. All calls so far count against it,
 * whatever their outcome: with `busy: {retries: 3}` and `no_answer: {retries: 1}`, a number that was busy twice and
 * then does not answer is not called again.
 */
import {
  type Cause,
  dialOutcome,
  isNetworkFault,
  NORMAL_CLEARING,
  TEMPORARY_FAILURE,
} from '../../../base/core/causes.ts';
import { defined } from '../../../base/core/json.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import {
  type Attempt,
  type BroadcastOrder,
  RESULT_REASONS,
  type Result,
  type RetryPolicy,
  type RetryRule,
} from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';
import { isAccepted } from './placed-order.ts';

const USER_BUSY = 17;
/** Causes that may be temporary: 20 Subscriber Absent, 31 Normal Unspecified. */
const TEMPORARY_CAUSES = new Set([20, 31]);

export type EndedCall = Pick<CallRecord, 'callId' | 'answeredMs' | 'endedMs' | 'cause' | 'answeredBy' | 'output'>;

/** `againMs`: time of the retry. Undefined if the number is not called again. */
export interface CallResult {
  attempt: Attempt;
  result: Result;
  againMs: number | undefined;
}

/**
 * Result of a call that is over, or was live when the service died. `attempts`: calls of this number so far, including
 * this one.
 */
export function resultOf(
  record: EndedCall,
  order: Pick<BroadcastOrder, 'detection' | 'retry' | 'placed'>,
  { attempts, stopped, nowMs }: { attempts: number; stopped: boolean; nowMs: number },
): CallResult {
  const attempt = attemptOf(record, nowMs);
  const { cause } = attempt;
  const isRefused = record.answeredMs !== undefined && !isAccepted(record, order);
  if (record.answeredMs !== undefined && !isRefused) {
    return { attempt, result: connected(attempt, order), againMs: undefined };
  }
  const again = isRefused ? intervalOf(order.retry.no_answer, attempts) : retryAfterMs(cause, attempts, order.retry);
  const afterMs = stopped ? undefined : again;
  // The clock may have been set back during the call.
  const againMs = afterMs === undefined ? undefined : Math.min(attempt.endedMs, nowMs) + afterMs;
  const result: Result = isRefused
    ? { code: 'failed', reason: RESULT_REASONS.notAccepted, cause: cause.code }
    : failed(cause, stopped);
  return { attempt, result, againMs };
}

/** A number of a broadcast whose call has ended. */
interface CalledNumber {
  broadcastId: string;
  number: number;
  atMs: number;
  /** The lost node that was calling it. */
  node?: string | undefined;
}

/** Writes the final result, or queues the number again. */
export function writeResult(
  store: Pick<BroadcastStore, 'settle' | 'requeue'>,
  { broadcastId, number, atMs, node }: CalledNumber,
  { attempt, result, againMs }: CallResult,
): Promise<void> {
  if (againMs === undefined) return store.settle(broadcastId, number, defined({ result, atMs, attempt, node }));
  return store.requeue(broadcastId, number, attempt, result, againMs, node);
}

/** Delay until the retry, in ms. Undefined if there is none. */
export function retryAfterMs(cause: Cause, attempts: number, policy: RetryPolicy): number | undefined {
  const outcome = dialOutcome(cause);
  if (outcome === 'unreachable' && !isNetworkFault(cause) && !TEMPORARY_CAUSES.has(cause.code)) return undefined;
  return intervalOf(policy[outcome], attempts);
}

const intervalOf = ({ retries, intervalMs }: RetryRule, attempts: number): number | undefined =>
  attempts <= retries ? intervalMs : undefined;

function attemptOf(record: EndedCall, nowMs: number): Attempt {
  const { callId, answeredMs, answeredBy, output } = record;
  return defined({
    callId,
    endedMs: record.endedMs ?? nowMs,
    cause: record.cause ?? TEMPORARY_FAILURE,
    answeredMs,
    answeredBy,
    output,
  });
}

/** A machine can take a message, a fax cannot. */
function connected({ answeredBy, cause }: Attempt, { detection }: Pick<BroadcastOrder, 'detection'>): Result {
  if (!detection || (answeredBy !== 'machine' && answeredBy !== 'fax')) {
    return { code: 'success', reason: 'success', cause: cause.code };
  }
  const hasMessage = answeredBy === 'machine' && detection.onMachine !== 'hang_up';
  return { code: hasMessage ? 'success' : 'failed', reason: 'AMD', cause: cause.code };
}

function failed(cause: Cause, stopped: boolean): Result {
  if (cause.code === USER_BUSY) return { code: 'failed', reason: 'Busy', cause: cause.code };
  // The service hung up while the callee's phone rang.
  const reason = stopped && cause.code === NORMAL_CLEARING.code ? RESULT_REASONS.stopped : cause.reason;
  return { code: 'failed', reason, cause: cause.code };
}
