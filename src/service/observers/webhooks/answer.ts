/** Parses the response of a receiver: empty, an action, or neither. */
import { isDeeperThan, isObject, type JsonObject, parseJson } from '../../../base/core/json.ts';
import type { WebhookResponseBody } from './http-sender.ts';

export type WebhookAnswer =
  | { kind: 'none' }
  | { kind: 'action'; action: JsonObject }
  | { kind: 'ignored'; reason: IgnoredAnswer };

export type IgnoredAnswer =
  | 'too_large'
  | 'broken_off'
  | 'encoding'
  | 'charset'
  /** A text such as `OK`, which many receivers send for every event. */
  | 'plain_text'
  | 'not_json'
  | 'not_an_object'
  | 'too_deep';

/** Text for the diagnostic of the call; a plain text causes none. */
export const IGNORED_ANSWERS: Readonly<Record<Exclude<IgnoredAnswer, 'plain_text'>, string>> = {
  too_large: 'the answer is larger than 64 KiB',
  broken_off: 'the answer broke off',
  encoding: 'the answer is compressed in a way that is not read (gzip, deflate and br are)',
  charset: 'the answer is not in UTF-8, and does not name its charset',
  not_json: 'the answer says that it is JSON, and is not',
  not_an_object: 'the answer is not a JSON object',
  too_deep: 'the answer is nested too deeply',
};

/** Deeper responses are not actions, and would overflow recursive code. */
const MAX_DEPTH = 32;

/** `{}` and an empty body are empty; a plain text such as `OK` is ignored too, and logged. */
export function parseAnswer(body: WebhookResponseBody): WebhookAnswer {
  if ('unread' in body) return { kind: 'ignored', reason: body.unread };
  const text = body.text.trim();
  if (text === '') return { kind: 'none' };
  const parsed = parseJson(text);
  if (parsed === undefined) return { kind: 'ignored', reason: body.isJson ? 'not_json' : 'plain_text' };
  if (!isObject(parsed)) return { kind: 'ignored', reason: Array.isArray(parsed) ? 'not_an_object' : 'plain_text' };
  if (Object.keys(parsed).length === 0) return { kind: 'none' };
  return isDeeperThan(parsed, MAX_DEPTH) ? { kind: 'ignored', reason: 'too_deep' } : { kind: 'action', action: parsed };
}
