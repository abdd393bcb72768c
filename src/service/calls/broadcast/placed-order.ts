/** Calls of an order that a flow placed: the one that counts ends the order. */
import { isObject } from '../../../base/core/json.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import type { BroadcastOrder } from './broadcast.ts';

type Ended = Pick<CallRecord, 'answeredMs' | 'output'>;
type Placed = Pick<BroadcastOrder, 'placed'>;

/** True if no other number is called after this call. */
export const endsOrder = (record: Ended, order: Placed): boolean =>
  order.placed !== undefined && record.answeredMs !== undefined && isAccepted(record, order);

/** True if an answered call counts. */
export const isAccepted = ({ output }: Ended, { placed }: Placed): boolean =>
  placed?.until !== 'accepted' || (isObject(output) && output['accepted'] === true);
