/** What flows ask of servers, and what they receive. */
import type { Json, JsonObject } from './json.ts';
import type { PaymentDetails } from './payment.ts';

export type HttpReply =
  | HttpAnswer
  /** It was sent, and whoever waited for the answer was lost. */
  | { ok: false; reason: 'unknown'; message: string };

export type HttpAnswer =
  | { ok: true; status: number; headers: Record<string, string>; body: Json }
  | { ok: false; reason: 'timeout' | 'network' | 'refused' | 'too_large' | 'invalid'; message: string };

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Json;
  /** The body is the fields of a form, and goes out as one (`application/x-www-form-urlencoded`). */
  isForm?: boolean;
  timeoutMs: number;
  /** For mocks and traces: the step's name. */
  name: string;
  /** Sending it twice comes to the same: it has this key (`Idempotency-Key`) each time. */
  key?: string;
  /** Sent as a webhook of the call's project: signed as the events are. */
  signed?: boolean;
  /**
   * A message (SMS, chat) with `to`, `text` and perhaps `from` as its body: the provider of the configuration, by default
   * the first one, says where it goes and in what form. The id is the same when it is sent again.
   */
  message?: { id: string; provider?: string };
  /** A card payment, whose order is the body; the card is kept beside it. The answer is a `PaymentAnswer`, or `refused` or `lost`. */
  payment?: PaymentDetails;
}

/** Who sends messages, and in what form it wants them. */
export interface MessageProvider {
  name: string;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  /** With `{to}`, `{from}`, `{text}` and `{id}` where those stand. */
  body: JsonObject;
  /** The body is the fields of a form. */
  form: boolean;
  /** The sender, where the flow names none. */
  from?: string;
}

/** Whether it may be sent again where nobody knows what became of it. Messages and payments have ids of their own. */
export const mayBeRepeated = ({ method, key, message, payment }: HttpRequest): boolean =>
  method === 'GET' || key !== undefined || message !== undefined || payment !== undefined;
