/** Changes of users and carriers while the engine runs: they apply to the next call, and no live call is disturbed. */
import { afterEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { answerChallenge } from '../../src/media/telephony/sip/proofs.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

let rig: Rig;
let phone: FarEnd;
afterEach(() => rig.finish());

const open = async (options: ConstructorParameters<typeof Rig>[0] = {}) => {
  rig = new Rig(options);
  phone = rig.far(5070);
  await rig.start();
};

let cseq = 0;
/** REGISTER, with the password when it is asked for; the status in the end. */
async function register(user: string, password: string): Promise<number> {
  const send = async (more: string[] = []): Promise<void> => {
    cseq += 1;
    const { host, port } = phone.place;
    phone.send([
      'REGISTER sip:192.0.2.1 SIP/2.0',
      `Via: SIP/2.0/UDP ${host}:${port};branch=z9hG4bK-${cseq}`,
      `From: <sip:${user}@192.0.2.1>;tag=${user}`,
      `To: <sip:${user}@192.0.2.1>`,
      `Call-ID: register-${user}`,
      `CSeq: ${cseq} REGISTER`,
      `Contact: <sip:${user}@${host}:${port}>`,
      'Max-Forwards: 70',
      ...more,
    ]);
    await rig.settle();
  };
  const status = (): number => phone.inbox.findLast(({ response }) => response)!.response!.status;
  await send();
  if (status() !== 401) return status();
  const request = { method: 'REGISTER', uri: 'sip:192.0.2.1' };
  const proof = answerChallenge(phone.response(401), request, { username: user, password }, 'cnonce')!;
  await send([`${proof[0]}: ${proof[1]}`]);
  return status();
}

const dial = async (to: string, legId = `leg-to-${to}-${cseq++}`): Promise<string> => {
  rig.engine.dial({ legId, from: '+33199001122', to, ringTimeoutMs: 60_000 });
  await rig.settle();
  return legId;
};

describe('users', () => {
  it('lets added users register and be called, and forgets removed ones at once', async () => {
    await open();
    expect(await register('alice', 'wonderland')).toBe(403);
    rig.engine.configure({ users: [{ name: 'alice', password: 'wonderland' }], routes: [] });
    expect(await register('alice', 'wonderland')).toBe(200);
    await dial('user:Alice');
    expect(phone.request('INVITE').uri.user).toBe('alice');

    rig.engine.configure({ users: [], routes: [] });
    phone.clear();
    const legId = await dial('user:alice');
    expect(phone.log).not.toContain('INVITE');
    expect(rig.types(legId)).toEqual(['ended']);
    expect(await register('alice', 'wonderland')).toBe(403);
  });

  it('requires a new registration after a change of the password', async () => {
    await open({ users: [{ name: 'alice', password: 'wonderland' }] });
    expect(await register('alice', 'wonderland')).toBe(200);
    rig.engine.configure({ users: [{ name: 'alice', password: 'looking-glass' }], routes: [] });
    phone.clear();
    await dial('user:alice');
    expect(phone.log).not.toContain('INVITE');
    expect(await register('alice', 'wonderland')).toBe(403);
    expect(await register('alice', 'looking-glass')).toBe(200);
    await dial('user:alice');
    expect(phone.log).toContain('INVITE');
  });

  it('keeps the registration if the password is unchanged', async () => {
    await open({ users: [{ name: 'alice', password: 'wonderland' }] });
    await register('alice', 'wonderland');
    const users = ['alice', 'bob'].map((name) => ({ name, password: 'wonderland' }));
    rig.engine.configure({ users, routes: [] });
    phone.clear();
    await dial('user:alice');
    expect(phone.log).toContain('INVITE');
  });
});

describe('routes', () => {
  const [A, B] = ['192.0.2.71', '192.0.2.72'];

  it('applies added routes to the next call; earlier calls continue, and still count', async () => {
    await open({ routes: [{ prefix: '', uri: `sip:${A}`, maxCalls: 1 }] });
    const [first, second] = [rig.far(5060, A), rig.far(5060, B)];
    await dial('+49301234');
    first.reply(first.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    rig.engine.configure({
      users: [],
      routes: [
        { prefix: '', uri: `sip:${A}`, maxCalls: 1 },
        { prefix: '', uri: `sip:${B}` },
      ],
    });
    first.clear();
    await dial('+49301235');
    expect([first.log.includes('INVITE'), second.log.includes('INVITE')]).toEqual([false, true]);
    rig.engine.configure({ users: [], routes: [] });
    const legId = await dial('+49301236');
    expect(rig.types(legId)).toEqual(['ended']);
    expect(first.log).not.toContain('BYE');
  });

  it('registers routes when added, and unregisters them when removed', async () => {
    await open();
    const carrier = rig.far(5060, A);
    const route = { prefix: '', uri: `sip:${A}`, username: 'us', password: 'secret', register: true };
    rig.engine.configure({ users: [], routes: [route] });
    await rig.settle();
    expect(rig.engine.registrations()).toEqual({ wanted: 1, registered: 0 });
    carrier.reply(carrier.request('REGISTER'), 200, { headers: ['Expires: 600'] });
    await rig.settle();
    expect(rig.engine.registrations()).toEqual({ wanted: 1, registered: 1 });

    rig.engine.configure({ users: [], routes: [route, { prefix: '+1', uri: `sip:${B}` }] });
    expect(rig.engine.registrations()).toEqual({ wanted: 1, registered: 1 });
    carrier.clear();
    rig.engine.configure({ users: [], routes: [] });
    await rig.settle();
    expect(headerOf(carrier.request('REGISTER'), 'expires')).toBe('0');
    carrier.reply(carrier.request('REGISTER'), 200);
    await rig.settle();
    expect(rig.engine.registrations()).toEqual({ wanted: 0, registered: 0 });
  });

  it('are sent OPTIONS from when they are added until they are removed', async () => {
    await open();
    const carrier = rig.far(5060, A);
    rig.engine.configure({ users: [], routes: [{ prefix: '', uri: `sip:${A}`, keepaliveMs: 30_000 }] });
    await rig.settle();
    carrier.reply(carrier.request('OPTIONS'), 200);
    await rig.settle();
    carrier.clear();
    await rig.clock.advance(31_000);
    expect(carrier.log).toContain('OPTIONS');
    carrier.reply(carrier.request('OPTIONS'), 200);
    await rig.settle();
    rig.engine.configure({ users: [], routes: [] });
    carrier.clear();
    await rig.clock.advance(120_000);
    expect(carrier.log).toEqual([]);
  });

  it('identifies the address of a carrier while it is configured', async () => {
    await open({ acceptFrom: ['203.0.113.0/24'] });
    const carrier = rig.far(5060, A);
    const call = async (callId: string) => {
      const before = rig.incoming.length;
      new CallIn(carrier, { callId }).invite();
      await rig.settle();
      return rig.incoming.length > before;
    };
    expect(await call('one')).toBe(false);
    rig.engine.configure({ users: [], routes: [{ prefix: '', uri: `sip:${A}` }] });
    await rig.settle();
    expect(await call('two')).toBe(true);
    rig.engine.configure({ users: [], routes: [] });
    expect(await call('three')).toBe(false);
  });
});
