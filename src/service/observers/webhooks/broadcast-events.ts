/**
 * Initial and final event of a broadcast. `events.ts` produces those of its calls, which may have another URL.
 * Invariant: the final event is sent after the initial one, and after all events of its calls to the same URL, which
 * are its parts.
 */
import type { Delivery } from '../../../base/core/delivery.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { Broadcast, Counts } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastEvent } from '../../calls/broadcast/broadcasts.ts';

export interface BroadcastEventContext {
  /** Returns a new `webhook-id`. */
  nextId(): string;
  nowMs: number;
}

/** The id under all names that clients use. */
export const broadcastIds = (broadcastId: string): JsonObject => ({
  app_instance: broadcastId,
  broadcast_id: broadcastId,
  appInstance: broadcastId,
});

export function broadcastDeliveries(
  broadcast: Broadcast,
  event: BroadcastEvent,
  counts: Pick<Counts, 'success' | 'failed'>,
  { nextId, nowMs }: BroadcastEventContext,
): Delivery[] {
  const { broadcastId, projectId, name, ownerRef, eventUrl } = broadcast.order;
  if (eventUrl === undefined) return [];
  const payload: JsonObject = {
    ...broadcastIds(broadcastId),
    application_name: name,
    ...broadcastFields(broadcast, event, counts),
    ...(ownerRef === undefined ? {} : { owner_ref: ownerRef }),
    timestamp: new Date(nowMs).toISOString(),
  };
  const line =
    event === 'initiated'
      ? { orderKey: broadcastId, partOf: broadcastId }
      : { orderKey: `${broadcastId}${END}`, afterPartsOf: broadcastId };
  return [{ id: nextId(), projectId, ...line, url: eventUrl, payload, createdMs: nowMs }];
}

/** The final event waits for its parts, so it has a separate line. */
const END = '/end';

/** Id of the call or broadcast to which an order key belongs. */
export const callOrBroadcastId = (orderKey: string): string =>
  orderKey.endsWith(END) ? orderKey.slice(0, -END.length) : orderKey;

function broadcastFields(
  { state, error }: Broadcast,
  event: BroadcastEvent,
  { success, failed }: Pick<Counts, 'success' | 'failed'>,
): JsonObject {
  if (event === 'initiated') return { state: 'initiated' };
  if (event === 'failed')
    return { state: 'failed', error_description: error ?? 'the broadcast could not be carried out' };
  const results = { successfull_calls: success, failed_calls: failed };
  // Documented in both spellings.
  const fields: JsonObject = { state: 'broadcastcomplete', resultset: results, resultSet: { ...results } };
  return state === 'stopped' ? { ...fields, stopped: true } : fields;
}
