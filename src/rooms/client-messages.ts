/** What clients send, checked by `schemas/rooms/client.schema.json`: nothing of it is trusted. */
import type { ClientMessage } from '../../client/messages.d.ts';
import { createMessageReader } from '../schema/message-reader.ts';

export type { ClientMessage };

/** Those that moderators alone may send. */
export type ModeratorCommand = Extract<ClientMessage, { type: (typeof MODERATOR_COMMANDS)[number] }>;

export const MODERATOR_COMMANDS = ['admit', 'deny', 'mute_user', 'mute_all', 'floor', 'drop', 'record', 'end'] as const;

export const isModeratorCommand = (message: ClientMessage): message is ModeratorCommand =>
  (MODERATOR_COMMANDS as readonly string[]).includes(message.type);

/** Of a link: what it wants to be. */
export type FirstMessage = 'join' | 'look' | 'resume' | 'hold';

const FIRST: readonly string[] = ['join', 'look', 'resume', 'hold'] satisfies FirstMessage[];

export const isFirst = (message: ClientMessage): message is Extract<ClientMessage, { type: FirstMessage }> =>
  FIRST.includes(message.type);

/** A longer one is not read at all: an offer is far shorter. */
export const MAX_MESSAGE_LENGTH = 131_072;

export const readMessage = createMessageReader<ClientMessage>('rooms/client', MAX_MESSAGE_LENGTH);
