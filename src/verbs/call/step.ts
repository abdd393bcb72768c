/** The verb `call`: orders a call of its own from the service, and continues. */
import { FaultError, fault } from '../../base/core/fault.ts';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { CallToPlace } from '../../base/core/placed-call.ts';
import { durationMs, mapIn } from '../../language/steps/arguments.ts';
import { fetchReply } from '../../language/steps/http-request.ts';
import { defineStep, type StepContext } from '../../language/steps/step.ts';
import type { CallArgs, CallOutcome } from '../../language/steps/verb-types.ts';
import { startTime } from './start-time.ts';

type Context = StepContext<CallArgs>;

/** Timeout for the answer of the service, which normally comes at once. */
const ANSWER_MS = 5000;
const CONFLICT = 409;

export const step = defineStep<CallArgs, CallOutcome>({
  verb: 'call',
  async *run(context) {
    const order = orderOf(context);
    // The same after a crash, so that the call is placed once.
    const id = `${context.call['id']}-${context.runNumber}`;
    const at = new Date(order.startsMs).toISOString();
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url: 'call:place',
      headers: {},
      body: shown(order, { at, pause: context.input.pause }),
      timeoutMs: ANSWER_MS,
      call: { id, place: order },
    });
    if (reply.ok && reply.status < 300) {
      const result: JsonObject = { id, at };
      return { outcome: 'placed', result };
    }
    if (reply.ok && reply.status === CONFLICT) {
      const { reason = 'unavailable' } = mapIn(reply.body);
      const result: JsonObject = { reason };
      return { outcome: 'refused', result };
    }
    const why = reply.ok ? `the service answered ${reply.status}` : reply.message;
    throw new FaultError(fault('call_failed', `the call was not placed: ${why}`));
  },
});

function orderOf(context: Context): CallToPlace {
  const { input, leg, call, eventUrl } = context;
  const { to, flow, input: given = {}, from, until, attempts, pause, ring_timeout, key, allow, hours } = input;
  return defined({
    to: [to].flat(),
    from: from ?? String(leg.direction === 'outbound' ? call['from'] : call['to']),
    flow,
    input: given,
    startsMs: startsMs(context),
    until,
    attempts,
    pauseMs: durationMs(pause),
    ringTimeoutMs: durationMs(ring_timeout),
    ...{ key, eventUrl, allow: allow && [...allow] },
    hours: hoursOf(context, hours as Json | undefined),
  });
}

function startsMs(context: Context): number {
  const { input, timezone } = context;
  const nowMs = context.wallMs();
  if (input.in !== undefined) return nowMs + durationMs(input.in);
  if (input.at === undefined) return nowMs;
  const found = startTime(input.at, timezone, nowMs);
  if (found === undefined) throw new FaultError(fault('invalid_time', `there is no time ${input.at} in ${timezone}`));
  return found;
}

function hoursOf(context: Context, written: Json | undefined): JsonObject | undefined {
  if (written === undefined) return undefined;
  const found = context.schedule(written);
  if (isObject(found)) return found;
  throw new FaultError(fault('unknown_schedule', `there is no schedule ${String(written)}`));
}

/** The order in journals and tests. */
const shown = (
  { to, from, flow, input, until, key, attempts }: CallToPlace,
  { at, pause }: { at: string; pause: string },
): JsonObject => defined<JsonObject>({ to: [...to], from, flow, input, at, until, key, attempts, pause });
