import type { JsonObject } from './json.ts';

/**
 * One webhook event to be sent to an application. `id` is the `webhook-id` header, which is the same for every attempt.
 */
export interface Delivery {
  id: string;
  projectId: string;
  /** Deliveries of one key (a call's id) are sent strictly in order, one at a time. */
  orderKey: string;
  url: string;
  payload: JsonObject;
  /** The whole to which this event belongs, though with an order key of its own: the id of a broadcast. */
  partOf?: string;
  /**
   * Sent only after all events with this `partOf` and the same URL are delivered, discarded, or retried outside of
   * their lines.
   */
  afterPartsOf?: string;
  createdMs: number;
}
