/** Destination of audio if SDP and signalling disagree: the rule as a table, then in calls of both directions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mediaHost, otherMediaHost, type SignalingSource } from '../../src/media/telephony/sip/media-path.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig, SDP } from './rig.ts';

const said = (host: string): string => SDP.replaceAll(PHONE_HOST, host);

describe('the address of the audio', () => {
  const direct = { relayed: false };
  const relayed = { relayed: true };
  it.each<[what: string, described: string, speaker: SignalingSource, host: string | undefined]>([
    ['a phone without a NAT', '203.0.113.7', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['a phone in our network', '192.168.1.20', { source: '192.168.1.20', ...direct }, '192.168.1.20'],
    ['a carrier with a media gateway', '203.0.113.8', { source: '203.0.113.7', ...direct }, '203.0.113.8'],
    ['a gateway in our network', '10.0.0.2', { source: '10.0.0.1', ...direct }, '10.0.0.2'],
    ['a public gateway behind a private proxy', '203.0.113.8', { source: '10.0.0.1', ...relayed }, '203.0.113.8'],
    ['a phone that learned its public address', '203.0.113.7', { source: '203.0.113.9', ...direct }, '203.0.113.7'],
    ['class A behind a NAT', '10.1.2.3', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['class B behind a NAT', '172.31.255.1', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['just past class B', '172.32.0.1', { source: '203.0.113.7', ...direct }, '172.32.0.1'],
    ['class C behind a NAT', '192.168.1.20', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['a carrier-grade NAT', '100.64.0.9', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['a phone without an address', '169.254.3.4', { source: '192.168.1.20', ...direct }, '192.168.1.20'],
    ['a local IPv6 address behind a NAT', 'fd00::7', { source: '2001:db8::7', ...direct }, '2001:db8::7'],
    ['a phone on a machine of its own', '127.0.0.1', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['a NAT inside our network', '172.17.0.5', { source: '10.0.0.7', namedHost: '172.17.0.5', ...direct }, '10.0.0.7'],
    ['a host with many', '127.0.0.72', { source: '127.0.0.1', namedHost: '127.0.0.72', ...direct }, '127.0.0.1'],
    ['two machines, one network', '10.0.0.2', { source: '10.0.0.1', namedHost: '10.0.0.1', ...direct }, '10.0.0.2'],
    ['a name that proves nothing', '10.0.0.2', { source: '10.0.0.1', namedHost: 'phone.lan', ...direct }, '10.0.0.2'],
    ['many public ones', '203.0.113.8', { source: '203.0.113.7', namedHost: '203.0.113.8', ...direct }, '203.0.113.8'],
    ['private through a public proxy', '10.1.2.3', { source: '203.0.113.7', ...relayed }, '10.1.2.3'],
    ['named through a proxy', '10.0.0.9', { source: '10.0.0.1', namedHost: '10.0.0.9', ...relayed }, '10.0.0.9'],
    ['our own machine, by a distant proxy', '127.0.0.1', { source: '203.0.113.7', ...relayed }, undefined],
    ['our own link, by a distant proxy', '169.254.169.254', { source: '203.0.113.7', ...relayed }, undefined],
    ['our own machine, by a proxy on it', '127.0.0.2', { source: '127.0.0.1', ...relayed }, '127.0.0.2'],
    ['our own machine, over the other family', '127.0.0.1', { source: '2001:db8::7', ...direct }, undefined],
    ['private, signalled over the other family', '10.1.2.3', { source: '2001:db8::7', ...direct }, '10.1.2.3'],
    ['a socket of both families', '10.1.2.3', { source: '::ffff:203.0.113.7', ...direct }, '203.0.113.7'],
    ['a disguised loopback', '::ffff:127.0.0.1', { source: '203.0.113.7', ...direct }, '203.0.113.7'],
    ['a hold', '0.0.0.0', { source: '203.0.113.7', ...direct }, '0.0.0.0'],
    ['a hold by IPv6', '::', { source: '2001:db8::7', ...direct }, '::'],
    ['a group', '239.1.2.3', { source: '203.0.113.7', ...direct }, undefined],
    ['everybody', '255.255.255.255', { source: '203.0.113.7', ...direct }, undefined],
    ['an IPv6 group', 'ff02::1', { source: '2001:db8::7', ...direct }, undefined],
    ['nobody', '0.1.2.3', { source: '203.0.113.7', ...direct }, undefined],
    ['no address', 'phone.lan', { source: '203.0.113.7', ...direct }, undefined],
  ])('resolves the address of %s: %s', (_what, described, speaker, host) => {
    expect(mediaHost(described, speaker)).toBe(host);
  });
});

describe('the alternative source of the audio', () => {
  it.each<[what: string, host: string, speaker: SignalingSource, other: string | undefined]>([
    ['a phone with several addresses', '203.0.113.8', { source: '203.0.113.7', relayed: false }, '203.0.113.7'],
    ['a phone with one', '203.0.113.7', { source: '203.0.113.7', relayed: false }, undefined],
    [
      'the same, as a socket of both families shows it',
      '10.1.2.3',
      { source: '::ffff:10.1.2.3', relayed: false },
      undefined,
    ],
    ['a phone behind a proxy', '203.0.113.8', { source: '203.0.113.7', relayed: true }, undefined],
    ['the other family', '203.0.113.8', { source: '2001:db8::7', relayed: false }, undefined],
  ])('chooses the alternative for %s', (_what, host, speaker, other) => {
    expect(otherMediaHost(host, speaker)).toBe(other);
  });
});

describe('a call', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ allowSipUris: [PHONE_HOST], users: [{ name: 'alice', password: 'pw' }] }).start();
    far = rig.far();
  });
  afterEach(() => rig.finish());

  const incoming = async (body: string, headers: readonly string[] = []) => {
    const call = new CallIn(far, { from: '<sip:bob@192.168.1.20>;tag=b' });
    call.invite({ body, headers });
    await rig.settle();
    if (rig.incoming.length > 0) rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    return call;
  };

  it('sends audio to the signalling source behind a NAT, also after a re-INVITE', async () => {
    const call = await incoming(said('192.168.1.20'));
    call.ack();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: PHONE_HOST, port: 4000 });
    call.invite({ body: said('192.168.1.20').replace('4000', '4002') });
    await rig.settle();
    call.ack();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: PHONE_HOST, port: 4002 });
  });

  it('answers our offer in its ACK from behind a NAT', async () => {
    const call = await incoming('');
    call.ack(said('10.3.2.1'));
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: PHONE_HOST });
  });

  it('sends audio as described through a proxy', async () => {
    const call = await incoming(said('10.3.2.1'), ['Record-Route: <sip:192.0.2.50:5062;lr>']);
    call.ack();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: '10.3.2.1' });
  });

  it.each(['239.1.2.3', '255.255.255.255', 'phone.lan'])('rejects audio at %s in the offer', async (host) => {
    await incoming(said(host));
    expect(far.log).toEqual(['488 INVITE']);
    expect(rig.incoming).toEqual([]);
  });

  it('sends audio to the dialled host if the answer has a private address', async () => {
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 30_000 });
    await rig.settle();
    far.reply(far.request('INVITE'), 183, { body: said('10.3.2.1') });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: PHONE_HOST });
    far.reply(far.request('INVITE'), 200, { body: said('10.3.2.1') });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: PHONE_HOST });
  });

  it('follows the registration of a phone if signalling and audio have the same address', async () => {
    const phone = rig.far(5062, '10.0.0.7');
    const contact = '<sip:alice@172.17.0.5:5062>';
    await rig.register(phone, { name: 'alice', password: 'pw' }, contact);
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'user:alice', ringTimeoutMs: 30_000 });
    await rig.settle();
    phone.reply(phone.request('INVITE'), 200, { contact, body: said('172.17.0.5') });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host: '10.0.0.7' });
  });
});
