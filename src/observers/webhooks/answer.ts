/** Reads the answer of a receiver: nothing, an action, or something that is neither. */
import { isDeeperThan, isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { AnswerBody } from './http-sender.ts';

export type WebhookAnswer =
  | { kind: 'none' }
  | { kind: 'action'; action: JsonObject }
  | { kind: 'ignored'; why: 'too_large' | 'broken_off' | 'not_json' | 'not_an_object' | 'too_deep' };

/** Deeper answers are not actions, and recursive code would fail on them. */
const MAX_DEPTH = 32;

/** `{}` and an empty body mean nothing; a plain text such as `OK` is ignored too, and logged. */
export function parseAnswer(body: AnswerBody): WebhookAnswer {
  if ('unread' in body) return { kind: 'ignored', why: body.unread };
  const text = body.text.trim();
  if (text === '') return { kind: 'none' };
  const parsed = parseJson(text);
  if (parsed === undefined) return { kind: 'ignored', why: 'not_json' };
  if (!isObject(parsed)) return { kind: 'ignored', why: 'not_an_object' };
  if (Object.keys(parsed).length === 0) return { kind: 'none' };
  return isDeeperThan(parsed, MAX_DEPTH) ? { kind: 'ignored', why: 'too_deep' } : { kind: 'action', action: parsed };
}
