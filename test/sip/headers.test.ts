/**
 * Headers between hosts and the network, as bytes: which are read, which are added to each message, and their limits.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, Rig, SDP } from './rig.ts';

const CARRIER = '192.0.2.77';

let rig: Rig;
const open = async (options: SipEngineOptions = {}) => {
  rig = await new Rig({
    routes: [{ prefix: '', uri: `sip:${CARRIER}` }],
    allowSipUris: ['192.0.2.50'],
    ...options,
  }).start();
};
afterEach(() => rig.finish());

async function offered(headers: readonly string[], host?: string) {
  new CallIn(rig.far(5060, host)).invite({ headers });
  await rig.settle();
  return rig.incoming.at(-1)?.headers;
}

describe('headers that are read', () => {
  it.each([
    ['of our own making', ['X-Customer: 17'], { 'x-customer': '17' }],
    ['repeated ones, as a list', ['X-Tag: a', 'x-tag: b', 'X-TAG: c, d'], { 'x-tag': 'a, b, c, d' }],
    ['in their short form', ['s: dinner'], { subject: 'dinner' }],
    ['on folded lines', ['X-Long: one\r\n two'], { 'x-long': 'one two' }],
    ['without control characters', ['X-Bell: a\x07\tb'], { 'x-bell': 'a b' }],
    ['that are empty', ['X-Empty:'], { 'x-empty': '' }],
    ['of the stack: none', ['User-Agent: phone', 'Priority: urgent', 'Authorization: Digest x="y"'], undefined],
    ['with names of prototypes', ['X-__proto__: 1', '__proto__: 2'], { 'x-__proto__': '1' }],
  ])('reads header values %s', async (_what, written, expected) => {
    await open();
    expect(await offered(written)).toEqual(expected);
  });

  it('are also those of the configuration', async () => {
    await open({ headers: { read: ['Priority'] } });
    expect(await offered(['Priority: urgent', 'Organization: x'])).toEqual({ priority: 'urgent' });
  });

  it('are asserted identities of carriers, not of others', async () => {
    await open();
    const said = ['P-Asserted-Identity: <sip:+49301234@carrier.example>'];
    expect(await offered(said)).toBeUndefined();
    expect(await offered(said, CARRIER)).toEqual({ 'p-asserted-identity': '<sip:+49301234@carrier.example>' });
  });

  it('are bounded in number and length', async () => {
    await open();
    const many = Object.keys((await offered(Array.from({ length: 100 }, (_, at) => `X-${at}: 1`)))!);
    expect(many).toHaveLength(32);
    expect((await offered([`X-Long: ${'a'.repeat(5000)}`]))!['x-long']).toHaveLength(1024);
    const long = (await offered(Array.from({ length: 30 }, (_, at) => `X-${at}: ${'a'.repeat(1000)}`)))!;
    expect(JSON.stringify(long).length).toBeLessThan(9000);
  });
});

describe('headers that are set', () => {
  const dial = async (headers: Record<string, string>, to = '+33612345678') => {
    rig.engine.dial({ legId: 'leg-1', from: '1', to, ringTimeoutMs: 30_000, headers });
    await rig.settle();
  };

  it('are sent with every call of a route, and win over those of the call', async () => {
    await open({ routes: [{ prefix: '', uri: `sip:${CARRIER}`, headers: { 'X-Trunk': 'ours' } }] });
    const carrier = rig.far(5060, CARRIER);
    await dial({ 'x-trunk': 'theirs', 'X-Customer': '17' });
    const { headers } = carrier.request('INVITE');
    expect([headers['x-trunk'], headers['x-customer']]).toEqual([['ours'], ['17']]);
  });

  it('does not send them on a route to other hosts', async () => {
    await open({ routes: [{ prefix: '', uri: `sip:${CARRIER}`, headers: { 'X-Trunk': 'ours' } }] });
    const phone = rig.far();
    await dial({}, 'sip:bob@192.0.2.50:5062');
    expect(phone.request('INVITE').headers['x-trunk']).toBeUndefined();
  });

  it('are there again where the carrier asks for credentials', async () => {
    await open({ routes: [{ prefix: '', uri: `sip:${CARRIER}`, username: 'u', password: 'p' }] });
    const carrier = rig.far(5060, CARRIER);
    await dial({ 'X-Customer': '17' });
    const challenge = 'Proxy-Authenticate: Digest realm="r", nonce="n"';
    carrier.reply(carrier.request('INVITE'), 407, { headers: [challenge] });
    await rig.settle();
    const again = carrier.request('INVITE');
    expect([again.cseq.number, headerOf(again, 'x-customer')]).toEqual([2, '17']);
    carrier.reply(again, 486);
    await rig.settle();
  });

  it('are encoded as UTF-8', async () => {
    await open();
    const carrier = rig.far(5060, CARRIER);
    await dial({ 'X-Name': 'Zoë 中' });
    expect(Buffer.from(headerOf(carrier.request('INVITE'), 'x-name')!, 'latin1').toString()).toBe('Zoë 中');
  });

  it('fits all values into 2,500 bytes, and uses TCP if the far end supports it', async () => {
    const all = (name: string) => Object.fromEntries([0, 1].map((at) => [`X-${name}-${at}`, name.repeat(490)]));
    await open({ routes: [{ prefix: '', uri: `sip:${CARRIER}`, headers: all('a') }] });
    let longest = 0;
    rig.net.loses = (bytes) => {
      longest = Math.max(longest, bytes.length);
      return false;
    };
    const tcp = rig.far(5060, CARRIER, 'tcp');
    await dial(all('b'));
    expect(Object.keys(tcp.request('INVITE').headers).filter((name) => name.startsWith('x-'))).toHaveLength(4);
    expect(longest).toBeGreaterThan(2000);
    expect(longest).toBeLessThan(3500);
  });

  it('are those of the answer that ends a call, and of its refusal', async () => {
    await open();
    const carrier = rig.far(5060, CARRIER);
    await dial({});
    const invite = carrier.request('INVITE');
    carrier.reply(invite, 180, { headers: ['X-Queue: 3'] });
    carrier.reply(invite, 200, { headers: ['X-Agent: Ann', 'P-Asserted-Identity: <sip:9@x>'], body: SDP });
    await rig.settle();
    expect(rig.event('ringing').headers).toEqual({ 'x-queue': '3' });
    expect(rig.event('answered').headers).toEqual({ 'x-agent': 'Ann', 'p-asserted-identity': '<sip:9@x>' });
  });

  it('are reported with the end of an incoming call by CANCEL', async () => {
    await open();
    const call = new CallIn(rig.far());
    call.invite();
    await rig.settle();
    call.cancel(['X-Why: tired']);
    await rig.settle();
    expect(rig.event('ended').headers).toEqual({ 'x-why': 'tired' });
  });
});
