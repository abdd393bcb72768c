/**
 * Receives events as an application would, in a process of its own, and prints its port. Exits when its standard input
 * closes.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-length': '0' }).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on('end', () => process.exit());
