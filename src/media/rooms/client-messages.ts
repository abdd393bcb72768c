/** Messages of clients, validated against `schemas/rooms/client.schema.json`. Their content is not trusted. */
import type { ClientMessage } from '../../base/core/room-messages.ts';
import { createMessageReader } from '../../base/schema/message-reader.ts';

export type { ClientMessage };

/** Commands that only moderators may send. */
export type ModeratorCommand = Extract<ClientMessage, { type: (typeof MODERATOR_COMMANDS)[number] }>;

export const MODERATOR_COMMANDS = [
  'admit',
  'deny',
  'mute_user',
  'mute_all',
  'floor',
  'spotlight',
  'drop',
  'record',
  'end',
] as const;

export const isModeratorCommand = (message: ClientMessage): message is ModeratorCommand =>
  (MODERATOR_COMMANDS as readonly string[]).includes(message.type);

/** First message of a link, which chooses its purpose. */
export type FirstMessage = 'join' | 'look' | 'resume' | 'hold' | 'feedback';

const FIRST: readonly string[] = ['join', 'look', 'resume', 'hold', 'feedback'] satisfies FirstMessage[];

export const isFirst = (message: ClientMessage): message is Extract<ClientMessage, { type: FirstMessage }> =>
  FIRST.includes(message.type);

/** Maximum length in characters. Longer messages are not parsed; an offer is far shorter. */
export const MAX_MESSAGE_LENGTH = 131_072;

export const readMessage = createMessageReader<ClientMessage>('rooms/client', MAX_MESSAGE_LENGTH);
