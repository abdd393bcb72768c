/** Local address in messages if the engine listens on all addresses: the source address of the route to the peer. */
import { describe, expect, it } from 'vitest';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { OwnAddress } from '../../src/media/telephony/sip/own-address.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { CallIn, PHONE_HOST, Rig, SDP } from './rig.ts';

const ROUTES: Record<string, string> = {
  [PHONE_HOST]: '192.0.2.1',
  '198.51.100.7': '198.51.100.1',
  '10.3.2.1': '10.0.0.1',
  '2001:db8::7': '2001:db8::1',
};
const routeTo = (peer: string) => ROUTES[peer] ?? (peer.includes(':') ? '::' : '0.0.0.0');

const start = async (options: SipEngineOptions) => {
  const rig = new Rig({ allowSipUris: [PHONE_HOST, '198.51.100.7', '2001:db8::7'], ...options }, { routeTo });
  rig.media.host = options.host ?? '0.0.0.0';
  return rig.start();
};
const connectionOf = (sdp: Buffer) => /^c=(.*)\r$/m.exec(sdp.toString())?.[1];
const contactOf = (message: Parameters<typeof headerOf>[0]) => /@([^>]*)>/.exec(headerOf(message, 'contact')!)?.[1];

const V6_SDP = SDP.replaceAll('IP4', 'IP6').replaceAll(PHONE_HOST, '2001:db8::7');

describe('an answer of an engine on all addresses', () => {
  it.each<[listens: string, from: string, body: string, connection: string, contact: string]>([
    ['0.0.0.0', PHONE_HOST, SDP, 'IN IP4 192.0.2.1', '192.0.2.1:5060'],
    ['0.0.0.0', '198.51.100.7', SDP.replaceAll(PHONE_HOST, '198.51.100.7'), 'IN IP4 198.51.100.1', '198.51.100.1:5060'],
    ['::', PHONE_HOST, SDP, 'IN IP4 192.0.2.1', '192.0.2.1:5060'],
    ['::', '2001:db8::7', V6_SDP, 'IN IP6 2001:db8::1', '[2001:db8::1]:5060'],
    // Audio has another destination and another route than signalling.
    ['0.0.0.0', PHONE_HOST, SDP.replaceAll(PHONE_HOST, '198.51.100.7'), 'IN IP4 198.51.100.1', '192.0.2.1:5060'],
    // Over IPv4 one may be told to send to IPv6.
    ['::', PHONE_HOST, V6_SDP, 'IN IP6 2001:db8::1', '192.0.2.1:5060'],
    // A hold of the old kind has no address.
    [
      '0.0.0.0',
      PHONE_HOST,
      SDP.replaceAll(`c=IN IP4 ${PHONE_HOST}`, 'c=IN IP4 0.0.0.0'),
      'IN IP4 192.0.2.1',
      '192.0.2.1:5060',
    ],
  ])('names, on host %s, the local address of the route to %s', async (host, from, body, connection, contact) => {
    const rig = await start({ host });
    const far = rig.far(5062, from);
    const call = await rig.connected(far, { invite: { body } });
    const answer = far.response(200, 'INVITE');
    expect([connectionOf(answer.body), contactOf(answer)]).toEqual([connection, contact]);
    // The same is said later, too.
    rig.engine.send('leg-1', { type: 'hold', music: [] });
    await rig.settle();
    expect(connectionOf(far.request('INVITE').body)).toBe(connection);
    far.reply(far.request('INVITE'), 200, { body });
    await rig.settle();
    call.request('BYE');
    await rig.finish();
  });

  it('rejects (0.0.0.0) if the far end has IPv6 alone', async () => {
    const rig = await start({ host: '0.0.0.0' });
    const far = rig.far();
    new CallIn(far).invite({ body: V6_SDP });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(far.log).toContain('488 INVITE');
    await rig.finish();
  });
});

describe('an offer of an engine on all addresses', () => {
  it.each([
    ['0.0.0.0', PHONE_HOST, `sip:bob@${PHONE_HOST}:5062`, 'IN IP4 192.0.2.1', '192.0.2.1:5060'],
    ['::', '198.51.100.7', 'sip:bob@198.51.100.7:5062', 'IN IP4 198.51.100.1', '198.51.100.1:5060'],
    ['::', '2001:db8::7', 'sip:bob@[2001:db8::7]:5062', 'IN IP6 2001:db8::1', '[2001:db8::1]:5060'],
  ])('names, on host %s, the local address of the route to %s', async (host, place, to, connection, name) => {
    const rig = await start({ host });
    const far = rig.far(5062, place);
    rig.engine.dial({ legId: 'leg-1', from: '1', to, ringTimeoutMs: 30_000 });
    await rig.settle();
    const invite = far.request('INVITE');
    expect([connectionOf(invite.body), contactOf(invite)]).toEqual([connection, name]);
    expect(headerOf(invite, 'via')).toContain(`UDP ${name};`);
    expect(headerOf(invite, 'from')).toContain(`@${name}>`);
    far.reply(invite, 486);
    await rig.finish();
  });

  it('names to an IPv4 and an IPv6 phone the local address of the same family', async () => {
    const rig = await start({ host: '::', users: [{ name: 'alice', password: 'pw' }] });
    const [v4, v6] = [rig.far(5062), rig.far(5062, '2001:db8::7')];
    await rig.register(v4, { name: 'alice', password: 'pw' }, `<sip:alice@${PHONE_HOST}:5062>`);
    await rig.register(v6, { name: 'alice', password: 'pw' }, '<sip:alice@[2001:db8::7]:5062>');
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'user:alice', ringTimeoutMs: 30_000 });
    await rig.settle();
    expect([v4, v6].map((far) => connectionOf(far.request('INVITE').body))).toEqual([
      'IN IP4 192.0.2.1',
      'IN IP6 2001:db8::1',
    ]);
    v6.reply(v6.request('INVITE'), 200, { body: V6_SDP });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: '2001:db8::7' });
    await rig.finish();
  });
});

describe('an address for others', () => {
  it.each<[host: string, advertised: string | undefined, signalling: string, sound: string]>([
    ['10.0.0.5', undefined, '10.0.0.5', '10.0.0.5'],
    ['10.0.0.5', '203.0.113.5', '203.0.113.5', '203.0.113.5'],
    ['0.0.0.0', '203.0.113.5', '203.0.113.5', '203.0.113.5'],
    ['0.0.0.0', undefined, '192.0.2.1', '192.0.2.1'],
    // No address is in a name, and none of the other family.
    ['0.0.0.0', 'pbx.example.com', 'pbx.example.com', '192.0.2.1'],
    ['0.0.0.0', '2001:db8::5', '2001:db8::5', '192.0.2.1'],
  ])('uses the advertised one: listens on %s, advertised as %s', (host, advertised, signalling, sound) => {
    const own = new OwnAddress({ host, advertised, clock: new VirtualClock(), routeTo });
    expect([own.hostFor(PHONE_HOST), own.mediaHostFor(host, PHONE_HOST)]).toEqual([signalling, sound]);
  });

  it('is queried from the system, and cached, without sending a packet', async () => {
    const clock = new VirtualClock();
    const own = new OwnAddress({ host: '::', advertised: undefined, clock });
    expect(own.hostFor('127.0.0.1')).toBe('127.0.0.1');
    const asked: string[] = [];
    const counting = (peer: string) => {
      asked.push(peer);
      return '192.0.2.1';
    };
    const counted = new OwnAddress({ host: '::', advertised: undefined, clock, routeTo: counting });
    for (let n = 0; n < 5; n++) counted.hostFor('192.0.2.9');
    expect(asked).toEqual(['192.0.2.9']);
    clock.setWallClock(-3_600_000);
    await clock.advance(60_000);
    counted.hostFor('192.0.2.9');
    expect(asked).toHaveLength(2);
    for (let n = 0; n < 5000; n++) counted.hostFor(`10.0.${n >> 8}.${n & 255}`);
    expect(asked).toHaveLength(5002);
  });

  it('exists even without a route', () => {
    for (const host of ['0.0.0.0', '::']) {
      const own = new OwnAddress({ host, advertised: undefined, clock: new VirtualClock() });
      for (const peer of ['255.255.255.255', 'fe80::1', 'pbx.example.com', undefined]) {
        expect(['0.0.0.0', '::', '', undefined]).not.toContain(own.hostFor(peer));
      }
    }
  });
});
