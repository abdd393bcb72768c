/** SIP over TCP (RFC 3261 §18). */
import { connect, createServer } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';
import type { Transport } from './transport.ts';
import { type StreamLimits, streamTransport } from './transport-stream.ts';

export const tcpTransport = (host: string, clock: Clock, limits?: StreamLimits): Transport =>
  streamTransport(
    {
      name: 'tcp',
      ready: 'connect',
      createServer,
      connect: (peer) => connect({ host: peer.host, port: peer.port }),
    },
    host,
    clock,
    limits,
  );
