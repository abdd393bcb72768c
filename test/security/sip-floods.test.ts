/** Floods: limits of memory and time, and full recovery afterwards. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AbuseGuard } from '../../src/media/telephony/sip/abuse-guard.ts';
import type { SipRequest } from '../../src/media/telephony/sip/message.ts';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import type { ServerTransaction } from '../../src/media/telephony/sip/server-transaction.ts';
import { Transactions } from '../../src/media/telephony/sip/transactions.ts';
import type { Peer, Transport, TransportEvents } from '../../src/media/telephony/sip/transport.ts';
import { TransportLayer } from '../../src/media/telephony/sip/transport-layer.ts';
import { tcpTransport } from '../../src/media/telephony/sip/transport-tcp.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { Rig } from '../sip/rig.ts';

const SOURCE: Peer = { transport: 'udp', host: '192.0.2.66', port: 5060 };

const GATE = { accepts: () => true, knows: () => false, expects: () => false };

const BODY = Buffer.alloc(60_000);
const PADDING = 'p'.repeat(60_000);

function options(index: number): SipRequest {
  const head = [
    'OPTIONS sip:x@y SIP/2.0',
    `Via: SIP/2.0/UDP 192.0.2.66;branch=z9hG4bK${index}`,
    'From: <sip:a@b>;tag=f',
    'To: <sip:x@y>',
    `Call-ID: ${index}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
  ];
  const parsed = parseMessage(Buffer.from(`${head.join('\r\n')}\r\n\r\n`));
  if (parsed.kind !== 'request') throw new Error(parsed.kind);
  return parsed.request;
}

function padded(index: number): SipRequest {
  const request = options(index);
  request.headers['x-pad'] = [PADDING];
  return request;
}

function stand() {
  const clock = new VirtualClock(0);
  const served: ServerTransaction[] = [];
  let tokens = 0;
  const transactions = new Transactions({
    clock,
    token: () => `t${++tokens}`,
    transport: { via: () => '', send: () => {}, replyPeer: (_request, source) => source },
  });
  transactions.serve({ admits: () => true, request: (transaction) => served.push(transaction), ack: () => {} });
  return { clock, served, transactions };
}

describe('requests kept for retransmissions', () => {
  it.each<[string, (index: number) => SipRequest]>([
    ['large bodies', (index) => Object.assign(options(index), { body: BODY.subarray(0, 10) })],
    ['large headers', padded],
  ])('are limited in bytes with %s, and accepted again after the flood', async (_, make) => {
    const { clock, served, transactions } = stand();
    for (let index = 0; index < 6000; index++) transactions.receiveRequest(make(index), SOURCE);
    // 256 MiB, at 60 kB each.
    expect(served.length).toBeGreaterThan(4000);
    expect(served.length).toBeLessThan(4500);
    const full = served.length;
    transactions.receiveRequest(make(6001), SOURCE);
    expect(served).toHaveLength(full);

    for (const transaction of served) transaction.respond(200);
    await clock.advance(33_000);
    expect(transactions.size).toBe(0);
    for (let index = 0; index < 100; index++) transactions.receiveRequest(make(index), SOURCE);
    expect(served).toHaveLength(full + 100);
  });

  it('keeps no junk after the end of their packet', () => {
    const request = parseMessage(
      Buffer.from(
        `${'OPTIONS sip:x@y SIP/2.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=f\r\nTo: <sip:x@y>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n'}${'x'.repeat(60_000)}`,
      ),
    );
    expect(request.kind === 'request' && request.request.body.buffer.byteLength).toBe(0);
  });
});

describe('digits of a call', () => {
  let rig: Rig;
  const press = async (count: number): Promise<number> => {
    const before = rig.types().length;
    for (let digit = 0; digit < count; digit++) rig.media.tell('leg-1', { type: 'digit', digit: '1', durationMs: 40 });
    await rig.settle();
    return rig.types().length - before;
  };
  beforeEach(async () => {
    rig = await new Rig().start();
    await rig.connected(rig.far());
  });
  afterEach(() => rig.finish());

  it('are accepted at the rate of fingers and late networks, and no faster', async () => {
    // Two seconds of typing that arrive at once.
    expect(await press(50)).toBe(50);
    expect(await press(1_000)).toBe(25);
    expect(rig.logged.filter(({ message }) => message === 'sip.digits_dropped')).toHaveLength(1);
  });

  it('are all accepted during minutes of typing', async () => {
    for (let second = 0; second < 300; second++) {
      expect(await press(12)).toBe(12);
      await rig.advance(1000);
    }
  });
});

describe('a connection with endless pings', () => {
  it('is answered sparingly if it pings endlessly without reading, and its messages are read', async () => {
    const transport = tcpTransport('127.0.0.98', new VirtualClock());
    const packets: Buffer[] = [];
    const troubles: string[] = [];
    const { port } = await transport.listen(
      { ...GATE, packet: (bytes) => packets.push(bytes), warn: (message) => troubles.push(message) },
      0,
    );
    const socket = connect(port, '127.0.0.98');
    const answered: Buffer[] = [];
    const message = 'OPTIONS sip:x@y SIP/2.0\r\nContent-Length: 0\r\n\r\n';
    socket.write('\r\n\r\n'.repeat(250_000) + message);
    await vi.waitFor(() => expect(packets.map(String)).toEqual([message]), 10_000);
    socket.on('data', (chunk: Buffer) => answered.push(chunk));
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(0), 20_000);
    expect(Buffer.concat(answered).length).toBeLessThan(2_000);
    expect(troubles).toEqual([]);
    socket.destroy();
    await transport.close();
  });
});

describe('connections that send malformed data', () => {
  it('are logged once per host, however many there are', async () => {
    const told: string[] = [];
    const events: TransportEvents[] = [];
    const clock = new VirtualClock();
    const guard = new AbuseGuard(clock, () => false);
    const transport: Transport = {
      name: 'tcp',
      listen: async (given) => {
        events.push(given);
        return { host: '192.0.2.1', port: 5060 };
      },
      send() {},
      close: async () => {},
    };
    const log = (_level: string, message: string) => told.push(message);
    const wire = new TransportLayer({ transports: [transport], guard, log, gate: GATE });
    await wire.listen({ receiveRequest() {}, receiveResponse() {} }, { plain: 5060, tls: 5061 });
    for (let port = 1000; port < 3000; port++) {
      events[0]!.warn('sip.stream_broken', {}, { transport: 'tcp', host: '192.0.2.66', port });
    }
    events[0]!.warn('sip.stream_broken', {}, { transport: 'tcp', host: '192.0.2.67', port: 1 });
    expect(told).toEqual(['sip.stream_broken', 'sip.stream_broken']);
    expect(guard.admits({ transport: 'tcp', host: '192.0.2.66', port: 1000 })).toBe(false);
    expect(guard.admits({ ...SOURCE, host: '192.0.2.66' })).toBe(true);
  });
});
