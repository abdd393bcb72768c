/** WebSocket of rooms, `/video/v2/connect`, with the messages in `schemas/rooms`. Sessions handle joins. */
import type { ClientLink } from '../../../media/rooms/client-link.ts';
import { MAX_MESSAGE_LENGTH } from '../../../media/rooms/client-messages.ts';
import type { Link } from '../../../media/rooms/participant.ts';
import { type ClientSocket, type ClientSocketParts, createClientSocket } from '../client-socket.ts';

export interface RoomSocketParts extends ClientSocketParts {
  connect(link: Link): ClientLink;
}

export const createRoomSocket = (parts: RoomSocketParts): ClientSocket =>
  createClientSocket(
    {
      path: /^\/video\/v2\/connect\/?(\?|$)/,
      maxMessageLength: MAX_MESSAGE_LENGTH,
      first: 'join',
      strangersHear: ['error', 'pong', 'invited', 'held', 'thanks'],
    },
    parts,
  );
