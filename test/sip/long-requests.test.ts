/** Requests above the size of a datagram: TCP if the far end supports it, otherwise UDP (RFC 3261 §18.1.1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { type FarEnd, Rig, SDP } from './rig.ts';

const PLACE = '192.0.2.50';

describe('a long request', () => {
  let rig: Rig;
  let udp: FarEnd;
  const open = async (userAgent: string) => {
    rig = await new Rig({
      userAgent,
      routes: [{ prefix: '', uri: 'sip:trunk.example.com' }],
      allowSipUris: [PLACE],
      users: [{ name: 'alice', password: 'pw' }],
    }).start();
    udp = rig.far();
  };
  beforeEach(() => open('x'.repeat(1000)));
  afterEach(() => rig.finish());

  const stream = (port = 5062, host = PLACE) => rig.far(port, host, 'tcp');
  const dial = async (to = `sip:bob@${PLACE}:5062`, legId = 'leg-1') => {
    rig.engine.dial({ legId, from: '1', to, ringTimeoutMs: 30_000 });
    await rig.settle();
  };

  it('goes by TCP, and names it in Via', async () => {
    const tcp = stream();
    await dial();
    const invite = tcp.request('INVITE');
    expect(headerOf(invite, 'via')).toContain('SIP/2.0/TCP');
    expect(headerOf(invite, 'contact')).toContain(';transport=tcp');
    expect(invite.uri.text).toBe(`sip:bob@${PLACE}:5062`);
    tcp.reply(invite, 200, { body: SDP });
    await rig.settle();
    expect([rig.types(), udp.log]).toEqual([['answered'], ['ACK']]);
  });

  it('goes by UDP where TCP is refused, and so does the next for a while', async () => {
    await dial();
    const invite = udp.request('INVITE');
    expect(headerOf(invite, 'via')).toContain('SIP/2.0/UDP');
    expect(headerOf(invite, 'contact')).not.toContain(';transport=tcp');
    expect(udp.log).toEqual(['INVITE']);
    udp.reply(invite, 486);
    const tcp = stream();
    await dial(undefined, 'leg-2');
    expect([tcp.log, udp.log]).toEqual([[], ['INVITE', 'ACK', 'INVITE']]);
    udp.reply(udp.request('INVITE'), 486);
    await rig.advance(30_000);
    await dial(undefined, 'leg-3');
    expect(tcp.log).toEqual(['INVITE']);
  });

  it('goes by UDP where TCP is swallowed', async () => {
    stream();
    rig.net.loses = (_bytes, _from, to) => to.transport === 'tcp';
    await dial();
    await rig.advance(3_999);
    expect(udp.log).toEqual([]);
    await rig.advance(1);
    expect(udp.log).toEqual(['INVITE']);
  });

  it('is not retried by UDP after a refusal by TCP', async () => {
    const tcp = stream();
    await dial();
    tcp.reply(tcp.request('INVITE'), 503);
    await rig.settle();
    expect([rig.event('ended').sipStatus, udp.log]).toEqual([503, []]);
  });

  it('prefers a target with TCP among the records', async () => {
    const record = { priority: 1, weight: 0, name: PLACE };
    rig.services['_sip._udp.trunk.example.com'] = [{ ...record, port: 5062 }];
    rig.services['_sip._tcp.trunk.example.com'] = [{ ...record, port: 5090 }];
    const [twin, named] = [stream(5062), stream(5090)];
    await dial('+49301234');
    expect([named.log, twin.log, udp.log]).toEqual([['INVITE'], [], []]);
  });

  it('goes by UDP to a phone that registered by UDP, because nothing else passes its NAT', async () => {
    await rig.register(udp, { name: 'alice', password: 'pw' }, '<sip:alice@10.0.0.7:5060>');
    const tcp = stream();
    udp.clear();
    await dial('user:alice');
    expect([tcp.log, udp.log]).toEqual([[], ['INVITE']]);
  });

  it('uses TCP inside a call, too', async () => {
    await rig.finish();
    await open('short');
    const tcp = stream();
    await dial();
    expect([tcp.log, udp.log]).toEqual([[], ['INVITE']]);
    const route = `Record-Route: <sip:${PLACE}:5062;lr;state=${'y'.repeat(1100)}>`;
    udp.reply(udp.request('INVITE'), 200, { body: SDP, headers: [route] });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    tcp.reply(tcp.request('BYE'), 200);
    await rig.settle();
    expect([udp.log, rig.engine.counts().sessions]).toEqual([['INVITE', 'ACK'], 0]);
  });
});
