/**
 * State of live calls and its reducer for stream events. Repeated events have no effect. `stream.ts` receives the
 * events, `live-store.ts` holds the state.
 */
import type { Json } from '../../../../base/core/json.ts';
import { type CallRow, callRowOf } from '../call-rows/call-row.ts';

export interface LiveCallList {
  calls: ReadonlyMap<string, CallRow>;
  /**
   * Recently ended calls since the stream started, with their last known state. A list requested before their end may
   * still contain them as live, and the full list need not be reloaded for each of them.
   */
  ended: ReadonlyMap<string, CallRow | undefined>;
}

export const NO_CALLS: LiveCallList = { calls: new Map(), ended: new Map() };
const MAX_ENDED = 1000;

type Body = Readonly<Record<string, Json>>;

/** Returns the state after an event, or the same object if nothing changed. */
export function applyEvent(live: LiveCallList, event: string, data: Json): LiveCallList {
  if (event === 'reset') return NO_CALLS;
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return live;
  const id = data['voice_id'];
  if (typeof id !== 'string') return live;
  if (event === 'ended') return without(live, id, data);
  const known = live.calls.get(id);
  const next = event === 'call' ? withCall(known, data) : event === 'step' ? stepped(known, data) : undefined;
  return next === undefined ? live : { ...live, calls: new Map([...live.calls, [id, next]]) };
}

function without({ calls, ended }: LiveCallList, id: string, body: Body): LiveCallList {
  const left = new Map(calls);
  left.delete(id);
  const known = calls.get(id);
  const latest = [...ended, [id, known && endedRow(known, body)] as const].slice(-MAX_ENDED);
  return { calls: left, ended: new Map(latest) };
}

function endedRow({ step: _step, stepFlow: _flow, ...known }: CallRow, body: Body): CallRow {
  const { state, endedMs = known.startedMs, cause } = callRowOf({ ...body, ended: body['at'] ?? null });
  return { ...known, state: state || known.state, endedMs, ...(cause !== undefined && { cause }) };
}

function withCall(known: CallRow | undefined, body: Body): CallRow {
  const row = callRowOf(body);
  return known === undefined ? row : { ...known, ...row, step: known.step, stepFlow: known.stepFlow };
}

/** An event with an outcome leaves the step; the next step follows immediately. */
function stepped(known: CallRow | undefined, { flow, step, outcome }: Body): CallRow | undefined {
  if (known === undefined || typeof step !== 'string' || outcome !== undefined) return undefined;
  return { ...known, step, ...(typeof flow === 'string' && { stepFlow: flow }) };
}

/** Adds listed calls. Data from events is newer and wins. */
export function withListed(live: LiveCallList, rows: readonly CallRow[]): LiveCallList {
  const listed = rows
    .filter(({ id, endedMs }) => endedMs === undefined && !live.ended.has(id))
    .map((row): [string, CallRow] => [row.id, { ...row, ...live.calls.get(row.id) }]);
  return { ...live, calls: new Map([...live.calls, ...listed]) };
}

/** Number of calls in each step of a flow. */
export function countsOf({ calls }: LiveCallList, flow: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { step, stepFlow } of calls.values()) {
    if (stepFlow === flow && step !== undefined) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return counts;
}

export const isOfFlow = (row: CallRow, flow: string): boolean => row.flow === flow || row.stepFlow === flow;
