/** What clients send, checked by `schemas/rooms/client.schema.json`: nothing of it is trusted. */
import { createMessageReader } from '../schema/message-reader.ts';
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

/** Those that moderators alone may send. */
export type ModeratorCommand = Extract<ClientMessage, { type: (typeof MODERATOR_COMMANDS)[number] }>;

export const MODERATOR_COMMANDS = ['admit', 'deny', 'mute_user', 'mute_all', 'floor', 'drop', 'record', 'end'] as const;

export const isModeratorCommand = (message: ClientMessage): message is ModeratorCommand =>
  (MODERATOR_COMMANDS as readonly string[]).includes(message.type);

/** Of a link: what it wants to be. */
export type FirstMessage = 'join' | 'look' | 'resume';

/** A longer one is not read at all: an offer is far shorter. */
export const MAX_MESSAGE_LENGTH = 131_072;

export const readMessage = createMessageReader<ClientMessage>('rooms/client', MAX_MESSAGE_LENGTH);
