/** Forged source addresses of datagrams block neither carriers, nor phones, nor unknown callers. */
import { afterEach, describe, expect, it } from 'vitest';
import { digestResponse } from '../../src/media/telephony/sip/auth.ts';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, ENGINE_HOST, type FarEnd, PHONE_HOST, Rig, SDP } from '../sip/rig.ts';

const ALICE = { name: 'alice', password: 'wonderland' };
const CARRIER_HOST = '192.0.2.77';
const ATTACKER_HOST = '198.51.100.66';
const URI = `sip:alice@${ENGINE_HOST}`;
const OPTIONS: SipEngineOptions = {
  users: [ALICE, { name: 'bob', password: 'builder' }],
  routes: [{ prefix: '+', uri: `sip:${CARRIER_HOST}` }],
};

let rig: Rig;
afterEach(() => rig.finish());

const open = async (options: SipEngineOptions = OPTIONS): Promise<void> => {
  rig = await new Rig(options).start();
  await rig.settle();
  rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'reject', sipStatus: 486 });
};

let calls = 0;

/** Requests a nonce; the answer goes to `far`, whoever sent the request. */
const nonceFor = async (far: FarEnd): Promise<string> => {
  new CallIn(far, { from: `<sip:alice@x>;tag=n${++calls}`, to: 'alice' }).request('REGISTER');
  await rig.settle();
  return nonceOf(far);
};
const nonceOf = (far: FarEnd): string =>
  /nonce="([^"]+)"/.exec(headerOf(far.response(401), 'www-authenticate') ?? '')?.[1] ?? '';
const staleOf = (far: FarEnd): boolean => headerOf(far.response(401), 'www-authenticate')!.includes('stale=true');

const proof = (nonce: string, { username = 'alice', password = 'x', method = 'REGISTER', uri = URI } = {}): string => {
  const said = { algorithm: 'MD5', username, password, realm: 'callweave', nonce, method, uri } as const;
  const response = digestResponse({ ...said, qop: { nc: '00000001', cnonce: 'c' } });
  return `Authorization: Digest username="${username}", realm="callweave", nonce="${nonce}", uri="${uri}", response="${response}", qop=auth, nc=00000001, cnonce="c"`;
};

/** Guess sent from the address of `far`, which gets the answer: the forger does not see it. */
const guess = (far: FarEnd, nonce: string, as: Parameters<typeof proof>[1] = {}): void => {
  const words = { from: `<sip:alice@x>;tag=g${++calls}`, to: 'alice' };
  new CallIn(far, words).request('REGISTER', { headers: [proof(nonce, as)] });
};

/** A call of alice's phone, with her password; returns its answer. */
const callsAsAlice = async (far: FarEnd): Promise<string | undefined> => {
  const words = { from: `<sip:alice@x>;tag=c${++calls}` };
  const first = new CallIn(far, words);
  first.invite();
  await rig.settle();
  const nonce = nonceOf(far);
  first.ackRefusal(401);
  const headers = [proof(nonce, { password: ALICE.password, method: 'INVITE', uri: first.uri })];
  new CallIn(far, words).invite({ headers, body: SDP });
  await rig.settle();
  return far.log.at(-1);
};

const callsAsStranger = async (far: FarEnd): Promise<string | undefined> => {
  new CallIn(far, { from: '<sip:+49301234@x>;tag=s' }).invite();
  await rig.settle();
  return far.log.at(-1);
};

describe('forged guesses at passwords', () => {
  it('are not counted against a carrier; a real source of guesses is blocked', async () => {
    await open();
    const [carrier, attacker] = [rig.far(5060, CARRIER_HOST), rig.far(5060, ATTACKER_HOST)];
    for (let minute = 0; minute < 3; minute++) {
      const nonce = await nonceFor(attacker);
      for (let times = 0; times < 40; times++) guess(carrier, nonce, { username: `user${times % 5}` });
      await rig.settle();
      expect(await callsAsStranger(carrier)).toBe('486 INVITE');
      await rig.advance(20_000);
    }
    const nonce = await nonceFor(attacker);
    for (let times = 0; times < 30; times++) guess(attacker, nonce, { username: `user${times % 5}` });
    await rig.settle();
    attacker.clear();
    expect([await callsAsStranger(attacker), await callsAsStranger(carrier)]).toEqual([undefined, '486 INVITE']);
    await rig.advance(60_000);
    expect(await callsAsStranger(attacker)).toBe('486 INVITE');
  });

  it.each([
    ['a registered phone', true],
    ['a phone that only calls', false],
  ])('are not counted against %s, from any forged port', async (_who, registers) => {
    await open();
    const [phone, attacker] = [rig.far(), rig.far(5060, ATTACKER_HOST)];
    if (registers) await rig.register(phone, ALICE, `<sip:alice@${PHONE_HOST}:5062>`);
    const nonce = await nonceFor(attacker);
    for (const place of [phone, rig.far(5063), rig.far(5064)]) {
      for (let times = 0; times < 40; times++) guess(place, nonce, { username: times % 2 ? 'alice' : 'bob' });
    }
    await rig.settle();
    expect(await callsAsAlice(phone)).toBe('486 INVITE');
    expect(rig.incoming).toMatchObject([{ user: 'alice' }]);
  });

  it('are answered without revealing whether the password is right', async () => {
    await open();
    const [attacker, other] = [rig.far(5060, ATTACKER_HOST), rig.far(5060, '198.51.100.67')];
    const nonce = await nonceFor(attacker);
    const answers: unknown[] = [];
    for (const password of ['wrong', ALICE.password]) {
      other.clear();
      guess(other, nonce, { password });
      await rig.settle();
      answers.push([other.log, staleOf(other)]);
    }
    expect(answers[0]).toEqual([['401 REGISTER'], true]);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('are challenged with an unknown nonce like those without', async () => {
    await open();
    const attacker = rig.far(5060, ATTACKER_HOST);
    for (let times = 0; times < 40; times++) guess(attacker, `m0x5q2yv.AAAAAA.BBBBBBBB.${'c'.repeat(16)}`);
    await rig.settle();
    expect([new Set(attacker.log), staleOf(attacker)]).toEqual([new Set(['401 REGISTER']), false]);
  });
});

describe('wrong passwords that arrive through a carrier', () => {
  it('are blocked for the guessed users, not for other users of the carrier', async () => {
    await open();
    const carrier = rig.far(5060, CARRIER_HOST);
    const nonce = await nonceFor(carrier);
    for (let times = 0; times < 40; times++) guess(carrier, nonce, { username: times % 2 ? 'bob' : `user${times}` });
    await rig.settle();
    carrier.clear();
    guess(carrier, nonce, { username: 'bob' });
    await rig.settle();
    expect(carrier.log).toEqual([]);
    guess(carrier, await nonceFor(carrier), { password: ALICE.password });
    await rig.settle();
    expect(carrier.log.at(-1)).toBe('200 REGISTER');
  });
});

describe('a phone whose address has changed', () => {
  it('is challenged again, without asking its user, and continues', async () => {
    await open();
    const [before, after] = [rig.far(), rig.far(40_001, '203.0.113.5')];
    const nonce = await nonceFor(before);
    guess(after, nonce, { password: ALICE.password });
    await rig.settle();
    expect([after.log.at(-1), staleOf(after)]).toEqual(['401 REGISTER', true]);
    guess(after, nonceOf(after), { password: ALICE.password });
    await rig.settle();
    expect(after.log.at(-1)).toBe('200 REGISTER');
  });

  it('is not challenged again where only its port has changed', async () => {
    await open();
    const nonce = await nonceFor(rig.far());
    const after = rig.far(40_001);
    guess(after, nonce, { password: ALICE.password });
    await rig.settle();
    expect(after.log).toEqual(['200 REGISTER']);
  });
});

describe('an attacker that shares an address with phones', () => {
  it('is blocked, while a phone that is registered there can call', async () => {
    await open();
    const [phone, guesser] = [rig.far(), rig.far(6666)];
    await rig.register(phone, ALICE, `<sip:alice@${PHONE_HOST}:5062>`);
    const nonce = await nonceFor(guesser);
    for (const username of ['alice', 'bob', 'carol']) {
      for (let times = 0; times < 10; times++) guess(guesser, nonce, { username });
    }
    await rig.settle();
    guesser.clear();
    guess(guesser, nonce);
    await rig.settle();
    expect(guesser.log).toEqual([]);
    expect(await callsAsAlice(phone)).toBe('486 INVITE');
  });

  it('has no additional guesses for a registered phone: other users are not challenged from there', async () => {
    await open();
    const phone = rig.far();
    await rig.register(phone, ALICE, `<sip:alice@${PHONE_HOST}:5062>`);
    const nonce = await nonceFor(phone);
    for (let times = 0; times < 30; times++) guess(phone, nonce, { username: `user${times % 5}` });
    await rig.settle();
    phone.clear();
    guess(phone, nonce, { username: 'bob', password: 'builder' });
    await rig.settle();
    expect(phone.log).toEqual([]);
    expect(await callsAsAlice(phone)).toBe('486 INVITE');
  });
});

describe('forged malformed datagrams', () => {
  it('are answered rarely, and valid messages are still read', async () => {
    await open();
    const [stranger, carrier] = [rig.far(5060, '203.0.113.9'), rig.far(5060, CARRIER_HOST)];
    for (const far of [stranger, carrier]) {
      for (let times = 0; times < 500; times++) {
        far.sendBytes(Buffer.from(`INVITE x SIP/9.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK${times}\r\n\r\n`));
      }
      await rig.settle();
      // A carrier gets an answer to each mistake.
      expect(far.statuses).toHaveLength(far === carrier ? 500 : 20);
      expect(await callsAsStranger(far)).toBe('486 INVITE');
    }
  });
});

describe('forged calls', () => {
  it('are not counted against the call limit of a registered phone', async () => {
    await open({ ...OPTIONS, limits: { invitesPerSecond: 1, inviteBurst: 5 } });
    const phone = rig.far();
    await rig.register(phone, ALICE, `<sip:alice@${PHONE_HOST}:5062>`);
    await rig.advance(1_000);
    for (let times = 0; times < 60; times++) new CallIn(phone, { from: `<sip:+4930${times}@x>;tag=f` }).invite();
    await rig.settle();
    expect(await callsAsAlice(phone)).toBe('486 INVITE');
    expect(rig.incoming.filter(({ user }) => user === 'alice')).toHaveLength(1);
    await rig.advance(40_000);
  });

  it('are not counted against connections from the same address', async () => {
    await open({ ...OPTIONS, limits: { invitesPerSecond: 1, inviteBurst: 5 } });
    const [forged, phone] = [rig.far(), rig.far(40_001, PHONE_HOST, 'tcp')];
    for (let times = 0; times < 60; times++) new CallIn(forged, { from: `<sip:+4930${times}@x>;tag=f` }).invite();
    await rig.settle();
    expect(await callsAsAlice(phone)).toBe('486 INVITE');
    expect(await callsAsStranger(phone)).toBe('486 INVITE');
    await rig.advance(40_000);
  });

  it('are limited for users by their names, from any address', async () => {
    await open({ ...OPTIONS, limits: { invitesPerSecond: 1, inviteBurst: 5 } });
    const answers: (string | undefined)[] = [];
    for (let port = 6000; port < 6008; port++)
      answers.push(await callsAsAlice(rig.far(port, `192.0.2.${port - 5900}`)));
    expect(answers).toEqual([...Array(5).fill('486 INVITE'), ...Array(3).fill('503 INVITE')]);
    await rig.advance(40_000);
  });
});
