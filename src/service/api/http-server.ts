/** HTTP listener with timeouts and connection limits. Also answers requests that are not valid HTTP. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/core/clock.ts';
import { sourceKey } from '../../base/core/source-key.ts';
import type { ClientAddresses } from './client-address.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** Accuracy of the timeouts. The default of Node is half a minute, during which connections stay occupied. */
const CHECK_EVERY_MS = 2_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common proxies, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_CONNECTIONS = 2000;
/** For each host. This machine, which may run proxies, has no limit. */
const MAX_CONNECTIONS_PER_HOST = 200;

/** Receiver of WebSocket upgrades. */
export interface Upgrades {
  /** Other upgrade requests, such as those for HTTP/2, are answered as plain requests. */
  isWanted(request: IncomingMessage): boolean;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Combines several receivers. */
export const anyOf = (all: readonly Upgrades[]): Upgrades => ({
  isWanted: (request) => all.some((each) => each.isWanted(request)),
  take: (request, ...rest) => all.find((each) => each.isWanted(request))?.take(request, ...rest),
});

/** Rejects if the address is not available. */
export async function startHttpServer(
  listener: RequestListener,
  {
    host,
    port,
    clock,
    upgrades,
    addresses,
  }: { host: string; port: number; clock: Clock; upgrades?: Upgrades; addresses?: Pick<ClientAddresses, 'isProxy'> },
) {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      shouldUpgradeCallback: (request) => upgrades?.isWanted(request) ?? false,
    },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.prependListener('connection', limitConnectionsPerHost(MAX_CONNECTIONS_PER_HOST, addresses));
  server.on('clientError', answerMalformedRequest);
  if (upgrades) server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: (graceMs: number): Promise<void> => close(server, graceMs, clock),
  };
}

/**
 * Limits connections for each host, so that idle connections cannot exhaust the total. Proxies are exempt, because they
 * have many clients.
 */
export function limitConnectionsPerHost(
  maxPerHost: number,
  addresses?: Pick<ClientAddresses, 'isProxy'>,
): (socket: Socket) => void {
  const counts = new Map<string, number>();
  return (socket) => {
    const host = sourceKey(socket.remoteAddress ?? '');
    const isHere = /^127\./.test(host) || socket.remoteAddress === '::1';
    if (isHere || addresses?.isProxy(socket.remoteAddress ?? '')) return;
    const count = counts.get(host) ?? 0;
    if (count >= maxPerHost) {
      socket.destroy();
      return;
    }
    counts.set(host, count + 1);
    socket.once('close', () => {
      const left = (counts.get(host) ?? 1) - 1;
      if (left > 0) counts.set(host, left);
      else counts.delete(host);
    });
  };
}

/** Refuses new connections and closes idle ones. Connections that are still busy after `graceMs` are closed. */
function close(server: Server, graceMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cut = clock.after(graceMs, () => server.closeAllConnections());
    server.close(() => {
      cut.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, words] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const body = JSON.stringify({ result: status, msg: words, state: 'failed' });
  const head = [
    `HTTP/1.1 ${status} ${words}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
