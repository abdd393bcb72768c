/** Carriers: the gateway of a call, the caller ID and headers sent to it, and limits. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CarrierRoute } from '../../src/media/telephony/sip/carriers.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const hosts = ['192.0.2.71', '192.0.2.72', '192.0.2.73'];
const [A, B, C] = hosts.map((host) => `sip:${host}`) as [string, string, string];

let rig: Rig;
let gateways: [FarEnd, FarEnd, FarEnd];
const open = async (...routes: CarrierRoute[]) => {
  rig = new Rig({ routes, users: [{ name: '+49301234', password: 'x' }] });
  gateways = hosts.map((host) => rig.far(5060, host)) as [FarEnd, FarEnd, FarEnd];
  await rig.start();
  await rig.settle();
};
afterEach(() => rig.finish());

const dial = async (legId = 'leg-1', words: { to?: string; from?: string; fromName?: string } = {}) => {
  rig.engine.dial({ legId, from: '+33199001122', to: '+49301234', ringTimeoutMs: 60_000, ...words });
  await rig.settle();
};
const refuse = async (far: FarEnd, status: number) => {
  far.reply(far.request('INVITE'), status);
  await rig.settle();
};
const answer = async (far: FarEnd) => {
  far.reply(far.request('INVITE'), 200, { body: SDP, tag: far.place.host });
  await rig.settle();
};
const logs = () => gateways.map(({ log }) => log.filter((what) => what === 'INVITE').length);

describe('the caller of a call to a carrier', () => {
  const sent = async (more: Partial<CarrierRoute>, from = '+33199001122') => {
    await open({ prefix: '', uri: A, fromDomain: 'pbx.example', ...more });
    await dial('leg-1', { from, fromName: 'Ann' });
    const request = gateways[0].request('INVITE');
    const of = (name: string) => headerOf(request, name)?.replace(/;tag=.*/, '');
    return [of('from'), of('p-asserted-identity'), of('p-preferred-identity'), of('privacy')];
  };
  const NUMBER = '"Ann" <sip:+33199001122@pbx.example>';
  const USER = '"Ann" <sip:me@pbx.example>';
  const NONE = undefined;

  it.each<[Partial<CarrierRoute>, (string | undefined)[]]>([
    [{}, [NUMBER, NUMBER, NONE, NONE]],
    [{ identity: 'ppi' }, [NUMBER, NONE, NUMBER, NONE]],
    [{ identity: 'from' }, [NUMBER, NONE, NONE, NONE]],
    [{ fromUser: 'me' }, [USER, NUMBER, NONE, NONE]],
    [{ fromUser: 'me', identity: 'ppi' }, [USER, NONE, NUMBER, NONE]],
  ])('writes the identity with %j into %j', async (more, expected) => {
    expect(await sent(more)).toEqual(expected);
  });

  it('is the user alone if the caller is anonymous', async () => {
    expect(await sent({ fromUser: 'me' }, 'anonymous')).toEqual(['"Anonymous" <sip:me@pbx.example>', NONE, NONE, 'id']);
  });

  it.each([
    [{ register: true }, expect.stringContaining('set from_user')],
    [{ register: true, fromUser: 'me' }, undefined],
    [{}, undefined],
  ])('is named in the log, for a route with %j, after a 401 to our credentials', async (more, hint) => {
    await open({ prefix: '', name: 'trunk', uri: A, username: 'me', password: 'x', ...more });
    await dial();
    for (const nonce of ['n1', 'n2']) {
      const headers = [`WWW-Authenticate: Digest realm="asterisk", nonce="${nonce}", qop="auth"`];
      gateways[0].reply(gateways[0].request('INVITE'), 401, { headers });
      await rig.settle();
    }
    expect(rig.event('ended')).toMatchObject({ cause: { code: 21 } });
    const [line] = rig.logged.filter(({ message }) => message === 'sip.credentials_refused');
    expect(line).toMatchObject({ level: 'warn', fields: { route: 'trunk', gateway: A, status: 401 } });
    expect(line!.fields['hint']).toEqual(hint);
  });
});

describe('a call to a number', () => {
  it.each([500, 502, 503, 408])('goes to the next gateway after %i', async (status) => {
    await open({ prefix: '', gateways: [A, B] });
    await dial();
    await refuse(gateways[0], status);
    expect(logs()).toEqual([1, 1, 0]);
    await answer(gateways[1]);
    expect(rig.types()).toEqual(['answered']);
    expect(gateways[1].request('INVITE').callId).not.toBe(gateways[0].request('INVITE').callId);
  });

  it.each([486, 404, 403, 480, 603, 604])('is not retried after %i', async (status) => {
    await open({ prefix: '', gateways: [A, B] });
    await dial();
    await refuse(gateways[0], status);
    expect([logs(), rig.event('ended').sipStatus]).toEqual([[1, 0, 0], status]);
  });

  it('follows its own list of refusals', async () => {
    await open({ prefix: '', gateways: [A, B, C], failoverOn: [486, '4xx'] });
    await dial();
    await refuse(gateways[0], 486);
    await refuse(gateways[1], 404);
    expect(logs()).toEqual([1, 1, 1]);
    await refuse(gateways[2], 503);
    expect(rig.event('ended')).toMatchObject({ sipStatus: 486 });
  });

  it('goes to the route of the longest prefix first, then to the others', async () => {
    await open(
      { prefix: '+', uri: A },
      { prefix: '+49', uri: B },
      { prefix: '+49', uri: C },
      { prefix: '+33', uri: 'sip:192.0.2.99' },
    );
    await dial();
    expect(logs()).toEqual([0, 1, 0]);
    await refuse(gateways[1], 503);
    expect(logs()).toEqual([0, 1, 1]);
    await refuse(gateways[2], 500);
    await answer(gateways[0]);
    expect(rig.types()).toEqual(['answered']);
  });

  it('gives up a silent gateway, and rings at the next', async () => {
    await open({ prefix: '', gateways: [A, B], tryTimeoutMs: 5_000 });
    await dial();
    const first = gateways[0].request('INVITE');
    gateways[0].reply(first, 100);
    await rig.advance(4_999);
    expect(logs()[1]).toBe(0);
    await rig.advance(1);
    expect([gateways[0].log.at(-1), logs()[1]]).toEqual(['CANCEL', 1]);
    gateways[1].reply(gateways[1].request('INVITE'), 180);
    await rig.advance(20_000);
    expect(rig.types()).toEqual(['ringing']);
    // The first one answers after all.
    gateways[0].reply(first, 200, { body: SDP });
    await rig.settle();
    expect(gateways[0].log.slice(-2)).toEqual(['ACK', 'BYE']);
    gateways[0].reply(gateways[0].request('BYE'), 200);
    await answer(gateways[1]);
    expect(rig.types()).toEqual(['ringing', 'answered']);
  });

  it('waits at the last gateway for the whole ring timeout', async () => {
    await open({ prefix: '', uri: A, tryTimeoutMs: 1_000 });
    await dial();
    gateways[0].reply(gateways[0].request('INVITE'), 100);
    await rig.advance(30_000);
    expect([gateways[0].log, rig.types()]).toEqual([['INVITE'], []]);
    await answer(gateways[0]);
  });

  it('tries the next gateway when one is unreachable', async () => {
    await open({ prefix: '', gateways: ['sip:192.0.2.70', A] });
    await dial();
    await answer(gateways[0]);
    expect(rig.types()).toEqual(['answered']);
  });

  it('uses another route beyond the concurrency limit, or fails', async () => {
    await open({ prefix: '+49', uri: A, maxCalls: 1 }, { prefix: '', uri: B, maxCalls: 1 });
    await dial('one');
    await answer(gateways[0]);
    await dial('two');
    expect(logs()).toEqual([1, 1, 0]);
    await dial('three');
    expect(rig.event('ended', 'three')).toMatchObject({ cause: { code: 34 }, by: 'near' });
    rig.engine.send('one', { type: 'hangup', cause: 16 });
    await rig.settle();
    gateways[0].reply(gateways[0].request('BYE'), 200);
    await dial('four');
    expect(logs()).toEqual([2, 1, 0]);
    await refuse(gateways[0], 486);
    await dial('five');
    expect(logs()).toEqual([3, 1, 0]);
    await refuse(gateways[0], 486);
    await refuse(gateways[1], 486);
  });

  it('releases its slot when it continues with another route', async () => {
    await open({ prefix: '+49', uri: A, maxCalls: 1 }, { prefix: '', uri: B });
    await dial('one');
    await refuse(gateways[0], 503);
    await dial('two');
    expect(logs()).toEqual([2, 1, 0]);
    await refuse(gateways[0], 486);
    await refuse(gateways[1], 486);
  });

  it('uses another route beyond the rate limit', async () => {
    await open({ prefix: '', uri: A, callsPerSecond: 2 });
    for (const legId of ['one', 'two', 'three']) await dial(legId);
    expect([logs()[0], rig.event('ended', 'three').cause.code]).toEqual([2, 42]);
    await rig.advance(500);
    await dial('four');
    for (const legId of ['one', 'two', 'four']) rig.engine.send(legId, { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(rig.types('four')).toEqual(['ended']);
    for (const { request } of [...gateways[0].inbox]) {
      if (request?.method === 'INVITE') gateways[0].reply(request, 486);
    }
    await rig.settle();
  });

  it("uses the carrier's number format and caller identity", async () => {
    await open({ prefix: '+49', uri: A, strip: 1, add: '00', fromDomain: 'trunk.example' });
    await dial('leg-1', { fromName: 'Shop' });
    const invite = gateways[0].request('INVITE');
    expect(invite.uri.text).toBe('sip:0049301234@192.0.2.71');
    const address = '"Shop" <sip:+33199001122@trunk.example>';
    expect(headerOf(invite, 'from')).toMatch(address);
    expect(headerOf(invite, 'p-asserted-identity')).toBe(address);
    await refuse(gateways[0], 486);
  });

  it('is anonymous on request', async () => {
    await open({ prefix: '', uri: A });
    await dial('leg-1', { from: 'anonymous' });
    const invite = gateways[0].request('INVITE');
    expect(headerOf(invite, 'from')).toMatch('"Anonymous" <sip:anonymous@anonymous.invalid>');
    expect([headerOf(invite, 'privacy'), headerOf(invite, 'p-asserted-identity')]).toEqual(['id', undefined]);
    await refuse(gateways[0], 486);
  });
});

describe('a gateway with keep-alive', () => {
  const asked = () => gateways[0].log.filter((what) => what === 'OPTIONS').length;

  it('is tried last while it does not respond', async () => {
    await open({ prefix: '', gateways: [A, B], keepaliveMs: 60_000 });
    expect([asked(), headerOf(gateways[0].request('OPTIONS'), 'accept')]).toEqual([1, 'application/sdp']);
    gateways[0].reply(gateways[0].request('OPTIONS'), 503);
    gateways[1].reply(gateways[1].request('OPTIONS'), 404);
    await rig.settle();
    expect(rig.logged.map(({ message }) => message)).toContain('sip.gateway_down');
    await dial();
    expect(logs()).toEqual([0, 1, 0]);
    await refuse(gateways[1], 503);
    expect(logs()).toEqual([1, 1, 0]);
    await refuse(gateways[0], 503);
    await rig.advance(60_000);
    gateways[0].reply(gateways[0].request('OPTIONS'), 200);
    gateways[1].reply(gateways[1].request('OPTIONS'), 200);
    await rig.settle();
    await dial('leg-2');
    expect(logs()).toEqual([2, 1, 0]);
    await refuse(gateways[0], 486);
  });
});

describe('a gateway that does not answer its probe', () => {
  it.each([
    [5_000, 4_000],
    [60_000, 4_000],
    [2_000, 2_000],
  ])(
    'marks it as down with a keepalive of %i ms after %i ms, and continues to probe it',
    async (keepaliveMs, downMs) => {
      await open({ prefix: '', gateways: [A, B], keepaliveMs });
      gateways[1].reply(gateways[1].request('OPTIONS'), 200);
      await rig.advance(downMs - 1);
      const down = () => rig.logged.filter(({ message }) => message === 'sip.gateway_down').length;
      expect(down()).toBe(0);
      await rig.advance(1);
      expect(down()).toBe(1);
      expect(rig.engine.carriers()).toMatchObject([
        { gateway: A, up: false },
        { gateway: B, up: true },
      ]);
      await dial();
      expect(logs()).toEqual([0, 1, 0]);
      await refuse(gateways[1], 486);
      await rig.advance(keepaliveMs - downMs);
      gateways[0].reply(gateways[0].request('OPTIONS'), 200);
      await rig.settle();
      expect(rig.engine.carriers()[0]).toMatchObject({ up: true });
    },
  );
});

it('takes a phone at the address of a carrier for the user that it proves to be', async () => {
  const user = { name: 'alice', password: 'y' };
  rig = new Rig({ routes: [{ prefix: '', name: 'trunk', uri: A }], users: [user] });
  await rig.start();
  await rig.settle();
  const phone = rig.far(5071, hosts[0]!);
  const call = new CallIn(phone, { from: '<sip:alice@pbx>;tag=1' });
  call.request('REGISTER');
  await rig.settle();
  call.invite({ headers: [rig.proof(phone, user, 'INVITE', call.uri), 'P-Asserted-Identity: <sip:+33199@pbx>'] });
  await rig.settle();
  expect(rig.incoming).toMatchObject([{ user: 'alice', from: 'alice' }]);
  expect(rig.incoming[0]!.headers).toBeUndefined();
  rig.engine.send('leg-1', { type: 'reject', sipStatus: 486 });
  await rig.settle();
  call.ackRefusal(486);
  expect(rig.event('ended').sip).not.toHaveProperty('gateway');
});

describe('a call from a carrier', () => {
  const from = async (far: FarEnd, headers: string[], words: ConstructorParameters<typeof CallIn>[1] = {}) => {
    const call = new CallIn(far, { from: '"N" <sip:+49301234@carrier>;tag=1', ...words });
    call.invite({ headers });
    await rig.settle();
    return call;
  };
  const gone = async (call: CallIn) => {
    call.cancel();
    await rig.settle();
    call.ackRefusal(487);
  };

  it('needs no password, whatever its number; others do', async () => {
    await open({ prefix: '', uri: 'sip:carrier.example.com' });
    const carrier = rig.far(5060, '192.0.2.77');
    await gone(await from(carrier, []));
    expect(rig.incoming).toMatchObject([{ from: '+49301234', fromName: 'N' }]);
    expect(rig.incoming[0]!.user).toBeUndefined();
    const stranger = await from(gateways[2], []);
    expect(gateways[2].log).toEqual(['401 INVITE']);
    stranger.ackRefusal(401);
  });

  it('has international numbers if the route has a country, which others do not get', async () => {
    await open({ prefix: '', uri: 'sip:carrier.example.com', country: '33' });
    const carrier = rig.far(5060, '192.0.2.77');
    for (const to of ['0033199001122', '0199001122', '33199001122']) {
      await gone(await from(carrier, ['P-Asserted-Identity: <sip:0612345678@c>'], { to }));
    }
    await gone(await from(gateways[2], [], { to: '0199001122', from: '<sip:0612345678@other>;tag=2' }));
    expect(rig.incoming.map((leg) => [leg.from, leg.to])).toEqual([
      ['+33612345678', '+33199001122'],
      ['+33612345678', '+33199001122'],
      ['+33612345678', '33199001122'],
      ['0612345678', '0199001122'],
    ]);
  });

  it.each([
    [['P-Asserted-Identity: "Real" <sip:+4989555@c>'], '+4989555', 'Real'],
    [['P-Asserted-Identity: <tel:+4989555>'], '+4989555', 'N'],
    [['P-Asserted-Identity: <sip:+4989555@c>', 'Privacy: id'], 'anonymous', undefined],
    [['Privacy: none'], '+49301234', 'N'],
    [['P-Asserted-Identity: nonsense<'], '+49301234', 'N'],
  ])('has the identity that the carrier asserts: %j', async (headers, number, name) => {
    await open({ prefix: '', uri: A });
    await gone(await from(gateways[0], headers));
    expect(rig.incoming[0]).toMatchObject({ from: number });
    expect(rig.incoming[0]!.fromName).toBe(name);
  });

  it('ignores the identity that others assert', async () => {
    await open({ prefix: '', uri: A });
    const words = { from: '<sip:mallory@x>;tag=m' };
    await gone(await from(gateways[1], ['P-Asserted-Identity: <sip:+4989555@c>'], words));
    expect(rig.incoming[0]).toMatchObject({ from: 'mallory' });
  });
});
