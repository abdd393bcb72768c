/** What flows ask of servers, and what they receive. */
import type { Json } from './json.ts';

export type HttpReply =
  | { ok: true; status: number; headers: Record<string, string>; body: Json }
  | { ok: false; reason: 'timeout' | 'network' | 'refused' | 'too_large' | 'invalid'; message: string };

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Json;
  timeoutMs: number;
  /** For mocks and traces: the step's name. */
  name: string;
  /** Sent as a webhook of the call's project: signed as the events are. */
  signed?: boolean;
}
