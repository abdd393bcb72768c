/** What clients send, checked by `schemas/rooms/client.schema.json`: nothing of it is trusted. */
import { isObject, type JsonObject } from '../core/json.ts';
import { compileCheck } from '../schema/compile-check.ts';
import { readSchema } from '../schema/schema-files.ts';
import type { Experience } from './quality.ts';
import type { Layer, Source } from './sfu.ts';

export type ClientMessage =
  | { type: 'join'; token: string; room_id?: string }
  | { type: 'look'; token: string; room_id?: string }
  | { type: 'resume'; resume_key: string }
  | { type: 'leave' }
  | { type: 'ping' }
  | { type: 'pub.offer'; sdp: string; sources: Record<string, Source> }
  | { type: 'sub.answer'; version: number; sdp: string }
  | { type: 'sub.restart' }
  | { type: 'layer'; participant: string; layer: Layer }
  | { type: 'mute'; source: Source; muted: boolean }
  | { type: 'hand'; raised: boolean }
  | { type: 'chat'; text: string; to?: string }
  | { type: 'admit' | 'deny' | 'drop'; participant: string }
  | { type: 'mute_user'; participant: string; source: Source; muted: boolean; hard?: boolean }
  | { type: 'mute_all'; source: Source; muted: boolean; hard?: boolean }
  | { type: 'floor'; participant: string; given: boolean }
  | { type: 'record'; on: boolean }
  | { type: 'end' }
  | ({ type: 'client_stats' } & Experience);

/** Of a link: what it wants to be. */
export type FirstMessage = 'join' | 'look' | 'resume';

/** A longer one is not read at all: an offer is far shorter. */
export const MAX_MESSAGE_LENGTH = 131_072;

const definitions = readSchema('rooms/client')['$defs'] as Record<string, JsonObject>;

export function readMessage(text: string): { message: ClientMessage } | { problem: string } {
  if (text.length > MAX_MESSAGE_LENGTH) return { problem: `is longer than ${MAX_MESSAGE_LENGTH} characters` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'is not JSON' };
  }
  const type = isObject(value as JsonObject) ? (value as JsonObject)['type'] : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(definitions, type)) return { problem: 'has no known type' };
  const problem = compileCheck(definitions[type]!)(value);
  return problem === undefined ? { message: value as ClientMessage } : { problem };
}
