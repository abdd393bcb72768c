/** SIP over UDP (RFC 3261 §18): one socket, one datagram per message. */
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { socketAddress } from '../wildcard.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** Bursts of calls must survive a busy event loop. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024;

export function udpTransport(host: string): Transport {
  let socket: Socket | undefined;
  return {
    name: 'udp',
    listen(events, port) {
      return new Promise((resolve, reject) => {
        const family = isIPv6(host) ? 6 : 4;
        // Destinations are literal addresses: without this lookup each send would use the resolver.
        const opened = createSocket({
          type: family === 6 ? 'udp6' : 'udp4',
          lookup: (address, _options, done) => done(null, address, family),
        });
        opened.once('error', reject);
        opened.bind({ address: host, port }, () => {
          opened.off('error', reject);
          watch(opened, events);
          socket = opened;
          const bound = opened.address();
          resolve({ host: bound.address, port: bound.port });
        });
      });
    },
    send(bytes, to, failed) {
      if (!socket) return failed?.('closed');
      try {
        socket.send(bytes, to.port, socketAddress(to.host, host), (error) => error && failed?.(error.message));
      } catch (error) {
        // Invalid addresses throw synchronously.
        queueMicrotask(() => failed?.(String(error)));
      }
    },
    close() {
      const closing = socket;
      socket = undefined;
      return closing ? new Promise((resolve) => closing.close(() => resolve())) : Promise.resolve();
    },
  };
}

function watch(socket: Socket, events: TransportEvents): void {
  try {
    socket.setRecvBufferSize(SOCKET_BUFFER_BYTES);
  } catch {
    // The kernel's default works, too.
  }
  socket.on('error', (error) => events.warn('sip.socket_error', { error: error.message }));
  socket.on('message', (bytes, from) =>
    events.packet(bytes, { transport: 'udp', host: withoutIpv4Mapping(from.address), port: from.port }),
  );
}
