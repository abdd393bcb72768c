/** Admission: floods, guessed passwords, scanners and unknown senders, and which of them get an answer. */
import { afterEach, describe, expect, it } from 'vitest';
import { readNetwork } from '../../src/base/core/networks.ts';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

let rig: Rig;
const open = async (options: SipEngineOptions) => {
  rig = await new Rig(options).start();
  await rig.settle();
};
afterEach(() => rig.finish());

const invite = async (far: FarEnd, headers: string[] = []) => {
  const call = new CallIn(far);
  call.invite({ headers });
  await rig.settle();
  return call;
};
const busy = () => {
  rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'reject', sipStatus: 486 });
};

describe('networks that are not accepted', () => {
  const options = { acceptFrom: ['192.0.2.48/29', '2001:db8::/32'], routes: [{ prefix: '', uri: 'sip:192.0.2.77' }] };

  it('receives no answer, even to malformed messages; other sources and carriers do', async () => {
    await open(options);
    busy();
    const [near, stranger, carrier] = [rig.far(), rig.far(5062, '192.0.2.60'), rig.far(5060, '192.0.2.77')];
    for (const far of [near, stranger, carrier]) {
      const call = await invite(far);
      if (far !== stranger) call.ackRefusal(486);
      call.request('OPTIONS');
      far.sendBytes(Buffer.from('INVITE x SIP/9.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\n\r\n'));
      await rig.settle();
    }
    const answers = ['486 Busy Here', '481 Call/Transaction Does Not Exist', '505 Version Not Supported'];
    expect([near.statuses, stranger.statuses, carrier.statuses]).toEqual([answers, [], answers]);
    expect(rig.engine.counts()).toMatchObject({ dropped: 3 });
    expect(rig.logged.filter(({ message }) => message === 'sip.not_accepted')).toHaveLength(1);
  });

  it('are permitted to answer an outgoing call', async () => {
    await open({ ...options, allowSipUris: ['192.0.2.60'] });
    const far = rig.far(5062, '192.0.2.60');
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:x@192.0.2.60:5062', ringTimeoutMs: 1_000 });
    await rig.settle();
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
  });

  it.each([
    ['192.0.2.0/24', { address: '192.0.2.0', bits: 24, family: 'ipv4' }],
    ['192.0.2.1', { address: '192.0.2.1', bits: 32, family: 'ipv4' }],
    ['2001:db8::/32', { address: '2001:db8::', bits: 32, family: 'ipv6' }],
    ['0.0.0.0/0', { address: '0.0.0.0', bits: 0, family: 'ipv4' }],
    ['192.0.2.0/33', undefined],
    ['192.0.2.0/', undefined],
    ['192.0.2.0/8/8', undefined],
    ['example.com', undefined],
    ['', undefined],
  ])('are written as %j', async (text, network) => {
    await open({});
    expect(readNetwork(text)).toEqual(network);
  });
});

describe('a source of many calls', () => {
  const limits = { invitesPerSecond: 10, inviteBurst: 20 };
  const statuses = (far: FarEnd) => {
    const counts: Record<string, number> = {};
    for (const { response } of far.inbox) {
      if (response && response.status >= 200) counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
    return counts;
  };
  const flood = async (far: FarEnd, calls: number) => {
    for (let n = 0; n < calls; n++) new CallIn(far).invite();
    await rig.settle();
  };

  it('is refused beyond its limit, then ignored, without effect on others', async () => {
    await open({ limits });
    busy();
    const [loud, quiet] = [rig.far(), rig.far(5062, '192.0.2.51')];
    await flood(loud, 40);
    expect(statuses(loud)).toEqual({ 486: 20, 503: 5 });
    const call = await invite(quiet);
    call.ackRefusal(486);
    expect(statuses(quiet)).toEqual({ 486: 1 });
    loud.clear();
    await rig.advance(1_000);
    loud.clear();
    await flood(loud, 12);
    expect(statuses(loud)['486']).toBe(10);
    await rig.advance(40_000);
  });

  it('has no limit if it is a carrier', async () => {
    await open({ limits, routes: [{ prefix: '', uri: 'sip:192.0.2.77' }] });
    busy();
    const carrier = rig.far(5060, '192.0.2.77');
    await flood(carrier, 60);
    expect(statuses(carrier)).toEqual({ 486: 60 });
    await rig.advance(40_000);
  });

  it('keeps its calls beyond the limit', async () => {
    await open({ limits });
    const far = rig.far();
    const call = await rig.connected(far);
    busy();
    await flood(far, 40);
    call.invite();
    await rig.settle();
    far.response(200, 'INVITE');
    call.ack();
    await rig.advance(40_000);
    call.request('BYE');
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ by: 'far' });
  });
});

describe('a scanner', () => {
  it.each(['friendly-scanner', 'sipvicious', 'SIPVicious/1.0', 'sip-scan', 'pplsip', 'sundayddr'])(
    'gets no answer as %s',
    async (name) => {
      await open({});
      const far = rig.far();
      const probe = new CallIn(far);
      probe.request('OPTIONS', { headers: [`User-Agent: ${name}`] });
      await invite(far, [`User-Agent: ${name}`]);
      expect([far.log, rig.incoming]).toEqual([[], []]);
    },
  );

  it('is answered if configured; and phones are', async () => {
    await open({ limits: { dropScanners: false } });
    const far = rig.far();
    new CallIn(far).request('OPTIONS', { headers: ['User-Agent: friendly-scanner'] });
    new CallIn(far).request('OPTIONS', { headers: ['User-Agent: Linphone/4'] });
    await rig.settle();
    expect(far.log).toEqual(['200 OPTIONS', '200 OPTIONS']);
  });
});

describe('an unsupported method', () => {
  it.each([
    ['SUBSCRIBE', '489 Bad Event'],
    ['PUBLISH', '489 Bad Event'],
    ['MESSAGE', '405 Method Not Allowed'],
    ['NOTIFY', '481 Call/Transaction Does Not Exist'],
    ['REFER', '403 Forbidden'],
    ['FOO', '405 Method Not Allowed'],
  ])('%s is answered with %s', async (method, status) => {
    await open({});
    const far = rig.far();
    new CallIn(far).request(method, { headers: ['Event: presence'] });
    await rig.settle();
    expect(far.statuses).toEqual([status]);
    expect(rig.engine.counts().legs).toBe(0);
  });
});
