/** Registration at carriers: refreshed, retried, removed, and used for inbound calls. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CarrierRoute } from '../../src/media/telephony/sip/carriers.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig } from './rig.ts';

const ROUTE: CarrierRoute = {
  prefix: '',
  uri: 'sip:192.0.2.77',
  username: '4930',
  password: 'pw',
  register: true,
  fromDomain: 'trunk.example',
};
const CHALLENGE = { headers: ['WWW-Authenticate: Digest realm="r", nonce="n1", qop="auth"'] };

describe('a registration at a carrier', () => {
  let rig: Rig;
  let carrier: FarEnd;
  const open = async (route: Partial<CarrierRoute> = {}) => {
    rig = new Rig({ routes: [{ ...ROUTE, ...route }] });
    carrier = rig.far(5060, '192.0.2.77');
    await rig.start();
    await rig.settle();
  };
  afterEach(() => rig.finish());

  const latest = () => carrier.request('REGISTER');
  const count = () => new Set(carrier.inbox.flatMap(({ request }) => request?.cseq.number ?? [])).size;
  const reply = async (status: number, { headers = [] as string[] } = {}) => {
    carrier.reply(latest(), status, { headers });
    await rig.settle();
  };
  const unregister = async () => {
    const stopped = rig.engine.stop();
    await rig.settle();
    const last = latest();
    expect(headerOf(last, 'expires')).toBe('0');
    carrier.reply(last, 200);
    await stopped;
  };

  it('sends our contact, with a password when challenged', async () => {
    await open();
    const first = latest();
    expect(first.uri.text).toBe('sip:192.0.2.77');
    expect([first.from.uri.text, headerOf(first, 'to')]).toEqual([
      'sip:4930@trunk.example',
      '<sip:4930@trunk.example>',
    ]);
    expect(headerOf(first, 'contact')).toBe('<sip:4930@192.0.2.1:5060>;expires=3600');
    await reply(401, CHALLENGE);
    const second = latest();
    expect([second.callId, second.cseq.number]).toEqual([first.callId, first.cseq.number + 1]);
    expect(headerOf(second, 'authorization')).toContain('username="4930"');
    await reply(200, { headers: ['Contact: <sip:4930@192.0.2.1:5060>;expires=600'] });
    expect(rig.engine.registrations()).toEqual({ wanted: 1, registered: 1 });
    await unregister();
  });

  it('reports each change of its status, and an outage every hour', async () => {
    await open();
    const reported = () =>
      rig.logged.flatMap(({ message, fields }) => (message.includes('register') ? [fields['status'] ?? message] : []));
    const retry = async (status?: number) => {
      const before = count();
      for (let waitedMs = 0; count() === before && waitedMs < 2_000_000; waitedMs += 10_000) await rig.advance(10_000);
      if (status !== undefined) await reply(status);
      else await rig.advance(32_000);
    };
    await rig.advance(32_000);
    expect(reported()).toEqual(['no answer']);
    await retry();
    expect(reported()).toEqual(['no answer']);
    await retry(503);
    await retry(503);
    await retry(403);
    expect(reported()).toEqual(['no answer', 503, 403]);
    expect(rig.engine.carriers()).toMatchObject([
      { gateway: 'sip:192.0.2.77', registered: false, status: 403, since: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    for (let times = 0; times < 4; times += 1) await retry(403);
    expect(reported().slice(0, 4)).toEqual(['no answer', 503, 403, 403]);
    expect(reported().length).toBeLessThan(6);
    await retry(200);
    expect(reported().at(-1)).toBe('sip.registered');
    expect(rig.engine.carriers()).toMatchObject([{ registered: true, status: 200 }]);
    await unregister();
  });

  it('is renewed before it expires, for as long as the carrier grants', async () => {
    await open();
    await reply(200, { headers: ['Expires: 100'] });
    await rig.advance(84_999);
    expect(count()).toBe(1);
    await rig.advance(1);
    expect(count()).toBe(2);
    await reply(200, { headers: ['Expires: 100'] });
    await unregister();
  });

  it('answers a new challenge when its nonce is stale, and only then', async () => {
    await open();
    await reply(401, CHALLENGE);
    await reply(401, { headers: ['WWW-Authenticate: Digest realm="r", nonce="n2", qop="auth", stale=true'] });
    expect([count(), headerOf(latest(), 'authorization')]).toEqual([3, expect.stringContaining('nonce="n2"')]);
    await reply(401, CHALLENGE);
    expect([count(), rig.engine.registrations().registered]).toEqual([3, 0]);
    expect(rig.logged.map(({ message }) => message)).toContain('sip.not_registered');
  });

  it("accepts the carrier's minimum", async () => {
    await open();
    await reply(423, { headers: ['Min-Expires: 7200'] });
    expect(headerOf(latest(), 'expires')).toBe('7200');
    await reply(200);
    await rig.advance(7_200_000 * 0.85 - 1);
    expect(count()).toBe(2);
    await unregister();
  });

  it('is retried with exponential back-off until it works', async () => {
    await open();
    const triedAfterMs: number[] = [];
    for (let failure = 0; failure < 9; failure++) {
      const before = count();
      const startedMs = rig.clock.now();
      await reply(503);
      while (count() === before) await rig.advance(1_000);
      triedAfterMs.push(rig.clock.now() - startedMs);
    }
    expect(triedAfterMs[0]).toBeGreaterThanOrEqual(15_000);
    expect(triedAfterMs[0]).toBeLessThanOrEqual(31_000);
    expect(triedAfterMs.at(-1)).toBeGreaterThan(900_000);
    expect(triedAfterMs.at(-1)).toBeLessThanOrEqual(1_801_000);
    await reply(200);
    expect(rig.engine.registrations().registered).toBe(1);
    await unregister();
  });

  it('is inactive without an answer, and expires without renewal', async () => {
    await open();
    await reply(200, { headers: ['Expires: 60'] });
    await rig.advance(51_000);
    expect(rig.engine.registrations().registered).toBe(1);
    await rig.advance(9_000);
    expect(rig.engine.registrations().registered).toBe(0);
  });

  it('is not made without a password, or unless configured', async () => {
    await open({ register: false });
    expect(carrier.log).toEqual([]);
    expect(rig.engine.registrations()).toEqual({ wanted: 0, registered: 0 });
  });

  it.each([
    [[], '+49301234', '+49301234'],
    [['P-Called-Party-ID: <sip:+49305555@trunk.example>'], '4930', '+49305555'],
    [[], 'not-a-number', '4930'],
  ])('takes the callee from To, not from our contact (%j, %s)', async (headers, to, expected) => {
    await open();
    await reply(200);
    const call = new CallIn(carrier, { to: '4930', from: '<sip:+331@c>;tag=1' });
    const [line] = [`INVITE sip:4930@192.0.2.1 SIP/2.0`];
    carrier.send([
      line,
      'Via: SIP/2.0/UDP 192.0.2.77:5060;branch=z9hG4bKx',
      'From: <sip:+331@c>;tag=1',
      `To: <sip:${to}@trunk.example>`,
      `Call-ID: ${call.callId}`,
      'CSeq: 1 INVITE',
      'Contact: <sip:x@192.0.2.77>',
      ...headers,
    ]);
    await rig.settle();
    expect(rig.incoming[0]).toMatchObject({ from: '+331', to: expected });
    await unregister();
  });
});
