import type { JsonObject } from './json.ts';

/** One webhook event on its way to an application. `id` is the `webhook-id` header: the same for every attempt. */
export interface Delivery {
  id: string;
  projectId: string;
  /** Deliveries of one key (a call's id) are sent strictly in order, one at a time. */
  orderKey: string;
  url: string;
  payload: JsonObject;
  /** A whole of which this is a part, though not in its line: a broadcast's id. */
  partOf?: string;
  /** Not sent before all parts of this that go to the same URL: delivered, given up, or retried beside their lines. */
  afterPartsOf?: string;
  createdMs: number;
}
