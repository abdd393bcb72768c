/** Callback requests: asks the queue to keep the caller's position for a later call, and returns its answer. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { durationMs, mapIn } from '../../language/steps/arguments.ts';
import type { StepContext, Waiting, Written } from '../../language/steps/step.ts';
import type { QueueArgs } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';

const MAX_KEPT_MS = 7 * 24 * 3_600_000;
/** Time-out for the answer of the queue, which normally comes at once. */
const ANSWER_MS = 5000;

/** Key that requests a callback in a queue step. */
export const callbackKey = ({ callback }: Written<QueueArgs>): string | undefined => {
  const { key } = mapIn(callback as Json | undefined);
  return typeof key === 'string' ? key : undefined;
};

/** Default number of the callback, used if the waiting flow returns no other. */
export function usualNumber({ input, leg, call }: StepContext<QueueArgs>): string {
  return input.callback?.to ?? String(leg.direction === 'outbound' ? call['to'] : call['from']);
}

/** `said`: output of the waiting flow. */
export async function* keepPlace(
  context: StepContext<QueueArgs>,
  memberId: string,
  said: Json | undefined,
): Waiting<{ outcome: 'callback' | 'no_callback'; more: JsonObject }> {
  context.sendToVenue(memberId, 'keep', orderOf(context, said));
  const dueMs = context.now() + ANSWER_MS;
  for (;;) {
    const event = yield until(context, dueMs);
    if (event.type === 'timeout') return { outcome: 'no_callback', more: { reason: 'unavailable' } };
    if (event.type !== 'venue' || event.memberId !== memberId) continue;
    if (event.name === 'callback' || event.name === 'no_callback') {
      return { outcome: event.name, more: mapIn(event.data) };
    }
  }
}

function orderOf(context: StepContext<QueueArgs>, said: Json | undefined): JsonObject {
  const { input, leg, call } = context;
  const { flow, input: given = {}, allow, from, attempts, pause, ring_timeout, hours, keep } = input.callback!;
  const other = isObject(said) ? said['to'] : undefined;
  return defined<JsonObject>({
    ...{ flow, input: given, attempts, allow: allow && [...allow] },
    to: other ?? usualNumber(context),
    from: from ?? String(leg.direction === 'outbound' ? call['from'] : call['to']),
    pauseMs: durationMs(pause),
    ringTimeoutMs: durationMs(ring_timeout),
    keepMs: Math.min(MAX_KEPT_MS, durationMs(keep)),
    // The name of an unknown schedule is passed on, so that the queue refuses it.
    hours: typeof hours === 'string' ? (context.schedule(hours) ?? hours) : (hours as Json | undefined),
  });
}
