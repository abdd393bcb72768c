/** A Janus server without media: it answers the requests of the service and records them. */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface AskedOfJanus {
  janus: string;
  transaction: string;
  apisecret?: string;
  body?: { request: string; room?: string };
}

export interface FakeJanus {
  url: string;
  asked: AskedOfJanus[];
  /** Rooms that were made and not destroyed. */
  rooms: Set<string>;
  /** It does not answer any more, but its sockets stay. */
  hang(): void;
  /** All its connections break, and there are no new ones. */
  die(): Promise<void>;
}

export async function startFakeJanus({
  secret,
  port = 0,
}: {
  secret?: string;
  port?: number;
} = {}): Promise<FakeJanus> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, handleProtocols: () => 'janus-protocol' });
  await new Promise((resolve) => server.once('listening', resolve));
  const asked: AskedOfJanus[] = [];
  const rooms = new Set<string>();
  let hangs = false;
  let ids = 1;
  const answer = (socket: WebSocket, message: AskedOfJanus): void => {
    const { janus, transaction, apisecret, body } = message;
    const send = (answered: object): void => socket.send(JSON.stringify({ transaction, ...answered }));
    if (apisecret !== secret) {
      send({ janus: 'error', error: { code: 403, reason: 'Unauthorized request (wrong or missing secret/token)' } });
    } else if (janus === 'message') {
      const plugindata = { plugin: 'janus.plugin.videoroom', data: { videoroom: 'done' } };
      if (body?.request === 'create') rooms.add(String(body.room));
      if (body?.request === 'destroy') rooms.delete(String(body.room));
      send({ janus: 'ack' });
      send({ janus: 'event', plugindata });
    } else if (janus === 'keepalive') send({ janus: 'ack' });
    else send({ janus: 'success', data: { id: ids++ } });
  };
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as AskedOfJanus;
      asked.push(message);
      if (!hangs) answer(socket, message);
    });
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    rooms,
    hang() {
      hangs = true;
    },
    async die() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
