/** State machines of RFC 3261 §17 and RFC 6026: what they send, what they report, and when they end. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { SipRequest, SipResponse } from '../../src/media/telephony/sip/message.ts';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import type { ServerTransaction } from '../../src/media/telephony/sip/server-transaction.ts';
import {
  INVITE_CLIENT,
  INVITE_SERVER,
  NON_INVITE_CLIENT,
  NON_INVITE_SERVER,
} from '../../src/media/telephony/sip/transaction-tables.ts';
import { Transactions } from '../../src/media/telephony/sip/transactions.ts';
import type { Peer, TransportName } from '../../src/media/telephony/sip/transport.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const peer = (transport: TransportName): Peer => ({ transport, host: '192.0.2.2', port: 5060 });

/** One end: sent messages with times since the start, and events for its user. */
class Stand {
  readonly clock = new VirtualClock(0);
  readonly sent: [ms: number, what: string][] = [];
  readonly told: string[] = [];
  readonly servers: ServerTransaction[] = [];
  readonly transactions: Transactions;
  broken = false;
  #tokens = 0;

  constructor() {
    this.transactions = new Transactions({
      clock: this.clock,
      token: () => `t${++this.#tokens}`,
      transport: {
        via: (peer, branch) => `SIP/2.0/${peer.transport.toUpperCase()} us:5060;branch=${branch}`,
        send: (bytes, _to, _callId, failed) => {
          const text = bytes.toString();
          const what = text.startsWith('SIP/') ? text.slice(8, 11) : text.slice(0, text.indexOf(' '));
          if (this.broken) queueMicrotask(() => failed?.('broken'));
          else this.sent.push([this.clock.now(), what]);
        },
        replyPeer: (_request, source) => source,
      },
    });
    this.transactions.serve({
      admits: () => true,
      request: (transaction) => this.servers.push(transaction),
      ack: () => this.told.push('ACK'),
    });
  }

  request(method: string, transport: TransportName) {
    const request = {
      method,
      uri: 'sip:x@y',
      routes: [],
      from: '<sip:a@b>;tag=f',
      to: '<sip:x@y>',
      callId: 'c',
      cseq: 1,
      headers: [],
    };
    return this.transactions.request(request, peer(transport), {
      response: (response) => this.told.push(String(response.status)),
      failed: (why) => this.told.push(why),
    });
  }

  respond(status: number, method: string, branch = 'z9hG4bKt1', tag = 'far'): void {
    this.transactions.receiveResponse(
      read([
        `SIP/2.0 ${status} X`,
        `Via: SIP/2.0/UDP us:5060;branch=${branch}`,
        'From: <sip:a@b>;tag=f',
        `To: <sip:x@y>;tag=${tag}`,
        'Call-ID: c',
        `CSeq: 1 ${method}`,
      ]) as SipResponse,
    );
  }

  receive(
    method: string,
    transport: TransportName,
    { branch = 'z9hG4bKpeer', cseq = 1, via = 'them:5060', callId = 'c' } = {},
  ): void {
    const request = read([
      `${method} sip:us SIP/2.0`,
      `Via: SIP/2.0/${transport.toUpperCase()} ${via}${branch === '' ? '' : `;branch=${branch}`}`,
      'From: <sip:a@b>;tag=f',
      'To: <sip:us>',
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} ${method}`,
    ]) as SipRequest;
    this.transactions.receiveRequest(request, peer(transport));
  }

  get times(): number[] {
    return this.sent.map(([ms]) => ms);
  }
}

function read(lines: string[]): SipRequest | SipResponse {
  const parsed = parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  if (parsed.kind === 'request') return parsed.request;
  if (parsed.kind === 'response') return parsed.response;
  throw new Error(parsed.reason);
}

describe('the tables', () => {
  it.each(Object.entries({ INVITE_CLIENT, NON_INVITE_CLIENT, INVITE_SERVER, NON_INVITE_SERVER }))(
    '%s: handles every timer that a state starts, and every state leads to an end',
    (_name, machine) => {
      const states = Object.entries(machine.states);
      for (const [name, state] of states) {
        for (const timer of state.timers) expect(state.on[timer], `${name} ${timer}`).toBeDefined();
        for (const row of Object.values(state.on)) {
          expect(row.to === 'terminated' || row.to in machine.states).toBe(true);
        }
      }
      const leads = new Set(['terminated']);
      for (let before = 0; before !== leads.size; ) {
        before = leads.size;
        for (const [name, state] of states) {
          if (Object.values(state.on).some((row) => leads.has(row.to))) leads.add(name);
        }
      }
      expect(leads.size).toBe(states.length + 1);
    },
  );
});

describe('transactions', () => {
  let stand: Stand;
  beforeEach(() => {
    stand = new Stand();
  });
  const gone = async (ms: number) => {
    await stand.clock.advance(ms);
    expect(stand.transactions.size).toBe(0);
    expect(stand.clock.pendingTimers).toBe(0);
  };

  describe('INVITE client transaction', () => {
    it('retransmits over UDP at 0.5 s doubling (timer A) until timer B', async () => {
      stand.request('INVITE', 'udp');
      await gone(32_000);
      expect(stand.times).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
      expect(stand.told).toEqual(['timeout']);
    });
    it('does not retransmit over TCP', async () => {
      stand.request('INVITE', 'tcp');
      await gone(32_000);
      expect(stand.times).toEqual([0]);
      expect(stand.told).toEqual(['timeout']);
    });
    it('stops retransmitting after a provisional response, and waits without limit', async () => {
      stand.request('INVITE', 'udp');
      await stand.clock.advance(600);
      stand.respond(100, 'INVITE');
      await stand.clock.advance(300_000);
      expect(stand.times).toEqual([0, 500]);
      stand.respond(180, 'INVITE');
      expect(stand.told).toEqual(['100', '180']);
      stand.transactions.stop();
    });
    it('acknowledges a refusal, and each retransmission of it for 32 s (timer D)', async () => {
      stand.request('INVITE', 'udp');
      stand.respond(486, 'INVITE');
      stand.respond(486, 'INVITE');
      await stand.clock.advance(31_999);
      stand.respond(486, 'INVITE');
      expect(stand.sent.map(([, what]) => what)).toEqual(['INVITE', 'ACK', 'ACK', 'ACK']);
      expect(stand.told).toEqual(['486']);
      await gone(1);
    });
    it('terminates at once after a refusal over TCP', async () => {
      stand.request('INVITE', 'tcp');
      stand.respond(486, 'INVITE');
      await gone(0);
    });
    it('passes on each 2xx, from whatever fork, for 32 s (RFC 6026, timer M)', async () => {
      stand.request('INVITE', 'udp');
      stand.respond(200, 'INVITE');
      stand.respond(200, 'INVITE', undefined, 'fork');
      stand.respond(486, 'INVITE');
      await stand.clock.advance(31_999);
      stand.respond(200, 'INVITE');
      await gone(1);
      stand.respond(200, 'INVITE');
      expect(stand.told).toEqual(['200', '200', '200']);
      expect(stand.times).toEqual([0]);
    });
    it('reports transport errors to the TU', async () => {
      stand.broken = true;
      stand.request('INVITE', 'tcp');
      await gone(0);
      expect(stand.told).toEqual(['transport']);
    });
    it('does not cancel an answered INVITE', async () => {
      const transaction = stand.request('INVITE', 'udp');
      stand.respond(180, 'INVITE');
      stand.respond(200, 'INVITE');
      transaction.cancel();
      expect(stand.sent).toHaveLength(1);
      stand.transactions.stop();
    });
    it('cancels once, with its own branch, and ends 32 s later at the latest', async () => {
      const transaction = stand.request('INVITE', 'udp');
      stand.respond(180, 'INVITE');
      transaction.cancel();
      transaction.cancel();
      stand.respond(183, 'INVITE');
      expect(stand.sent.map(([, what]) => what)).toEqual(['INVITE', 'CANCEL']);
      stand.respond(200, 'CANCEL');
      await gone(32_000);
      expect(stand.told).toEqual(['180', '183', 'timeout']);
    });
  });

  describe('non-INVITE client transaction', () => {
    it('retransmits over UDP at 0.5 s doubling to 4 s (timer E) until timer F', async () => {
      stand.request('BYE', 'udp');
      await gone(32_000);
      expect(stand.times).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
      expect(stand.told).toEqual(['timeout']);
    });
    it('retransmits every 4 s after a provisional response', async () => {
      stand.request('OPTIONS', 'udp');
      stand.respond(100, 'OPTIONS');
      await stand.clock.advance(9000);
      expect(stand.times).toEqual([0, 500, 4500, 8500]);
      await gone(23_000);
      expect(stand.told).toEqual(['100', 'timeout']);
    });
    it('absorbs retransmissions of the answer for 5 s (timer K)', async () => {
      stand.request('OPTIONS', 'udp');
      stand.respond(200, 'OPTIONS');
      await stand.clock.advance(4999);
      stand.respond(200, 'OPTIONS');
      expect(stand.transactions.size).toBe(1);
      await gone(1);
      expect(stand.told).toEqual(['200']);
    });
    it('is identified by method, too: a CANCEL shares its branch', async () => {
      stand.request('OPTIONS', 'udp');
      stand.respond(200, 'INVITE');
      stand.respond(200, 'OPTIONS', 'z9hG4bKother');
      expect(stand.told).toEqual([]);
      stand.transactions.stop();
    });
  });

  describe('INVITE server transaction', () => {
    it('sends 100 when its user takes 200 ms, and retransmits its last response', async () => {
      stand.receive('INVITE', 'udp');
      await stand.clock.advance(200);
      stand.receive('INVITE', 'udp');
      stand.servers[0]!.respond(180);
      stand.receive('INVITE', 'udp');
      expect(stand.sent.map(([, what]) => what)).toEqual(['100', '100', '180', '180']);
      expect(stand.servers).toHaveLength(1);
      stand.transactions.stop();
    });
    it('retransmits a refusal at 0.5 s doubling to 4 s (timer G) until timer H', async () => {
      stand.receive('INVITE', 'udp');
      stand.servers[0]!.respond(486);
      await gone(32_000);
      expect(stand.times).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    });
    it('absorbs retransmissions for 5 s after the ACK (timer I), which its user does not see', async () => {
      stand.receive('INVITE', 'udp');
      stand.servers[0]!.respond(486);
      stand.receive('ACK', 'udp');
      stand.receive('ACK', 'udp');
      stand.receive('INVITE', 'udp');
      await stand.clock.advance(4999);
      expect(stand.transactions.size).toBe(1);
      await gone(1);
      expect(stand.told).toEqual([]);
      expect(stand.times).toEqual([0]);
    });
    it('does not retransmit a refusal over TCP, and terminates with the ACK', async () => {
      stand.receive('INVITE', 'tcp');
      stand.servers[0]!.respond(486);
      await stand.clock.advance(10_000);
      expect(stand.times).toEqual([0]);
      stand.receive('ACK', 'tcp');
      await gone(0);
    });
    it('leaves 2xx to its user, absorbs the INVITE, and passes the ACK on (RFC 6026)', async () => {
      stand.receive('INVITE', 'udp');
      const [server] = stand.servers;
      server!.respond(200);
      stand.receive('INVITE', 'udp');
      await stand.clock.advance(10_000);
      expect(stand.times).toEqual([0]);
      server!.repeat();
      stand.receive('ACK', 'udp', { branch: 'z9hG4bKack' });
      expect(stand.times).toEqual([0, 10_000]);
      expect(stand.told).toEqual(['ACK']);
      await gone(22_000);
    });
    it('keeps its first final response', async () => {
      stand.receive('INVITE', 'udp');
      const [server] = stand.servers;
      server!.respond(486);
      server!.respond(200);
      server!.respond(180);
      expect(stand.sent.map(([, what]) => what)).toEqual(['486']);
      stand.receive('INVITE', 'udp');
      expect(stand.sent.map(([, what]) => what)).toEqual(['486', '486']);
      stand.transactions.stop();
    });
  });

  describe('non-INVITE server transaction', () => {
    it('ignores retransmissions until its user has responded, then repeats the response', async () => {
      stand.receive('OPTIONS', 'udp');
      stand.receive('OPTIONS', 'udp');
      await stand.clock.advance(1000);
      expect(stand.sent).toEqual([]);
      stand.servers[0]!.respond(200);
      stand.receive('OPTIONS', 'udp');
      expect(stand.sent.map(([, what]) => what)).toEqual(['200', '200']);
      await gone(32_000);
    });
    it('terminates at once over TCP', async () => {
      stand.receive('OPTIONS', 'tcp');
      stand.servers[0]!.respond(200);
      await gone(0);
    });
  });

  describe('matching of transactions', () => {
    it.each([
      ['by branch', { branch: 'z9hG4bKa' }, { branch: 'z9hG4bKb' }, 2],
      ['by call', { callId: 'one' }, { callId: 'two' }, 2],
      ['by sent-by', { via: 'one:5060' }, { via: 'two:5060' }, 2],
      ['not by a port that is the default', { via: 'one:5060' }, { via: 'one' }, 1],
      ['by CSeq without the cookie', { branch: 'old', cseq: 1 }, { branch: 'old', cseq: 2 }, 2],
      ['as repetition without the cookie', { branch: 'old' }, { branch: 'old' }, 1],
      ['as repetition without a branch', { branch: '' }, { branch: '' }, 1],
      ['by CSeq with a bare cookie', { branch: 'z9hG4bK', cseq: 1 }, { branch: 'z9hG4bK', cseq: 2 }, 2],
    ])('matches requests to transactions: %s', (_what, one, other, count) => {
      stand.receive('OPTIONS', 'udp', one);
      stand.receive('OPTIONS', 'udp', other);
      expect(stand.servers).toHaveLength(count);
      stand.transactions.stop();
    });
  });
});
