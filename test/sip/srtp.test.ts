/** SRTP negotiation: when it is offered and accepted, and which keys the media gets. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SrtpPolicy } from '../../src/media/telephony/sip/srtp-policy.ts';
import { CallIn, type FarEnd, PHONE_HOST, Rig, SDP } from './rig.ts';

const KEY = Buffer.alloc(30, 7);
const INLINE = `inline:${KEY.toString('base64')}`;
const CRYPTO = `a=crypto:3 AES_CM_128_HMAC_SHA1_80 ${INLINE}|2^31`;
const SECURE = SDP.replace('RTP/AVP', 'RTP/SAVP').replace(/$/, `${CRYPTO}\r\n`);
/** Both, for who answers to choose. */
const BOTH = `${SDP}m=audio 4002 RTP/SAVP 8\r\n${CRYPTO}\r\n`;

describe('an offer', () => {
  let rig: Rig;
  let far: FarEnd;
  afterEach(() => rig.finish());

  const offers = async (srtp: SrtpPolicy, body: string): Promise<CallIn | undefined> => {
    rig = await new Rig({ srtp }).start();
    far = rig.far();
    const call = new CallIn(far);
    call.invite({ body });
    await rig.settle();
    if (rig.incoming.length === 0) {
      call.ackRefusal(488);
      return undefined;
    }
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    call.ack();
    await rig.settle();
    return call;
  };
  const offered = async (srtp: SrtpPolicy, body: string) =>
    (await offers(srtp, body)) && far.response(200).body.toString();
  const lines = (answer: string | undefined) => answer?.match(/^m=.*$/gm)?.map((line) => line.slice(2));

  it.each<[SrtpPolicy, string, string, string[] | undefined]>([
    ['off', 'plain', SDP, ['audio 20002 RTP/AVP 8 101']],
    ['off', 'secure', SECURE, undefined],
    ['off', 'both', BOTH, ['audio 20002 RTP/AVP 8 101', 'audio 0 RTP/SAVP 8']],
    ['optional', 'plain', SDP, ['audio 20002 RTP/AVP 8 101']],
    ['optional', 'secure', SECURE, ['audio 20002 RTP/SAVP 8 101']],
    ['optional', 'both', BOTH, ['audio 0 RTP/AVP 8 0 101', 'audio 20002 RTP/SAVP 8']],
    ['required', 'plain', SDP, undefined],
    ['required', 'secure', SECURE, ['audio 20002 RTP/SAVP 8 101']],
    ['required', 'both', BOTH, ['audio 0 RTP/AVP 8 0 101', 'audio 20002 RTP/SAVP 8']],
  ])('has the expected answer if SRTP is %s, with %s audio', async (srtp, _what, body, expected) => {
    expect(lines(await offered(srtp, body))).toEqual(expected);
  });

  it('has both keys at the media, and the local one in the answer, under its tag', async () => {
    const answer = await offered('optional', SECURE);
    const [, tag, key] = /^a=crypto:(\d+) AES_CM_128_HMAC_SHA1_80 inline:(\S{40})\r$/m.exec(answer!)!;
    const { srtp } = rig.media.remote('leg-1')!;
    expect(tag).toBe('3');
    expect(Buffer.from(srtp!.remote)).toEqual(KEY);
    expect(Buffer.from(srtp!.local).toString('base64')).toBe(key);
    expect(key).not.toBe(KEY.toString('base64'));
    expect(JSON.stringify(rig.logged)).not.toContain(key);
  });

  it('gets another key when it is secure again after plain audio, so that no key stream is reused', async () => {
    const keys: string[] = [];
    const call = (await offers('optional', SECURE))!;
    for (const body of [SDP, SECURE, SECURE]) {
      keys.push(Buffer.from(rig.media.remote('leg-1')?.srtp?.local ?? []).toString('base64'));
      call.invite({ body });
      await rig.settle();
      call.ack();
      await rig.settle();
    }
    const [first, plain, second] = keys;
    expect([first!.length, plain, second!.length]).toEqual([40, '', 40]);
    expect(second).not.toBe(first);
    expect(Buffer.from(rig.media.remote('leg-1')!.srtp!.local).toString('base64')).toBe(second);
  });

  it('stays secure with the same key in an offer of the engine', async () => {
    const first = await offered('optional', SECURE);
    rig.engine.send('leg-1', { type: 'hold', music: [] });
    await rig.settle();
    const again = far.request('INVITE').body.toString();
    const key = (text: string) => /inline:\S{40}/.exec(text)?.[0];
    expect([lines(again), key(again)]).toEqual([['audio 20002 RTP/SAVP 0 8 101'], key(first!)]);
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    // An answer that is plain is none.
    expect(rig.event('ended').cause.code).toBe(111);
    far.reply(far.request('BYE'), 200);
  });
});

describe('an outgoing call', () => {
  it.each<[SrtpPolicy, string]>([
    ['off', 'RTP/AVP'],
    ['optional', 'RTP/AVP'],
    ['required', 'RTP/SAVP'],
  ])('offers, if SRTP is %s: %s', async (srtp, protocol) => {
    const rig = await new Rig({ srtp, allowSipUris: ['192.0.2.50'] }).start();
    const far = rig.far();
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 30_000 });
    await rig.settle();
    expect(far.request('INVITE').body.toString()).toContain(`m=audio 20002 ${protocol} 0 8 101`);
    far.reply(far.request('INVITE'), 200, { body: srtp === 'required' ? SECURE : SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(rig.media.remote('leg-1')?.srtp !== undefined).toBe(srtp === 'required');
    await rig.finish();
  });
});

const ALICE = { name: 'alice', password: 'pw' };
const CARRIER = '192.0.2.77';
type Signalling = 'udp' | 'tls';

describe('the policy of one far end', () => {
  let rig: Rig;
  afterEach(() => rig.finish());

  const secure = (sdp: string) => /^m=audio \d+ (\S+)/m.exec(sdp)![1] === 'RTP/SAVP';
  const dialled = async (legId: string, to: string, far: FarEnd): Promise<boolean> => {
    rig.engine.dial({ legId, from: '1', to, ringTimeoutMs: 30_000 });
    await rig.settle();
    return secure(far.request('INVITE').body.toString());
  };

  /** Undefined: nothing is said. */
  it.each<[ofAll: SrtpPolicy | undefined, ofThis: SrtpPolicy | undefined, by: Signalling, offered: boolean]>([
    [undefined, undefined, 'udp', false],
    [undefined, undefined, 'tls', true],
    ['off', undefined, 'tls', false],
    ['optional', undefined, 'tls', true],
    // Keys are sent in the open only to whom it is said of.
    ['optional', undefined, 'udp', false],
    [undefined, 'optional', 'udp', true],
    [undefined, 'required', 'udp', true],
    [undefined, 'off', 'tls', false],
    ['required', 'off', 'tls', false],
    ['off', 'required', 'udp', true],
  ])('decides (default %s, own %s) whether offers by %s are encrypted: %s', async (ofAll, srtp, by, offered) => {
    const said = srtp ? { srtp } : {};
    const route = { prefix: '+', uri: `sip:${CARRIER}:5062`, transport: by, ...said };
    const options = { ...(ofAll ? { srtp: ofAll } : {}), users: [{ ...ALICE, ...said }], routes: [route] };
    rig = await new Rig(options, { hasTls: true }).start();
    const carrier = rig.far(5062, CARRIER, by);
    expect(await dialled('leg-1', '+33612345678', carrier)).toBe(offered);
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    carrier.reply(carrier.request('INVITE'), 487);
    await rig.settle();

    const phone = rig.far(5062, PHONE_HOST, by);
    await rig.register(phone, ALICE, `<sip:alice@${PHONE_HOST}:5062;transport=${by}>`);
    expect(await dialled('leg-2', 'user:alice', phone)).toBe(offered);
  });

  it.each<[of: SrtpPolicy | undefined, by: Signalling, plain: boolean, encrypted: boolean]>([
    [undefined, 'udp', true, false],
    [undefined, 'tls', true, true],
    ['off', 'tls', true, false],
    ['optional', 'udp', true, true],
    ['required', 'udp', false, true],
    ['required', 'tls', false, true],
  ])('decides (%s) which offers by %s are accepted: plain %s, encrypted %s', async (srtp, by, plain, encrypted) => {
    const said = srtp ? { srtp } : {};
    const routes = [{ prefix: '+', uri: `sip:${CARRIER}:5062`, ...said }];
    rig = await new Rig({ users: [{ ...ALICE, ...said }], routes }, { hasTls: true }).start();
    await rig.settle();
    rig.onIncoming = ({ legId }) => queueMicrotask(() => rig.engine.send(legId, { type: 'answer' }));
    const outcome = async (far: FarEnd, body: string, isAlice: boolean): Promise<boolean> => {
      far.clear();
      const from = `<sip:${isAlice ? 'alice' : '+33'}@x>;tag=1`;
      let call = new CallIn(far, { from });
      call.invite({ body });
      await rig.settle();
      if (isAlice) {
        call.ackRefusal(401);
        call = new CallIn(far, { from });
        call.invite({ body, headers: [rig.proof(far, ALICE, 'INVITE', call.uri)] });
        await rig.settle();
      }
      const isTaken = far.log.includes('200 INVITE');
      if (isTaken) call.ack();
      else call.ackRefusal(488);
      await rig.settle();
      return isTaken;
    };
    const [carrier, phone] = [rig.far(5062, CARRIER, by), rig.far(5062, PHONE_HOST, by)];
    for (const [far, isAlice] of [
      [carrier, false],
      [phone, true],
    ] as const) {
      expect([await outcome(far, SDP, isAlice), await outcome(far, SECURE, isAlice)]).toEqual([plain, encrypted]);
    }
  });

  it('follows the strictest route if several use one carrier', async () => {
    const uri = `sip:${CARRIER}:5062`;
    const routes = [
      { prefix: '+33', uri, srtp: 'optional' as const },
      { prefix: '+', uri, srtp: 'required' as const },
    ];
    rig = await new Rig({ routes }).start();
    await rig.settle();
    const far = rig.far(5062, CARRIER);
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    call.ackRefusal(488);
    expect(rig.incoming).toEqual([]);
  });
});

describe('a far end without SRTP', () => {
  let rig: Rig;
  let far: FarEnd;
  afterEach(() => rig.finish());
  const protocols = () =>
    far.inbox.flatMap(({ request }) =>
      request?.method === 'INVITE' ? [/^m=audio \d+ (\S+)/m.exec(request.body.toString())![1]] : [],
    );
  const dial = async (srtp: SrtpPolicy | undefined, more: object = {}) => {
    const route = { prefix: '+', uri: `sip:${CARRIER}:5062`, transport: 'tls' as const, ...(srtp ? { srtp } : {}) };
    rig = await new Rig({ routes: [{ ...route, ...more }] }, { hasTls: true }).start();
    far = rig.far(5062, CARRIER, 'tls');
    rig.engine.dial({ legId: 'leg-1', from: '1', to: '+33612345678', ringTimeoutMs: 30_000 });
    await rig.settle();
  };
  const refuse = async (status: number, headers: string[] = []) => {
    far.reply(far.request('INVITE'), status, { headers });
    await rig.settle();
  };

  it.each([488, 606])('is called again without it after a refusal with %i', async (status) => {
    await dial(undefined);
    await refuse(status);
    expect(protocols()).toEqual(['RTP/SAVP', 'RTP/AVP']);
    expect(far.request('INVITE').body.toString()).not.toContain('crypto');
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(rig.media.remote('leg-1')?.srtp).toBeUndefined();
    expect(rig.logged).toContainEqual(expect.objectContaining({ message: 'sip.srtp_refused' }));
  });

  it('is not called a third time', async () => {
    await dial('optional');
    await refuse(488);
    await refuse(488);
    expect(protocols()).toEqual(['RTP/SAVP', 'RTP/AVP']);
    expect(rig.event('ended')).toMatchObject({ sipStatus: 488 });
  });

  it('authenticates in both attempts', async () => {
    await dial('optional', { username: 'us', password: 'pw' });
    const challenge = 'WWW-Authenticate: Digest realm="them", nonce="n", qop="auth"';
    await refuse(401, [challenge]);
    await refuse(488);
    await refuse(401, [challenge]);
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(protocols()).toEqual(['RTP/SAVP', 'RTP/SAVP', 'RTP/AVP', 'RTP/AVP']);
    expect(rig.types()).toEqual(['answered']);
  });

  it.each<[SrtpPolicy, number]>([
    ['required', 488],
    ['required', 606],
    ['off', 488],
    ['optional', 486],
    ['optional', 603],
  ])('is not called again: SRTP %s, a refusal with %i', async (srtp, status) => {
    await dial(srtp);
    await refuse(status);
    expect(protocols()).toHaveLength(1);
    expect(rig.event('ended')).toMatchObject({ sipStatus: status });
  });

  it.each<SrtpPolicy>(['optional', 'required'])(
    'is hung up if it answers an encrypted offer in plain (%s)',
    async (srtp) => {
      await dial(srtp);
      far.reply(far.request('INVITE'), 200, { body: SDP });
      await rig.settle();
      expect(rig.event('ended').cause.code).toBe(111);
      expect(rig.media.remote('leg-1')).toBeUndefined();
      far.reply(far.request('BYE'), 200);
    },
  );

  it('gets keys over TLS although its Contact has no transport', async () => {
    await dial(undefined);
    const open = rig.far(5062, CARRIER, 'udp');
    far.reply(far.request('INVITE'), 200, { body: SECURE, contact: `<sip:far@${CARRIER}:5062>` });
    await rig.settle();
    far.clear();
    rig.engine.send('leg-1', { type: 'hold', music: [] });
    await rig.settle();
    expect(far.request('INVITE').body.toString()).toContain('a=crypto:');
    expect(open.log).not.toContain('INVITE');
    far.reply(far.request('INVITE'), 200, { body: SECURE, contact: `<sip:far@${CARRIER}:5062>` });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    open.reply(open.request('BYE'), 200);
  });

  it.each<[SrtpPolicy, string]>([
    ['optional', '200 INVITE'],
    ['required', '488 INVITE'],
  ])('accepts it later if SRTP is %s: %s', async (srtp, answer) => {
    await dial(srtp);
    far.reply(far.request('INVITE'), 200, { body: SECURE });
    await rig.settle();
    const invite = far.request('INVITE');
    far.clear();
    far.send(
      [
        `INVITE sip:callweave@192.0.2.1:5060;transport=tls SIP/2.0`,
        `Via: SIP/2.0/TLS ${CARRIER}:5062;branch=z9hG4bK-again`,
        `From: ${invite.headers['to']![0]};tag=far`,
        `To: ${invite.headers['from']![0]}`,
        `Call-ID: ${invite.callId}`,
        'CSeq: 1 INVITE',
        `Contact: <sip:far@${CARRIER}:5062;transport=tls>`,
        'Max-Forwards: 70',
        'Content-Type: application/sdp',
      ],
      SDP,
    );
    await rig.settle();
    expect(far.log).toEqual([answer]);
  });
});

describe('phones of one user', () => {
  it('are called with offers by their own policies, and answers are read accordingly', async () => {
    const rig = await new Rig({ users: [ALICE] }, { hasTls: true }).start();
    const [open, encrypted] = [rig.far(5062, PHONE_HOST, 'udp'), rig.far(5064, '192.0.2.51', 'tls')];
    await rig.register(encrypted, ALICE, '<sip:alice@192.0.2.51:5064;transport=tls>');
    await rig.register(open, ALICE, `<sip:alice@${PHONE_HOST}:5062>`);
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'user:alice', ringTimeoutMs: 30_000 });
    await rig.settle();
    const offers = [encrypted, open].map((far) => far.request('INVITE').body.toString());
    expect(offers.map((offer) => offer.includes('RTP/SAVP'))).toEqual([true, false]);
    encrypted.reply(encrypted.request('INVITE'), 200, { body: SECURE });
    await rig.settle();
    expect(rig.media.remote('leg-1')?.srtp).toBeDefined();
    // Later offers of the service follow the SRTP policy of the phone that answered.
    rig.engine.send('leg-1', { type: 'hold', music: [] });
    await rig.settle();
    expect(encrypted.request('INVITE').body.toString()).toContain('RTP/SAVP');
    open.reply(open.request('INVITE'), 487);
    await rig.finish();
  });
});
