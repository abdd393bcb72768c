/** Connections that never complete: one host must not occupy the slots of all others. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import type { Transport } from '../../src/media/telephony/sip/transport.ts';
import { STREAM_LIMITS } from '../../src/media/telephony/sip/transport-stream.ts';
import { tcpTransport } from '../../src/media/telephony/sip/transport-tcp.ts';
import { tlsTransport } from '../../src/media/telephony/sip/transport-tls.ts';

const pem = (file: string) => readFileSync(new URL(`../sip/certificates/${file}`, import.meta.url));
const CERTIFICATE = { cert: pem('named.pem'), key: pem('named.key') };
const LIMITS = { ...STREAM_LIMITS, connections: 4, connectionsPerHost: 3 };

const STRANGERS = { packet: () => {}, warn: () => {}, knows: () => false, expects: () => false };

let transport: Transport;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await transport.close();
});

const listen = async (accepts = true): Promise<number> =>
  (await transport.listen({ ...STRANGERS, accepts: () => accepts }, 0)).port;

const knock = (port: number, from: string): Socket => {
  const socket = connect({ host: '127.0.0.67', port, localAddress: from });
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
};

const shakesHands = async (port: number, from: string): Promise<boolean> => {
  const socket = connectTls({ socket: knock(port, from), rejectUnauthorized: false });
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
};

describe('a host that connects and sends nothing', () => {
  it('leaves slots for others during the TLS handshake, and gets its own back', async () => {
    transport = tlsTransport(CERTIFICATE, '127.0.0.67', systemClock, LIMITS);
    const port = await listen();
    const silent = [1, 2, 3].map(() => knock(port, '127.0.0.68'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    expect(await shakesHands(port, '127.0.0.68')).toBe(false);
    expect(await shakesHands(port, '127.0.0.69')).toBe(true);
    for (const socket of silent) socket.destroy();
    await expect.poll(() => shakesHands(port, '127.0.0.68')).toBe(true);
  });

  it.each(['tcp', 'tls'])('gets no connection at all (%s) from an address that is not accepted', async (name) => {
    transport =
      name === 'tcp'
        ? tcpTransport('127.0.0.67', systemClock, LIMITS)
        : tlsTransport(CERTIFICATE, '127.0.0.67', systemClock, LIMITS);
    const port = await listen(false);
    await once(knock(port, '127.0.0.68'), 'close');
  });
});
