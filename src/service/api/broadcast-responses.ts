/** Response bodies for broadcasts. `rehearse` prints the same format. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { snakeCased } from '../../base/core/key-case.ts';
import type { Broadcast } from '../calls/broadcast/broadcast.ts';
import type { BroadcastCounts, NumberPage } from '../calls/broadcast/broadcasts.ts';
import { broadcastIds } from '../observers/webhooks/broadcast-events.ts';
import { iso, optionalIso } from './response-bodies.ts';

/** Fields of every response about a broadcast. */
export const broadcastAbout = ({ order, state }: Broadcast): JsonObject =>
  defined({ ...broadcastIds(order.broadcastId), application_name: order.name, owner_ref: order.ownerRef, state });

/** Body of a list entry, and first part of a report. */
export const broadcastBody = (broadcast: Broadcast): JsonObject =>
  defined({
    ...broadcastAbout(broadcast),
    created: iso(broadcast.createdMs),
    started: optionalIso(broadcast.startedMs),
    ended: optionalIso(broadcast.endedMs),
    error_description: broadcast.error,
  });

export const totalsBody = (counts: BroadcastCounts): JsonObject => ({
  // A number whose call does not ring yet counts as queued.
  queued: counts.queued + Math.max(0, counts.calling - counts.ringing - counts.connected),
  disconnected: counts.done,
  ...snakeCased(counts, ['numbers', 'ringing', 'connected', 'success', 'failed', 'attempts']),
  reasons: { ...counts.reasons },
});

/** One number of a report. */
export function numberBody(row: NumberPage['rows'][number]): JsonObject {
  const { result, answeredMs, endedMs, callId, answeredBy, output } = row;
  const body: JsonObject = { dialed_number: row.phone, state: row.status };
  if (result) {
    const words: JsonObject = { code: result.code, reason: result.reason };
    if (result.cause !== undefined) words['cause'] = result.cause;
    // A number that will be called again has no final result yet.
    body[row.state === 'done' ? 'result' : 'last_result'] = words;
  }
  body['attempts'] = row.attempts;
  if (callId !== undefined) body['voice_id'] = callId;
  if (answeredMs !== undefined) {
    body['connected'] = iso(answeredMs);
    if (endedMs !== undefined) body['call_duration'] = Math.max(0, Math.round((endedMs - answeredMs) / 1000));
  }
  if (answeredBy !== undefined) body['answered_by'] = answeredBy;
  if (output !== undefined) body['output'] = output;
  body['timestamp'] = iso(row.changedMs);
  return body;
}
