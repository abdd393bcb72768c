/**
 * Calls that flows place (verb `call`) and cancel: each order is a broadcast with a start time, so that it survives a
 * restart, is shared by the nodes of a cluster, and obeys the limits, hours and do-not-call list of broadcasts. A number
 * in the flow may come from a forged caller ID: the rules of callbacks decide which numbers may be called.
 */
import { destinationProblem } from '../../../base/core/address-syntax.ts';
import type { HttpReply } from '../../../base/core/http-exchange.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { CallToPlace, FlowCallOrder, OrderRefusal } from '../../../base/core/placed-call.ts';
import type { PlacedByFlow, RetryPolicy } from '../broadcast/broadcast.ts';
import type { NewBroadcast } from '../broadcast/broadcasts.ts';
import type { Broadcasts } from '../broadcast/create-broadcasts.ts';
import { CallError, type CallErrorCode } from '../call-error.ts';
import { type CallParts, mayPresent } from '../call-parts.ts';
import { mayBeCalledBack } from '../callbacks/callback-targets.ts';

const MAX_AHEAD_MS = 366 * 24 * 3_600_000;
/** An order for now may be a moment late. */
const MAX_LATE_MS = 60_000;

const REFUSALS: Partial<Record<CallErrorCode, OrderRefusal>> = {
  cli_not_assigned: 'not_presentable',
  numbers_invalid: 'no_number',
  overloaded: 'too_many',
  store_failing: 'unavailable',
};

export interface FlowCallParts extends Pick<CallParts, 'clock' | 'numbers' | 'projects' | 'isRoutable' | 'log'> {
  broadcasts: Pick<Broadcasts, 'create' | 'stop' | 'find' | 'placedUnder' | 'doNotCall'>;
}

/** Never rejects. The response has status 201, or 409 with a `reason`. */
export type PlaceFlowCall = (order: FlowCallOrder, projectId: string) => Promise<HttpReply>;

export function createFlowCalls(parts: FlowCallParts): PlaceFlowCall {
  const { broadcasts, log } = parts;

  const cancel = async (projectId: string, key: string): Promise<number> => {
    const found = await broadcasts.placedUnder(projectId, key);
    for (const broadcastId of found) await broadcasts.stop(projectId, broadcastId, { hangUp: false });
    return found.length;
  };

  const place = async (id: string, asked: CallToPlace, projectId: string): Promise<HttpReply> => {
    const known = await broadcasts.find(projectId, id).catch(() => undefined);
    if (known) return reply(201, { id });
    const reason = await refusalOf(asked, projectId, parts);
    if (reason !== undefined) return reply(409, { reason });
    if (asked.key !== undefined) await cancel(projectId, asked.key);
    await broadcasts.create(
      orderOf(id, asked, projectId),
      asked.to.map((phone) => ({ phone })),
    );
    return reply(201, { id });
  };

  return async (order, projectId) => {
    try {
      if ('cancel' in order) return reply((await cancel(projectId, order.cancel)) > 0 ? 200 : 404, {});
      return await place(order.id, order.place, projectId);
    } catch (error) {
      const reason = error instanceof CallError ? REFUSALS[error.code] : undefined;
      if (reason !== undefined) return reply(409, { reason });
      log.warn('flow_call.not_placed', { id: order.id, projectId, error });
      const message = error instanceof CallError ? error.message : 'the call could not be placed';
      return { ok: false, reason: 'refused', message };
    }
  };
}

const reply = (status: number, body: JsonObject): HttpReply => ({ ok: true, status, headers: {}, body });

async function refusalOf(
  { to, from, startsMs, allow }: CallToPlace,
  projectId: string,
  parts: FlowCallParts,
): Promise<OrderRefusal | undefined> {
  const { clock, numbers, isRoutable, broadcasts } = parts;
  if (to.length === 0 || to.some((number) => destinationProblem(number) !== undefined)) return 'no_number';
  if (startsMs < clock.now() - MAX_LATE_MS) return 'in_the_past';
  if (startsMs > clock.now() + MAX_AHEAD_MS) return 'too_far';
  if (!mayPresent(projectId, from, parts)) return 'not_presentable';
  const own = numbers.of(projectId);
  const isCallable = (number: string): boolean =>
    isRoutable(number) && mayBeCalledBack(number, { ...(allow && { allow }), own });
  if (!to.every(isCallable)) return 'not_callable';
  const listed = await Promise.all(to.map((number) => broadcasts.doNotCall.has(projectId, number)));
  // The others are called: the broadcast skips numbers of the list.
  return listed.every(Boolean) ? 'do_not_call' : undefined;
}

function orderOf(id: string, asked: CallToPlace, projectId: string): NewBroadcast {
  const { to, from, flow, input, startsMs, until, key, hours, attempts, pauseMs, ringTimeoutMs, eventUrl } = asked;
  return defined<NewBroadcast>({
    broadcastId: id,
    projectId,
    name: typeof flow === 'string' ? flow : 'call',
    from,
    eventUrl,
    callHandlerUrl: eventUrl,
    action: { type: 'flow' as const, flow, input },
    autoRecord: false,
    pacing: to.length > 1 ? { maxConcurrent: 1 } : {},
    retry: retryOf({ retries: attempts - 1, intervalMs: pauseMs }),
    window: hours,
    ringTimeoutMs,
    idleTimeoutMs: 0,
    // A person who expects a call prefers two calls to none.
    redialLost: true,
    placed: defined<PlacedByFlow>({ startsMs, until, key }),
  });
}

const retryOf = (rule: RetryPolicy['busy']): RetryPolicy => ({
  busy: rule,
  no_answer: rule,
  declined: rule,
  unreachable: rule,
});
