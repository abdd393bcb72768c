/** Metrics of the SIP engine: measurements of carriers in virtual time, and refused requests by reason. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CarrierRoute } from '../../src/media/telephony/sip/carriers.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { countedIn, countOf, readFigure } from '../figures.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const hosts = ['192.0.2.71', '192.0.2.72'] as const;
const [A, B] = hosts.map((host) => `sip:${host}`) as [string, string];

let rig: Rig;
let gateways: [FarEnd, FarEnd];
const open = async (options: ConstructorParameters<typeof Rig>[0]) => {
  rig = new Rig(options);
  gateways = hosts.map((host) => rig.far(5060, host)) as [FarEnd, FarEnd];
  await rig.start();
  await rig.settle();
};
const openTo = (...routes: CarrierRoute[]) => open({ routes });
afterEach(() => rig.finish());

let calls = 0;
const dial = async (to = '+49301234') => {
  const legId = `leg-${++calls}`;
  rig.engine.dial({ legId, from: '+33199001122', to, ringTimeoutMs: 60_000 });
  await rig.settle();
  return legId;
};
const reply = async (far: FarEnd, status: number) => {
  far.reply(far.request('INVITE'), status, status === 200 ? { body: SDP } : {});
  await rig.settle();
};

const figure = (name: string) => readFigure(rig.engine.figures, name);
const counted = (name: string) => countedIn(rig.engine.figures, name);

/** The far end of the latest call hangs up. */
function byeAt(far: FarEnd): string[] {
  const invite = far.request('INVITE');
  return [
    'BYE sip:callweave@192.0.2.1:5060 SIP/2.0',
    `Via: SIP/2.0/UDP ${far.place.host}:${far.place.port};branch=z9hG4bK-bye-${++calls}`,
    'Max-Forwards: 70',
    `From: ${headerOf(invite, 'to')};tag=far`,
    `To: ${headerOf(invite, 'from')}`,
    `Call-ID: ${invite.callId}`,
    'CSeq: 1 BYE',
  ];
}

describe('metrics of a carrier', () => {
  it('are its attempts by status class, how long callers wait, and how long calls last', async () => {
    await openTo({ prefix: '+49', gateways: [A, B] });
    const answered = await dial();
    await rig.advance(1500);
    await reply(gateways[0], 180);
    await rig.advance(4000);
    expect(counted('sip_gateway_calls_live')).toEqual({ '+49 sip:192.0.2.71': 1 });
    await reply(gateways[0], 200);
    await rig.advance(20_000);
    expect(counted('sip_gateway_calls_live')).toEqual({ '+49 sip:192.0.2.71': 1 });
    rig.engine.send(answered, { type: 'hangup', cause: 16 });
    await rig.settle();
    await dial();
    await reply(gateways[0], 503);
    await reply(gateways[1], 486);
    expect(counted('sip_gateway_attempts_total')).toEqual({
      '+49 sip:192.0.2.71 2xx': 1,
      '+49 sip:192.0.2.71 5xx': 1,
      '+49 sip:192.0.2.72 4xx': 1,
    });
    expect(counted('sip_gateway_talk_seconds_total')).toEqual({ '+49 sip:192.0.2.71': 20 });
    expect(counted('sip_gateway_calls_live')).toEqual({});
    const delays = figure('sip_gateway_post_dial_delay_seconds')['+49 sip:192.0.2.71'];
    expect(delays).toMatchObject({ sum: 1.5 });
    expect(countOf(delays)).toBe(1);
  });

  it.each([
    ['the far end hangs up', 'far'],
    ['the carrier is silent while there is another one', 'timeout'],
    ['the caller gives up', 'cancelled'],
    ['it cannot be reached', 'unreachable'],
    ['its answer has no audio', 'failed'],
  ])('counts once when %s, and then no active call is left', async (_title, how) => {
    await openTo({ prefix: '', gateways: how === 'timeout' ? [A, B] : [A], tryTimeoutMs: 3000 });
    if (how === 'unreachable') rig.net.unbind(gateways[0].place);
    const legId = await dial();
    if (how === 'far') {
      await reply(gateways[0], 200);
      await rig.advance(7000);
      gateways[0].send(byeAt(gateways[0]));
      await rig.settle();
    }
    if (how === 'timeout') {
      await rig.advance(3100);
      await reply(gateways[1], 603);
    }
    if (how === 'cancelled') {
      await reply(gateways[0], 180);
      rig.engine.send(legId, { type: 'hangup', cause: 16 });
      await rig.settle();
      await reply(gateways[0], 487);
    }
    if (how === 'failed') {
      gateways[0].reply(gateways[0].request('INVITE'), 200);
      await rig.settle();
    }
    await rig.advance(40_000);
    const first = Object.entries(counted('sip_gateway_attempts_total')).filter(([key]) => key.includes(A));
    expect(first).toEqual([[`* sip:192.0.2.71 ${how === 'far' ? '2xx' : how}`, 1]]);
    expect(counted('sip_gateway_calls_live')).toEqual({});
    expect(counted('sip_gateway_talk_seconds_total')).toEqual(how === 'far' ? { '* sip:192.0.2.71': 7 } : {});
  });

  it('reports whether it answers OPTIONS, and whether it accepted a registration, if configured', async () => {
    await openTo(
      { prefix: '+49', uri: A, keepaliveMs: 10_000, register: true, username: 'me', password: 'pw' },
      { prefix: '', uri: B },
    );
    await rig.settle();
    gateways[0].reply(gateways[0].request('OPTIONS'), 200);
    await rig.settle();
    expect(figure('sip_gateway_up')).toEqual({ '+49 sip:192.0.2.71': 1 });
    expect(figure('sip_gateway_registered')).toEqual({ '+49 sip:192.0.2.71': 0 });
    gateways[0].reply(gateways[0].request('REGISTER'), 200);
    await rig.settle();
    expect(figure('sip_gateway_registered')).toEqual({ '+49 sip:192.0.2.71': 1 });
    await rig.advance(10_000);
    gateways[0].reply(gateways[0].request('OPTIONS'), 503);
    await rig.settle();
    expect(figure('sip_gateway_up')).toEqual({ '+49 sip:192.0.2.71': 0 });
    expect([figure('sip_registrations_wanted'), figure('sip_registrations_active')]).toEqual([{ '': 1 }, { '': 1 }]);
  });

  it('reports the load of its route, and the calls refused by it, once for all of its gateways', async () => {
    await openTo({ prefix: '+49', gateways: [A, B], maxCalls: 1 }, { prefix: '', uri: B });
    await dial();
    await reply(gateways[0], 200);
    await dial();
    expect(figure('sip_route_calls_live')).toEqual({ '+49': 1, '*': 1 });
    expect(figure('sip_route_calls_limit')).toEqual({ '+49': 1 });
    expect(counted('sip_route_calls_refused_total')).toEqual({ '+49 max_calls': 1 });
  });

  it('removes them with the route, and renames them if only the route changes', async () => {
    const route = { name: 'file-1', prefix: '+49', uri: A };
    await openTo(route);
    await dial();
    await reply(gateways[0], 486);
    const configure = (...routes: CarrierRoute[]) => rig.engine.configure({ users: [], routes });
    const other = { name: 'r-2', prefix: '+33', uri: B };
    configure({ ...route, maxCalls: 5 }, other);
    expect(counted('sip_gateway_attempts_total')).toEqual({ 'file-1 sip:192.0.2.71 4xx': 1 });
    expect(Object.keys(figure('sip_gateway_calls_live'))).toEqual([`file-1 ${A}`, `r-2 ${B}`]);
    configure(other);
    const named = () => new Set(rig.engine.figures.figures.flatMap(({ name }) => Object.keys(figure(name))));
    expect([...named()].filter((key) => key.includes('file-1') || key.includes(A))).toEqual([]);
    configure({ ...other, name: 'r-3' });
    expect([named().has(`r-3 ${B}`), named().has(`r-2 ${B}`)]).toEqual([true, false]);
  });
});

describe('metrics of incoming calls', () => {
  const invite = async (words: ConstructorParameters<typeof CallIn>[1] = {}, more: object = {}) => {
    const call = new CallIn(rig.far(5070 + ++calls), words);
    call.invite(more);
    await rig.settle();
    return call;
  };

  it('are the reasons for which they were refused', async () => {
    await open({ users: [{ name: 'alice', password: 'wonderland' }], limits: { calls: 1, unansweredCalls: 1 } });
    await invite({}, { headers: ['Require: teleport'] });
    await invite({}, { body: 'nonsense' });
    rig.engine.acceptCalls(false);
    await invite();
    rig.engine.acceptCalls(true);
    expect(counted('sip_invites_refused_total')).toEqual({ not_supported: 1, malformed: 1, draining: 1 });
    const far = rig.far(5071);
    for (const callId of ['one', 'two']) {
      new CallIn(far, { callId, from: '<sip:bob@192.0.2.50>;tag=b' }).invite();
      await rig.settle();
    }
    expect(counted('sip_invites_refused_total')).toMatchObject({ source_limit: 1 });
  });

  it('are wrong passwords; a challenge is not a refusal', async () => {
    await open({ users: [{ name: 'alice', password: 'wonderland' }] });
    const far = rig.far(5071);
    const call = new CallIn(far, { from: '<sip:alice@192.0.2.1>' });
    call.invite();
    await rig.settle();
    expect([counted('sip_invites_refused_total'), counted('sip_wrong_passwords_total')]).toEqual([{}, {}]);
    const proof = rig.proof(far, { name: 'alice', password: 'guess' }, 'INVITE', call.uri);
    new CallIn(far, { from: '<sip:alice@192.0.2.1>', branch: 'z9hG4bK-2' }).invite({ headers: [proof] });
    await rig.settle();
    expect(counted('sip_invites_refused_total')).toEqual({ forbidden: 1 });
    expect(figure('sip_wrong_passwords_total')).toEqual({ '': 1 });
  });
});
