/** Floods: what they may take of memory and time, and that all is as before when they are over. */
import { describe, expect, it } from 'vitest';
import type { SipRequest } from '../../src/telephony/sip/message.ts';
import { parseMessage } from '../../src/telephony/sip/parser.ts';
import { type ServerTransaction, Transactions } from '../../src/telephony/sip/transactions.ts';
import type { Peer } from '../../src/telephony/sip/transport.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';

const SOURCE: Peer = { transport: 'udp', host: '192.0.2.66', port: 5060 };

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
    outlet: { via: () => '', send: () => {}, replyPeer: (_request, source) => source },
    server: { request: (transaction) => served.push(transaction), ack: () => {} },
  });
  return { clock, served, transactions };
}

describe('requests that wait for their repetitions', () => {
  it.each<[string, (index: number) => SipRequest]>([
    ['large bodies', (index) => Object.assign(options(index), { body: BODY.subarray(0, 10) })],
    ['large headers', padded],
  ])('with %s are held up to a number of bytes, and there is room again when they are over', async (_, make) => {
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

  it('keep nothing of a packet that has junk behind its end', () => {
    const request = parseMessage(
      Buffer.from(
        `${'OPTIONS sip:x@y SIP/2.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=f\r\nTo: <sip:x@y>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n'}${'x'.repeat(60_000)}`,
      ),
    );
    expect(request.kind === 'request' && request.request.body.buffer.byteLength).toBe(0);
  });
});
