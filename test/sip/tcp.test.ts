import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS, parseMessage } from '../../src/media/telephony/sip/parser.ts';
import { StreamFramer } from '../../src/media/telephony/sip/stream-framer.ts';
import type { Peer, Transport } from '../../src/media/telephony/sip/transport.ts';
import { STREAM_LIMITS } from '../../src/media/telephony/sip/transport-stream.ts';
import { tcpTransport } from '../../src/media/telephony/sip/transport-tcp.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const message = (body: string, length: number | string = body.length, name = 'Content-Length') =>
  `OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK1\r\n${name}: ${length}\r\n\r\n${body}`;
const show = (frames: ReturnType<StreamFramer['push']>) =>
  frames.map((frame) =>
    frame.kind === 'message' ? frame.bytes.toString() : frame.kind === 'broken' ? frame.reason : frame.kind,
  );

describe('a stream of messages', () => {
  const stream = `${message('hello')}\r\n\r\n${message('')}\r\n${message('x'.repeat(300))}${message('l', 1, 'l')}`;
  const whole = [message('hello'), 'ping', message(''), message('x'.repeat(300)), message('l', 1, 'l')];

  it('is split correctly in one piece', () => {
    expect(show(new StreamFramer().push(Buffer.from(stream)))).toEqual(whole);
  });

  it.each([1, 2, 3, 7, 50, 333])('is split correctly in pieces of %i', (size) => {
    const framer = new StreamFramer();
    const frames: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      frames.push(...show(framer.push(Buffer.from(stream.slice(at, at + size)))));
    }
    expect(frames.filter((frame) => frame !== 'ping')).toEqual(whole.filter((frame) => frame !== 'ping'));
    expect(frames.filter((frame) => frame === 'ping')).toHaveLength(1);
    expect(framer.pendingBytes).toBe(0);
  });

  it.each([
    ['no Content-Length', 'OPTIONS sip:x SIP/2.0\r\nVia: a\r\n\r\n', 'no Content-Length'],
    ['a Content-Length of letters', message('', 'many'), 'no Content-Length'],
    ['a negative Content-Length', message('', -1), 'no Content-Length'],
    ['a body beyond the limit', message('', LIMITS.messageBytes), 'message too large'],
    ['a head beyond the limit', 'x'.repeat(LIMITS.messageBytes + 1), 'head too large'],
  ])('ends the connection at %s', (_what, text, reason) => {
    expect(show(new StreamFramer().push(Buffer.from(text)))).toEqual([reason]);
  });

  it('is not scanned again for each byte', () => {
    const framer = new StreamFramer();
    const started = cpuTimeMs();
    for (let n = 0; n < 20_000; n++) framer.push(Buffer.from('x'));
    expect(cpuTimeMs() - started).toBeLessThan(10_000);
  });
});

describe('TCP', () => {
  const open: Transport[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const transport of open.splice(0)) await transport.close();
  });

  const listen = async (limits = STREAM_LIMITS, heard: (from: Peer, transport: Transport) => void = () => {}) => {
    const clock = new VirtualClock();
    const packets: { text: string; from: Peer }[] = [];
    const troubles: string[] = [];
    const transport = tcpTransport('127.0.0.1', clock, limits);
    open.push(transport);
    const { port } = await transport.listen(
      {
        accepts: () => true,
        knows: () => false,
        expects: () => false,
        packet: (bytes, from) => {
          packets.push({ text: bytes.toString(), from });
          heard(from, transport);
        },
        warn: (trouble) => troubles.push(trouble),
      },
      0,
    );
    return { clock, packets, troubles, transport, port };
  };
  const dial = (port: number) =>
    new Promise<{ socket: Socket; received: () => string; closed: Promise<void> }>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve({ socket, received: () => received, closed }));
      sockets.push(socket);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => {});
      const closed = new Promise<void>((done) => socket.on('close', () => done()));
    });
  const until = (holds: () => boolean) => expect.poll(holds, { interval: 2, timeout: 5000 }).toBe(true);

  it('accepts fragmented messages, answers pings, and replies on the same connection', async () => {
    const { packets, transport, port } = await listen();
    const { socket, received } = await dial(port);
    socket.write(message('hello').slice(0, 40));
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(`${message('hello').slice(40)}\r\n\r\n`);
    await until(() => packets.length === 1 && received() === '\r\n');
    transport.send(Buffer.from('reply'), packets[0]!.from);
    await until(() => received() === '\r\nreply');
  });

  it('passes a message without a length on, to be refused, and closes the connection after the answer', async () => {
    const { packets, troubles, port } = await listen(STREAM_LIMITS, (from, transport) =>
      transport.send(Buffer.from('refused'), from),
    );
    const { socket, received, closed } = await dial(port);
    socket.write('OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK1\r\n\r\nmore');
    await closed;
    expect([troubles, received()]).toEqual([['sip.stream_broken'], 'refused']);
    expect(parseMessage(Buffer.from(packets[0]!.text))).toMatchObject({ kind: 'malformed', status: 400 });
  });

  it('connects when there is no connection, and reports failure', async () => {
    const one = await listen();
    const other = await listen();
    const to: Peer = { transport: 'tcp', host: '127.0.0.1', port: other.port };
    const failures: string[] = [];
    one.transport.send(Buffer.from(message('a')), to, (reason) => failures.push(reason));
    one.transport.send(Buffer.from(message('b')), to);
    await until(() => other.packets.length === 2);
    expect(new Set(other.packets.map(({ from }) => from.port)).size).toBe(1);
    other.transport.send(Buffer.from(message('back')), other.packets[0]!.from);
    await until(() => one.packets.length === 1);
    await other.transport.close();
    await until(() => {
      one.transport.send(Buffer.from(message('c')), to, (reason) => failures.push(reason));
      return failures.length > 0;
    });
  });

  it('closes idle connections, and those that never finish a message', async () => {
    const { clock, packets, port } = await listen({ ...STREAM_LIMITS, idleMs: 60_000, partialMs: 5000 });
    const idle = await dial(port);
    const slow = await dial(port);
    for (const { socket } of [idle, slow]) socket.write(message(''));
    await until(() => packets.length === 2);
    slow.socket.write('OPTIONS sip:');
    await until(() => clock.nextDeadlineMs !== undefined && clock.nextDeadlineMs - clock.now() === 5000);
    await clock.advance(4000);
    slow.socket.write('x');
    // Later data of another connection was read, so this was read, too.
    (await dial(port)).socket.write(message(''));
    await until(() => packets.length === 3);
    await clock.advance(1000);
    await slow.closed;
    expect(idle.socket.destroyed).toBe(false);
    await clock.advance(55_000);
    await idle.closed;
  });

  it('closes a stream without message boundaries', async () => {
    const { troubles, port } = await listen();
    const { socket, closed } = await dial(port);
    socket.write('OPTIONS sip:x SIP/2.0\r\n\r\n');
    await closed;
    expect(troubles).toEqual(['sip.stream_broken']);
  });

  it('accepts a bounded number of connections per host', async () => {
    const { packets, port } = await listen({ ...STREAM_LIMITS, connectionsPerHost: 2 });
    const first = await dial(port);
    first.socket.write(message(''));
    (await dial(port)).socket.write(message(''));
    await until(() => packets.length === 2);
    const third = await dial(port);
    await third.closed;
    expect(first.socket.destroyed).toBe(false);
  });
});
