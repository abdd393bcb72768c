import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestResponse } from '../../src/media/telephony/sip/auth.ts';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf, listOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig, SDP } from './rig.ts';

const ALICE = { name: 'alice', password: 'wonderland' };

describe('digest', () => {
  // RFC 7616 §3.9.1
  const example = {
    username: 'Mufasa',
    realm: 'http-auth@example.org',
    password: 'Circle of Life',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    qop: { nc: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
  };
  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const)("%s equals the RFC's example", (algorithm, response) => {
    expect(digestResponse({ ...example, algorithm })).toBe(response);
  });
});

describe('configured users', () => {
  let rig: Rig;
  let far: FarEnd;
  let cseq: number;
  let sent: number;
  beforeEach(async () => {
    await open();
    cseq = 0;
    sent = 0;
  });
  afterEach(() => rig.finish());

  const open = async (options: SipEngineOptions = {}) => {
    rig = await new Rig({ users: [ALICE, { name: 'bob', password: 'builder' }], ...options }).start();
    far = rig.far();
  };
  interface Challenge {
    nonce: string;
    realm: string;
  }
  const lastChallenge = (): Challenge => {
    const line = headerOf(far.response(401), 'www-authenticate')!;
    return { nonce: /nonce="([^"]+)"/.exec(line)![1]!, realm: /realm="([^"]+)"/.exec(line)![1]! };
  };
  const proof = (
    challenge: Challenge,
    {
      method = 'REGISTER',
      uri = 'sip:192.0.2.1',
      username = ALICE.name,
      password = ALICE.password,
      nc = '00000001' as string | undefined,
      algorithm = 'MD5',
    } = {},
  ) => {
    const h = (text: string) =>
      createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
        .update(text)
        .digest('hex');
    const a1 = h(`${username}:${challenge.realm}:${password}`);
    const a2 = h(`${method}:${uri}`);
    const qop = nc === undefined ? '' : `, qop=auth, nc=${nc}, cnonce="c"`;
    const response = h(
      nc === undefined ? `${a1}:${challenge.nonce}:${a2}` : `${a1}:${challenge.nonce}:${nc}:c:auth:${a2}`,
    );
    return `Authorization: Digest username="${username}", realm="${challenge.realm}", nonce="${challenge.nonce}", uri="${uri}", response="${response}", algorithm=${algorithm}${qop}`;
  };
  const register = async (headers: readonly string[], { user = 'alice', callId = 'reg' } = {}) => {
    cseq++;
    far.send([
      'REGISTER sip:192.0.2.1 SIP/2.0',
      `Via: SIP/2.0/UDP ${PHONE_HOST}:5062;branch=z9hG4bKreg${++sent};rport`,
      `From: <sip:${user}@192.0.2.1>;tag=r`,
      `To: <sip:${user}@192.0.2.1>`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} REGISTER`,
      ...headers,
    ]);
    await rig.settle();
    return far.log.at(-1);
  };
  const challenged = async () => {
    await register([]);
    return lastChallenge();
  };
  const CONTACT = 'Contact: <sip:alice@192.0.2.50:5062>';
  const registered = async (...headers: string[]) => register([proof(await challenged()), ...headers]);
  const contacts = () => listOf(far.response(200), 'contact');

  it('are challenged with MD5 alone by default, because many phones fail on more', async () => {
    expect(await register([CONTACT])).toBe('401 REGISTER');
    const lines = far.response(401).headers['www-authenticate']!;
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/algorithm=MD5, qop="auth"$/);
    expect(await register([proof(lastChallenge(), { algorithm: 'SHA-256' }), CONTACT])).toBe('401 REGISTER');
  });

  it('are challenged by several algorithms, in order and with one nonce, where the configuration says so', async () => {
    await rig.finish();
    await open({ digestAlgorithms: ['SHA-256', 'MD5'] });
    await register([CONTACT]);
    const lines = far.response(401).headers['www-authenticate']!;
    expect(lines.map((line) => /algorithm=([\w-]+)/.exec(line)?.[1])).toEqual(['SHA-256', 'MD5']);
    expect(new Set(lines.map((line) => /nonce="([^"]+)"/.exec(line)?.[1])).size).toBe(1);
    for (const algorithm of ['SHA-256', 'MD5']) {
      expect(await register([proof(await challenged(), { algorithm }), CONTACT])).toBe('200 REGISTER');
    }
    expect(contacts()).toEqual(['<sip:alice@192.0.2.50:5062>;expires=3600']);
  });

  it('lists the phone of a user from its first REGISTER until it leaves', async () => {
    expect(rig.engine.phonesOf('alice')).toEqual([]);
    await registered(CONTACT);
    const [first] = rig.engine.phonesOf('alice');
    expect(first).toMatchObject({ transport: 'udp', host: PHONE_HOST, port: 5062, leftMs: 3_600_000 });
    await rig.advance(1_000_000);
    await registered(CONTACT);
    expect(rig.engine.phonesOf('alice')).toEqual([first]);
    await registered('Contact: *', 'Expires: 0');
    expect(rig.engine.phonesOf('alice')).toEqual([]);
  });

  it('accepts one REGISTER for each nonce without quality of protection', async () => {
    const challenge = await challenged();
    expect(await register([proof(challenge, { nc: undefined }), CONTACT])).toBe('200 REGISTER');
    expect(await register([proof(challenge, { nc: undefined }), CONTACT])).toBe('401 REGISTER');
    expect(headerOf(far.response(401), 'www-authenticate')).toContain('stale=true');
  });

  it.each([
    ['a wrong password', { password: 'x' }, '403 REGISTER'],
    ['an unknown user', { username: 'eve' }, '403 REGISTER'],
    ['another user', { username: 'bob', password: 'builder' }, '403 REGISTER'],
    ['an answer for another request', { uri: 'sip:elsewhere' }, '401 REGISTER'],
    ['an answer for another method', { method: 'INVITE' }, '403 REGISTER'],
    ['a nonce-count of none', { nc: '00000000' }, '401 REGISTER'],
  ])('are refused for %s', async (_what, wrong, answer) => {
    expect(await register([proof(await challenged(), wrong), CONTACT])).toBe(answer);
  });

  it('are challenged again for a nonce that is not ours', async () => {
    await challenged();
    expect(await register([proof({ nonce: 'abc.def.ghi', realm: 'callweave' }), CONTACT])).toBe('401 REGISTER');
    expect(headerOf(far.response(401), 'www-authenticate')).not.toContain('stale');
  });

  it('accepts a nonce again with growing counts, and no count twice', async () => {
    const challenge = await challenged();
    expect(await register([proof(challenge, { nc: '00000001' }), CONTACT])).toBe('200 REGISTER');
    expect(await register([proof(challenge, { nc: '00000003' }), CONTACT])).toBe('200 REGISTER');
    expect(await register([proof(challenge, { nc: '00000003' }), CONTACT])).toBe('401 REGISTER');
    expect(await register([proof(challenge, { nc: '00000002' }), CONTACT])).toBe('401 REGISTER');
  });

  it.each([0, -3_600_000, 3_600_000])(
    'answers `stale` to a nonce after five minutes, even if the clock is set by %i ms',
    async (byMs) => {
      const young = await challenged();
      rig.clock.setWallClock(byMs);
      expect(await register([proof(young), CONTACT])).toBe('200 REGISTER');
      const challenge = await challenged();
      rig.clock.setWallClock(-byMs);
      await rig.advance(300_001);
      expect(await register([proof(challenge), CONTACT])).toBe('401 REGISTER');
      expect(headerOf(far.response(401), 'www-authenticate')).toContain('stale=true');
    },
  );

  it('are ignored for a minute after too many guesses: for one user, then entirely', async () => {
    const guess = async (username: string) => register([proof(await challenged(), { username, password: 'x' })]);
    for (let times = 0; times < 10; times++) expect(await guess('alice')).toBe('403 REGISTER');
    far.clear();
    await guess('alice');
    expect(far.log).toEqual(['401 REGISTER']);
    expect(await guess('bob')).toBe('403 REGISTER');
    for (const username of ['bob', 'carol', 'dave']) for (let times = 0; times < 8; times++) await guess(username);
    far.clear();
    await register([]);
    expect(far.log).toEqual([]);
    await rig.advance(60_000);
    expect(await register([])).toBe('401 REGISTER');
  });

  describe('are registered', () => {
    it('expires registrations with their contact', async () => {
      await registered(CONTACT, 'Expires: 120');
      await rig.advance(100_000);
      await registered();
      expect(contacts()).toEqual(['<sip:alice@192.0.2.50:5062>;expires=20']);
      await rig.advance(20_000);
      await registered();
      expect(contacts()).toEqual([]);
    });
    it('keeps several contacts, each with its expiry, until one or all are removed', async () => {
      await registered('Contact: <sip:a@192.0.2.51>;expires=90, "B" <sip:b@192.0.2.52>', 'Expires: 200');
      expect(contacts()).toEqual(['<sip:b@192.0.2.52>;expires=200', '<sip:a@192.0.2.51>;expires=90']);
      await registered('Contact: <sip:a@192.0.2.51>;expires=0');
      expect(contacts()).toEqual(['<sip:b@192.0.2.52>;expires=200']);
      await registered('Contact: *', 'Expires: 0');
      await registered();
      expect(contacts()).toEqual([]);
    });
    it('limits the expiry to between a minute and an hour', async () => {
      await registered(CONTACT, 'Expires: 99999999999');
      expect(contacts()).toEqual(['<sip:alice@192.0.2.50:5062>;expires=3600']);
      expect(await registered(CONTACT, 'Expires: 30')).toBe('423 REGISTER');
      expect(headerOf(far.response(423), 'min-expires')).toBe('60');
    });
    // RFC 5626 §6, fixture 25
    it('keeps one contact for each flow of an instance, whatever its port', async () => {
      const outbound = (port: number, flow: number, more = '') =>
        `Contact: <sip:alice@192.0.2.50:${port};ob>;+sip.instance="<urn:uuid:0-1>";reg-id=${flow}${more}`;
      await registered(outbound(5071, 1), 'Supported: outbound, path');
      await registered(outbound(5072, 1), 'Supported: outbound, path');
      expect(contacts()).toEqual(['<sip:alice@192.0.2.50:5072;ob>;expires=3600']);
      await registered(outbound(5073, 2));
      await registered('Contact: <sip:alice@192.0.2.50:5074>;+sip.instance="<urn:uuid:0-1>"');
      expect(contacts()).toHaveLength(3);
      await registered(outbound(5072, 1, ';expires=0'));
      expect(contacts()).toHaveLength(2);
    });
    it('keeps ten contacts at most', async () => {
      const many = Array.from({ length: 14 }, (_, index) => `<sip:c${index}@192.0.2.50>`);
      await registered(`Contact: ${many.join(', ')}`);
      expect(contacts()).toHaveLength(10);
    });
    it('rejects a `*` with an expiry', async () => {
      expect(await registered('Contact: *', 'Expires: 60')).toBe('400 REGISTER');
    });
    it('ignores a REGISTER that was overtaken', async () => {
      await registered(CONTACT);
      const challenge = await challenged();
      cseq = 0;
      expect(await register([proof(challenge), CONTACT])).toBe('500 REGISTER');
    });
  });

  it('are called at the source of their registration, whatever their Contact', async () => {
    await registered('Contact: <sip:alice@10.0.0.7:5060>');
    rig.engine.dial({ legId: 'out', from: '100', to: 'user:alice', ringTimeoutMs: 10_000 });
    await rig.settle();
    const invite = far.request('INVITE');
    expect(invite.uri.text).toBe('sip:alice@10.0.0.7:5060');
    far.reply(invite, 200, { body: SDP, headers: [] });
    await rig.settle();
    expect(far.log.at(-1)).toBe('ACK');
    rig.engine.send('out', { type: 'hangup', cause: 16 });
    await rig.settle();
    far.reply(far.request('BYE'), 200);
    await rig.advance(3_600_000);
    rig.engine.dial({ legId: 'later', from: '100', to: 'user:alice', ringTimeoutMs: 10_000 });
    await rig.settle();
    expect(rig.event('ended', 'later').cause).toEqual({ code: 20, reason: 'Subscriber Absent' });
  });

  describe('call', () => {
    const URI = 'sip:100@192.0.2.1';
    const call = (user: string, callId: string) => new CallIn(far, { from: `<sip:${user}@192.0.2.1>;tag=x`, callId });

    it('accepts calls after a digest proof', async () => {
      const first = call('alice', 'auth-1');
      first.invite();
      await rig.settle();
      expect(far.log.at(-1)).toBe('401 INVITE');
      const challenge = lastChallenge();
      first.ackRefusal(401);
      const second = call('alice', 'auth-1');
      second.inviteCseq = 2;
      second.request('INVITE', { cseq: 2, body: SDP, headers: [proof(challenge, { method: 'INVITE', uri: URI })] });
      await rig.settle();
      expect(rig.incoming).toMatchObject([{ from: 'alice', user: 'alice' }]);
    });

    it('are refused as another user', async () => {
      const bob = call('bob', 'auth-2');
      bob.invite();
      await rig.settle();
      const challenge = lastChallenge();
      bob.ackRefusal(401);
      const again = call('bob', 'auth-3');
      again.request('INVITE', { body: SDP, headers: [proof(challenge, { method: 'INVITE', uri: URI })] });
      await rig.settle();
      expect(far.log.at(-1)).toBe('403 INVITE');
      expect(rig.incoming).toEqual([]);
    });

    it.each(['ALICE', '%41lice', 'alice%00', 'al%0d%0aice', 'alice%20', 'alice:password', '%EF%BD%81lice'])(
      'are refused under a name that only looks like theirs: %s',
      async (name) => {
        call(name, 'auth-5').invite();
        await rig.settle();
        expect(far.log.at(-1)).toBe('401 INVITE');
        expect(rig.incoming).toEqual([]);
      },
    );

    describe('an unknown number', () => {
      beforeEach(() => {
        rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'reject', sipStatus: 404 });
      });

      it.each(['alice', 'stranger', '102'])('does not reveal to %s which users exist', async (name) => {
        const first = call(name, 'auth-6');
        first.invite();
        await rig.settle();
        expect(far.log.at(-1)).toBe('401 INVITE');
        const challenge = lastChallenge();
        first.ackRefusal(401);
        const wrong = proof(challenge, { username: name, password: 'guessed', method: 'INVITE', uri: URI });
        call(name, 'auth-7').request('INVITE', { body: SDP, headers: [wrong] });
        await rig.settle();
        expect(far.log.at(-1)).toBe('403 INVITE');
      });

      it('is answered with 404 after authentication', async () => {
        call('alice', 'auth-8').invite();
        await rig.settle();
        const right = proof(lastChallenge(), { method: 'INVITE', uri: URI });
        call('alice', 'auth-9').request('INVITE', { body: SDP, headers: [right] });
        await rig.settle();
        expect(far.log.at(-1)).toBe('404 INVITE');
      });
    });

    it('is answered without authentication for unknown callers', async () => {
      call('stranger', 'auth-4').invite();
      await rig.settle();
      expect(rig.incoming).toHaveLength(1);
      expect(rig.incoming[0]).not.toHaveProperty('user');
    });
  });
});
