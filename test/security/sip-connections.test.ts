/** Idle connections do not occupy the slots of others: neither of active unknown peers, nor of carriers and phones. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Peer, Transport } from '../../src/media/telephony/sip/transport.ts';
import { STREAM_LIMITS } from '../../src/media/telephony/sip/transport-stream.ts';
import { tcpTransport } from '../../src/media/telephony/sip/transport-tcp.ts';
import { tlsTransport } from '../../src/media/telephony/sip/transport-tls.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const US = '127.0.0.70';
const STRANGER = '127.0.0.71';
const OTHER = '127.0.0.72';
const CARRIER = '127.0.0.73';
const PHONE = '127.0.0.74';
const MESSAGE = 'OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK1\r\nContent-Length: 0\r\n\r\n';
const PING = '\r\n\r\n';

const pem = (file: string) => readFileSync(new URL(`../sip/certificates/${file}`, import.meta.url));
const CERTIFICATE = { cert: pem('named.pem'), key: pem('named.key') };

interface Line {
  socket: Socket;
  isOpen: () => boolean;
}

const sockets: Socket[] = [];
const transports: Transport[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const transport of transports.splice(0)) await transport.close();
  for (const server of servers.splice(0)) server.close();
});

const watched = (socket: Socket): Line => {
  let open = true;
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('close', () => {
    open = false;
  });
  socket.resume();
  return { socket, isOpen: () => open };
};

const service = async (name: 'tcp' | 'tls', limits: Partial<typeof STREAM_LIMITS> = {}) => {
  const clock = new VirtualClock();
  const all = { ...STREAM_LIMITS, ...limits };
  const transport = name === 'tcp' ? tcpTransport(US, clock, all) : tlsTransport(CERTIFICATE, US, clock, all);
  transports.push(transport);
  const heard: Peer[] = [];
  const told: string[] = [];
  /** Ports from which a phone is registered. */
  const registered = new Set<number>();
  const { port } = await transport.listen(
    {
      accepts: () => true,
      knows: (peer) => peer.host === CARRIER || registered.has(peer.port),
      expects: (host) => host === CARRIER || host === PHONE,
      packet: (_bytes, from) => heard.push(from),
      warn: (message) => told.push(message),
    },
    0,
  );

  const knock = async (from: string): Promise<Line> => {
    const line = watched(connect({ host: US, port, localAddress: from }));
    await once(line.socket, 'connect');
    return line;
  };
  const dial = async (from: string): Promise<Line> => {
    if (name === 'tcp') return knock(from);
    const below = connect({ host: US, port, localAddress: from });
    const line = watched(connectTls({ socket: below, rejectUnauthorized: false }));
    await once(line.socket, 'secureConnect');
    return line;
  };
  /** Resolves once the message was received. */
  const says = async ({ socket }: Line): Promise<void> => {
    const before = heard.length;
    socket.write(MESSAGE);
    await expect.poll(() => heard.length, { interval: 2 }).toBe(before + 1);
  };
  /** A connection that was read: earlier data has been processed. */
  const talker = async (from: string): Promise<Line> => {
    const line = await dial(from);
    await says(line);
    return line;
  };
  return { clock, transport, registered, told, knock, dial, says, talker };
};

const isClosed = async (line: Line) => expect.poll(line.isOpen, { interval: 2 }).toBe(false);

describe.each(['tcp', 'tls'] as const)('a connection (%s)', (name) => {
  it('is closed without a complete message within ten seconds, whatever else it sends', async () => {
    const { clock, dial, knock, talker } = await service(name);
    const [silent, pinging, dripping, shaking] = [
      await dial(OTHER),
      await dial(OTHER),
      await dial(OTHER),
      await knock(OTHER),
    ];
    const honest = await talker(STRANGER);
    for (let second = 0; second < 9; second++) {
      pinging.socket.write(PING);
      dripping.socket.write(MESSAGE[second]!);
      await once(pinging.socket, 'data');
      await clock.advance(1_000);
    }
    expect([silent, pinging, dripping, shaking, honest].map((line) => line.isOpen())).toEqual(Array(5).fill(true));
    await clock.advance(1_000);
    for (const line of [silent, pinging, dripping, shaking]) await isClosed(line);
    await clock.advance(600_000);
    expect(honest.isOpen()).toBe(true);
  });

  it('is closed for a new one at the limit, if it has been silent for longest', async () => {
    const { dial, says, talker, told } = await service(name, { connections: 10, unknownConnections: 3 });
    const [first, second, third] = [await talker(STRANGER), await talker(OTHER), await dial(OTHER)];
    await says(first);
    const fourth = await talker(STRANGER);
    await isClosed(second);
    const fifth = await talker(OTHER);
    await isClosed(third);
    expect([first, fourth, fifth].map((line) => line.isOpen())).toEqual([true, true, true]);
    expect(told).toEqual(['sip.connections_full']);
  });

  it('is accepted for carriers, registered phones and outgoing calls, however many unknown peers connect', async () => {
    const { transport, registered, clock, dial, says, talker } = await service(name, {
      connections: 6,
      unknownConnections: 3,
    });
    const far = await service(name);
    const carrier = await talker(CARRIER);
    const phone = await talker(STRANGER);
    registered.add(phone.socket.localPort!);
    await clock.advance(1_000);
    const strangers: Line[] = [];
    for (let count = 0; count < 12; count++) strangers.push(await talker(OTHER));
    await expect.poll(() => strangers.filter((line) => line.isOpen()).length).toBe(3);
    expect([carrier, phone].map((line) => line.isOpen())).toEqual([true, true]);

    const ours: Line = await talker(PHONE);
    await says(ours);
    expect(strangers.filter((line) => line.isOpen())).toHaveLength(3);
    await says(await dial(CARRIER));
    const failures: string[] = [];
    transport.send(Buffer.from(MESSAGE), { transport: name, host: US, port: 9 }, (why) => failures.push(why));
    await expect.poll(() => failures.length).toBe(1);
    expect(failures).not.toEqual(['no connection']);
    expect([carrier, phone, ours].map((line) => line.isOpen())).toEqual([true, true, true]);
    await far.transport.close();
  });
});

describe('outgoing connections that are no longer needed', () => {
  const answering = async () => {
    const server = createServer().listen(0, US);
    servers.push(server);
    await once(server, 'listening');
    return server;
  };
  /** A connection of the service to this address, as its far end has it. */
  const called = async (transport: Transport, server: Server): Promise<Line> => {
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'connection');
    transport.send(Buffer.from(MESSAGE), { transport: 'tcp', host: US, port, serverName: `far${sockets.length}` });
    const [socket] = (await arrived) as [Socket];
    return watched(socket);
  };

  it('are closed so that unknown peers keep their slots, for any number of calls', async () => {
    const { transport, talker } = await service('tcp', { connections: 3, unknownConnections: 1 });
    const server = await answering();
    const ours: Line[] = [];
    for (let count = 0; count < 4; count++) ours.push(await called(transport, server));
    await isClosed(ours[1]!);
    expect(ours.map((line) => line.isOpen())).toEqual([false, false, true, true]);
    const stranger = await talker(STRANGER);
    expect([ours[2]!, ours[3]!, stranger].map((line) => line.isOpen())).toEqual([true, true, true]);
  });

  it('are closed for a carrier, the longest idle first, and never for an unknown peer', async () => {
    const { transport, dial, says, talker } = await service('tcp', { connections: 3, unknownConnections: 1 });
    const server = await answering();
    const ours = [await called(transport, server), await called(transport, server)];
    const carriers = [await talker(CARRIER)];
    await isClosed(await dial(STRANGER));
    for (const line of ours) {
      expect(line.isOpen()).toBe(true);
      carriers.push(await talker(CARRIER));
      await isClosed(line);
    }
    for (const line of carriers) await says(line);
  });
});

describe('a source at its limit of connections', () => {
  const limits = { connectionsPerHost: 2 };

  it('is refused more, and keeps its existing ones', async () => {
    const { dial, talker } = await service('tcp', limits);
    const lines = [await talker(STRANGER), await talker(STRANGER)];
    await isClosed(await dial(STRANGER));
    expect([...lines, await talker(OTHER)].map((line) => line.isOpen())).toEqual([true, true, true]);
  });

  it('closes an idle one at the address of registered phones, because phones reconnect', async () => {
    const { dial, talker, registered } = await service('tcp', limits);
    const phone = await talker(PHONE);
    registered.add(phone.socket.localPort!);
    const silent = await dial(PHONE);
    const back = await talker(PHONE);
    await isClosed(silent);
    expect([phone, back].map((line) => line.isOpen())).toEqual([true, true]);
  });
});

describe('a TLS 1.2 renegotiation', () => {
  it('is refused, without effect on other connections', async () => {
    const { talker, knock, says } = await service('tls');
    const below = await knock(OTHER);
    const old = connectTls({ socket: below.socket, rejectUnauthorized: false, maxVersion: 'TLSv1.2' });
    sockets.push(old);
    old.on('error', () => {});
    await once(old, 'secureConnect');
    expect(old.getProtocol()).toBe('TLSv1.2');
    await says({ socket: old, isOpen: () => true });
    const honest = await talker(STRANGER);
    const outcome = await renegotiates(old);
    expect(outcome).toContain('no renegotiation');
    await says(honest);
  });
});

const renegotiates = (socket: TLSSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('error', (error) => resolve(error.message));
    socket.once('close', () => resolve('closed'));
    socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error ? error.message : 'done'));
  });
