/** Receives the streams of a benchmark in a process of its own and discards them. */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.52', port: 0 }, () => {
  process.send!(`ws://127.0.0.52:${(server.address() as AddressInfo).port}/`);
});
