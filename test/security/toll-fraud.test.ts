/** Paid calls are placed only by flows, REST and configured users, whatever a far end sends. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { CallIn, PHONE_HOST, Rig } from '../sip/rig.ts';

const CARRIER = 'carrier.example';
const CARRIER_HOST = '192.0.2.80';
const OPTIONS: SipEngineOptions = {
  users: [{ name: 'alice', password: 'secret' }],
  routes: [{ prefix: '+', uri: `sip:${CARRIER}` }],
  // The carrier may be dialled by name as well: whoever wrote this meant flows.
  allowSipUris: ['friends.example', CARRIER, CARRIER_HOST],
};

let rig: Rig;
afterEach(() => rig.finish());

const refer = async (to: string, options = OPTIONS): Promise<(string | undefined)[]> => {
  rig = new Rig(options);
  rig.names[CARRIER] = [CARRIER_HOST];
  await rig.start();
  await rig.settle();
  const far = rig.far();
  const call = await rig.connected(far, { from: '<sip:carol@x>;tag=c' });
  far.clear();
  call.request('REFER', { headers: [`Refer-To: <${to}>`] });
  await rig.settle();
  const referred = rig.events.find((event) => event.type === 'referred');
  return [far.statuses[0], referred?.to];
};

describe('an unknown caller that asks for a transfer (REFER)', () => {
  it.each([
    [`sip:+882999@${CARRIER}`, '404'],
    [`sip:+882999@${CARRIER};user=phone`, '404'],
    [`sip:anybody@${CARRIER.toUpperCase()}:5070`, '404'],
    [`sip:+882999@${CARRIER_HOST}`, '404'],
    ['tel:+882999', '403'],
    ['sip:+882999@192.0.2.1', '403'],
    [`sip:+882999@${PHONE_HOST}`, '404'],
    ['sip:dave@elsewhere.example', '404'],
  ])('is refused with the target %s', async (to, status) => {
    const [told, named] = await refer(to);
    expect([told?.slice(0, 3), named]).toEqual([status, undefined]);
  });

  it('is accepted with a host that may be dialled', async () => {
    expect(await refer('sip:dave@friends.example')).toEqual([
      expect.stringMatching(/^202/),
      'sip:dave@friends.example',
    ]);
  });
});

describe('a called party that redirects a call (302)', () => {
  it.each([
    [`sip:+882999@${CARRIER_HOST}`, false],
    [`sip:+882999@${CARRIER}`, false],
    ['tel:+882999', false],
    ['sip:erin@friends.example', true],
  ])('is followed only to its own host: %s', async (contact, isFollowed) => {
    rig = new Rig(OPTIONS);
    rig.names[CARRIER] = [CARRIER_HOST];
    rig.names['friends.example'] = ['192.0.2.90'];
    await rig.start();
    await rig.settle();
    const carrier = rig.far(5060, CARRIER_HOST);
    const friend = rig.far(5060, '192.0.2.90');
    rig.engine.dial({ legId: 'out', from: '100', to: 'sip:dave@friends.example', ringTimeoutMs: 10_000 });
    await rig.settle();
    friend.reply(friend.request('INVITE'), 302, { contact: `<${contact}>` });
    await rig.settle();
    expect(carrier.log).toEqual([]);
    expect(friend.log.filter((method) => method === 'INVITE')).toHaveLength(isFollowed ? 2 : 1);
    if (isFollowed) friend.reply(friend.request('INVITE'), 486);
    await rig.settle();
  });
});

describe('a call from the address of a carrier', () => {
  it('gets no rights of a user, whatever name it has', async () => {
    rig = await new Rig({ ...OPTIONS, routes: [{ prefix: '+', uri: `sip:${PHONE_HOST}` }] }).start();
    await rig.settle();
    new CallIn(rig.far(), { from: '<sip:alice@x>;tag=a' }).invite();
    await rig.settle();
    expect(rig.incoming).toMatchObject([{ from: 'alice', to: '100' }]);
    expect(rig.incoming[0]).not.toHaveProperty('user');
  });

  it('does not take over a call of another user without a password', async () => {
    rig = await new Rig({ ...OPTIONS, routes: [{ prefix: '+', uri: `sip:${PHONE_HOST}` }] }).start();
    const far = rig.far();
    await rig.connected(far, { from: '<sip:+49301@x>;tag=a', callId: 'first' });
    far.clear();
    const replaces = 'Replaces: first;to-tag=anything;from-tag=a';
    new CallIn(far, { from: '<sip:+49302@x>;tag=b' }).invite({ headers: [replaces] });
    await rig.settle();
    expect(far.statuses.map((status) => status.slice(0, 3))).toEqual(['401']);
  });
});
