/** WebSocket of browser phones, `/voice/v1/webphone/connect`, with the messages in `schemas/webphone`. */
import { MAX_WEBPHONE_MESSAGE_LENGTH } from '../calls/webphone/webphone-messages.ts';
import type { Webphones } from '../calls/webphone/webphones.ts';
import { type ClientSocket, type ClientSocketParts, createClientSocket } from './client-socket.ts';

export const createWebphoneSocket = (
  parts: Omit<ClientSocketParts, 'connect' | 'vouches'>,
  webphones: Pick<Webphones, 'connect' | 'vouches'>,
): ClientSocket =>
  createClientSocket(
    {
      path: /^\/voice\/v1\/webphone\/connect\/?(\?|$)/,
      maxMessageLength: MAX_WEBPHONE_MESSAGE_LENGTH,
      first: 'call',
      strangersHear: ['error', 'pong', 'prepared'],
    },
    { ...parts, vouches: (pass) => webphones.vouches(pass), connect: (link) => webphones.connect(link) },
  );
