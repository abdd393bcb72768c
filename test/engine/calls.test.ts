/** Reachability, permissions and causes of the end, between whole engines over UDP and TCP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Phone } from './phone.ts';
import { Site } from './site.ts';

const [ONE, OTHER, PHONE] = ['127.0.33.1', '127.0.33.2', '127.0.33.3'] as const;
const ALICE = { name: 'alice', password: 'correct horse' };
let one: Site;
let other: Site;

beforeAll(async () => {
  other = await Site.open({ host: OTHER, allowSipUris: [ONE], users: [ALICE] });
  const { port } = other.engine.address();
  const carrier = { uri: `sip:${OTHER}:${port}`, username: ALICE.name };
  one = await Site.open({
    host: ONE,
    allowSipUris: [OTHER],
    routes: [
      { prefix: '+33', ...carrier, password: ALICE.password },
      { prefix: '+34', ...carrier, password: 'wrong' },
      { prefix: '+351', uri: `sip:${OTHER}:${port}`, transport: 'tcp' },
    ],
  });
});
afterEach(async () => {
  const idle = () => [one, other].every(({ engine }) => engine.counts().legs + engine.counts().sessions === 0);
  await expect.poll(idle, { interval: 5, timeout: 3_000 }).toBe(true);
});
afterAll(async () => {
  await Promise.all([one.engine.stop(), other.engine.stop()]);
});

describe('a call from engine to engine', () => {
  it('informs both sides of caller, callee, answer and the cause of its end', async () => {
    const near = one.dial(other.uri('+33199001122'), { from: '+33612345678' });
    const far = await other.arrival();
    expect(far.arrival).toMatchObject({ from: '+33612345678', to: '+33199001122' });
    expect(far.arrival?.remote).toBe(`udp:${ONE}:${one.engine.address().port}`);
    expect(far.arrival?.user).toBeUndefined();
    far.send({ type: 'ring' });
    await near.until('ringing');
    expect(far.types).toEqual([]);
    far.send({ type: 'answer' });
    await Promise.all([near.until('answered'), far.until('answered')]);
    far.send({ type: 'hangup', cause: 31 });
    expect(await far.until('ended')).toMatchObject({ by: 'near', cause: { code: 31 } });
    expect(await near.until('ended')).toMatchObject({ by: 'far', cause: { code: 31 } });
    expect([near.types, far.types]).toEqual([
      ['ringing', 'answered', 'ended'],
      ['answered', 'ended'],
    ]);
  });

  it.each<[who: string, farEnds: boolean]>([
    ['the caller', false],
    ['the callee', true],
  ])('uses TCP, also for its end by %s', async (_, farEnds) => {
    const [near, far] = await one.call(other, other.uri('+33199001122', 'tcp'));
    expect(far.arrival?.remote).toMatch(/^tcp:/);
    const [ending, ended] = farEnds ? [far, near] : [near, far];
    await ending.hangUp(17);
    expect(await ended.until('ended')).toMatchObject({ by: 'far', cause: { code: 17 } });
  });

  it('goes over TCP where the route says so', async () => {
    const [near, far] = await one.call(other, '+351 21 000 00 00');
    expect(far.arrival).toMatchObject({ to: '+351210000000', remote: expect.stringMatching(/^tcp:/) });
    await near.hangUp();
    await far.until('ended');
  });

  it('allows a cancel while it rings', async () => {
    const near = one.dial(other.uri('+33199001122'));
    const far = await other.arrival();
    far.send({ type: 'ring' });
    await near.until('ringing');
    expect(await near.hangUp(16)).toMatchObject({
      type: 'ended',
      by: 'near',
      cause: { code: 16, reason: 'Normal Clearing' },
    });
    expect(await far.until('ended')).toMatchObject({ by: 'far', cause: { code: 16 }, sipStatus: 487 });
    far.send({ type: 'answer' });
    expect(far.types).toEqual(['ended']);
  });

  it('is cancelled when the callee does not answer in time', async () => {
    const near = one.dial(other.uri('+33199001122'), { ringTimeoutMs: 150 });
    const far = await other.arrival();
    far.send({ type: 'ring' });
    expect(await near.until('ended')).toMatchObject({ by: 'near', cause: { code: 19, reason: 'No Answer' } });
    expect(near.types).toEqual(['ringing', 'ended']);
    expect(await far.until('ended')).toMatchObject({ by: 'far', sipStatus: 487 });
  });

  it.each([
    [400, 41],
    [403, 21],
    [404, 1],
    [408, 102],
    [410, 22],
    [480, 18],
    [484, 28],
    [486, 17],
    [488, 65],
    [500, 41],
    [503, 41],
    [600, 17],
    [603, 21],
  ])('maps a refusal with %i to Q.850 %i', async (sipStatus, code) => {
    const near = one.dial(other.uri('+33199001122'));
    const far = await other.arrival();
    far.send({ type: 'reject', sipStatus });
    expect(await near.until('ended')).toMatchObject({ by: 'far', sipStatus, cause: { code } });
    expect(await far.until('ended')).toMatchObject({ by: 'near', sipStatus, cause: { code } });
    expect([near.types, far.types]).toEqual([['ended'], ['ended']]);
  });

  it.each([
    [16, 21],
    [17, 17],
    [21, 21],
    [1, 1],
    [34, 41],
  ])('maps a hang-up before the answer with Q.850 %i to a status that means %i', async (cause, code) => {
    const near = one.dial(other.uri('+33199001122'));
    const far = await other.arrival();
    far.send({ type: 'hangup', cause });
    expect(await near.until('ended')).toMatchObject({ by: 'far', cause: { code } });
    expect(await far.until('ended')).toMatchObject({ by: 'near', cause: { code: cause } });
  });

  it.each([
    ['a number without a route', '+442071234567'],
    ['a host that is not allowed', 'sip:bob@127.0.33.250'],
    ['something that is no number', 'the office'],
    ['nothing', ''],
    ['a user who never was', 'user:nobody'],
  ])('fails for %s at once, without a packet', async (_, to) => {
    const near = one.dial(to);
    expect(near.events).toEqual([]);
    expect(await near.until('ended')).toMatchObject({ by: 'near', cause: { code: 3 } });
  });
});

describe('users', () => {
  it('authenticates users by digest when they call, and the host receives their name', async () => {
    const near = one.dial('+33199001122', { from: ALICE.name });
    const far = await other.arrival();
    expect(far.arrival).toMatchObject({ user: ALICE.name, from: ALICE.name, to: '+33199001122' });
    far.send({ type: 'answer' });
    await Promise.all([near.until('answered'), far.until('answered')]);
    await near.hangUp();
    await far.until('ended');
  });

  it('refuses users with a wrong password', async () => {
    const near = one.dial('+34600000000', { from: ALICE.name });
    expect(await near.until('ended')).toMatchObject({ by: 'far', sipStatus: 403, cause: { code: 21 } });
    expect(other.waiting).toBe(0);
  });

  it('lets users register, receive and make calls, and unregister', async () => {
    const phone = await Phone.open(PHONE, other.engine.address());
    const register = async (expires: number) => {
      const options = { from: ALICE.name, headers: [`Expires: ${expires}`] };
      phone.send(phone.request('REGISTER', options));
      phone.send(phone.authorized('REGISTER', await phone.next('401 REGISTER'), options, ALICE.password));
      return phone.next('200 REGISTER');
    };
    expect((await register(120)).header('contact')).toContain(`<sip:alice@${phone.place}>`);

    const called = other.dial('user:alice');
    const invite = await phone.next('INVITE');
    expect(invite.text).toMatch(`INVITE sip:alice@${phone.place} SIP/2.0`);
    phone.answer(invite, 180);
    await called.until('ringing');
    phone.answer(invite, 200, { headers: ['Content-Type: application/sdp'], body: phone.sdp() });
    await Promise.all([called.until('answered'), phone.next('ACK')]);
    called.send({ type: 'hangup', cause: 16 });
    phone.answer(await phone.next('BYE'), 200);
    await called.until('ended');

    const options = { from: ALICE.name, headers: ['Content-Type: application/sdp'], body: phone.sdp() };
    phone.send(phone.request('INVITE', options));
    phone.send(phone.authorized('INVITE', await phone.next('401 INVITE'), options, ALICE.password));
    const calling = await other.arrival();
    expect(calling.arrival).toMatchObject({ user: ALICE.name, from: ALICE.name });
    await calling.hangUp(17);
    await phone.next('486 INVITE');

    await register(0);
    expect(await other.dial('user:alice').until('ended')).toMatchObject({ by: 'near', cause: { code: 20 } });
    phone.close();
  });

  it('are not registered with a wrong password', async () => {
    const phone = await Phone.open(PHONE, other.engine.address());
    const options = { from: ALICE.name, headers: ['Expires: 120'] };
    phone.send(phone.request('REGISTER', options));
    phone.send(phone.authorized('REGISTER', await phone.next('401 REGISTER'), options, 'wrong'));
    await phone.next('403 REGISTER');
    expect(await other.dial('user:alice').until('ended')).toMatchObject({ by: 'near' });
    phone.close();
  });
});
