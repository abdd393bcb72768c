/** Builds the call of a broadcast's number, or the reason to skip the number. */
import { defined } from '../../../base/core/json.ts';
import type { DialOrder } from '../control/place-call.ts';
import { phoneKey } from '../numbers/phone-key.ts';
import { type BroadcastOrder, type NumberRow, RESULT_REASONS, type Result } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';

const NO_ROUTE: Result = { code: 'failed', reason: 'No Route To Destination' };

export function dialOrderOf({ phone }: NumberRow, callId: string, order: BroadcastOrder): DialOrder {
  const { broadcastId, projectId, from, headers, ringTimeoutMs, eventUrl, callHandlerUrl, ownerRef } = order;
  return defined({
    ...{ callId, projectId, from, to: phone, ringTimeoutMs, broadcastId },
    headers,
    eventUrl: callHandlerUrl ?? eventUrl,
    ownerRef,
  });
}

/** Result of a number that must not be called. Undefined if it may be called. */
export async function skipReason(
  { phone }: NumberRow,
  { projectId }: BroadcastOrder,
  { store, isRoutable }: Pick<BroadcastParts, 'store' | 'isRoutable'>,
): Promise<Result | undefined> {
  if (await store.doNotCall.has(projectId, phoneKey(phone))) {
    return { code: 'failed', reason: RESULT_REASONS.doNotCall };
  }
  return isRoutable(phone) ? undefined : NO_ROUTE;
}
