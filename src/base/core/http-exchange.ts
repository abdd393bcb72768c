/** HTTP requests of flows and their responses. */
import type { Json, JsonObject } from './json.ts';
import type { PaymentDetails } from './payment.ts';
import type { FlowCallOrder } from './placed-call.ts';

export type HttpReply =
  | HttpAnswer
  /** The request was sent, but the node that waited for the response was lost. */
  | { ok: false; reason: 'unknown'; message: string };

export type HttpAnswer =
  | { ok: true; status: number; headers: Record<string, string>; body: Json }
  | { ok: false; reason: 'timeout' | 'network' | 'refused' | 'too_large' | 'invalid'; message: string };

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Json;
  /** True if the body holds the fields of a form and is sent as `application/x-www-form-urlencoded`. */
  isForm?: boolean;
  timeoutMs: number;
  /** Name of the step, for mocks and traces. */
  name: string;
  /** `Idempotency-Key`, which is the same on every attempt, so that sending the request twice has no further effect. */
  key?: string;
  /** True if it is sent as a webhook of the call's project: signed like events. */
  signed?: boolean;
  /**
   * The body is a message (SMS, chat) with `to`, `text` and optionally `from`. The named provider of the configuration,
   * by default the first one, defines its URL and format. The id is the same on every attempt.
   */
  message?: { id: string; provider?: string };
  /**
   * The body is the order of a card payment; the card is stored separately. The response is a `PaymentAnswer`, or
   * `refused` or `lost`.
   */
  payment?: PaymentDetails;
  /** An order for the service itself: a call, or its cancellation. No HTTP request is sent. */
  call?: FlowCallOrder;
}

/** Provider that sends messages, and the format of its requests. */
export interface MessageProvider {
  name: string;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  /** Template with `{to}`, `{from}`, `{text}` and `{id}` as placeholders. */
  body: JsonObject;
  /** True if the body holds the fields of a form. */
  form: boolean;
  /** The sender if the flow names none. */
  from?: string;
}

/** True if the request may be repeated when its result is unknown. Messages, payments and calls carry their own ids. */
export const mayBeRepeated = ({ method, key, message, payment, call }: HttpRequest): boolean =>
  method === 'GET' || [key, message, payment, call].some((each) => each !== undefined);
