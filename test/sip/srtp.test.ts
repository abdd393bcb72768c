/** SRTP as descriptions negotiate it: when it is offered and taken, and whose keys the media gets. */
import { afterEach, describe, expect, it } from 'vitest';
import { readCrypto, type SrtpPolicy } from '../../src/telephony/sip/srtp-sdp.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

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

  const offered = async (srtp: SrtpPolicy, body: string) => {
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
    return far.response(200).body.toString();
  };
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
  ])('where SRTP is %s, of %s sound is answered rightly', async (srtp, _what, body, expected) => {
    expect(lines(await offered(srtp, body))).toEqual(expected);
  });

  it('that is secure has both keys at the media, and ours in the answer, under its tag', async () => {
    const answer = await offered('optional', SECURE);
    const [, tag, key] = /^a=crypto:(\d+) AES_CM_128_HMAC_SHA1_80 inline:(\S{40})\r$/m.exec(answer!)!;
    const { srtp } = rig.media.remote('leg-1')!;
    expect(tag).toBe('3');
    expect(Buffer.from(srtp!.remote)).toEqual(KEY);
    expect(Buffer.from(srtp!.local).toString('base64')).toBe(key);
    expect(key).not.toBe(KEY.toString('base64'));
    expect(JSON.stringify(rig.logged)).not.toContain(key);
  });

  it('of ours goes on being secure, with the same key', async () => {
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

describe('a call of ours', () => {
  it.each<[SrtpPolicy, string]>([
    ['off', 'RTP/AVP'],
    ['optional', 'RTP/AVP'],
    ['required', 'RTP/SAVP'],
  ])('where SRTP is %s offers %s', async (srtp, protocol) => {
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

describe('a crypto line', () => {
  const suite = 'AES_CM_128_HMAC_SHA1_80';
  it.each([
    [{ id: 1, suite, config: INLINE }, 1],
    [{ id: 9, suite, config: `${INLINE}|1048576` }, 9],
    [{ id: 1, suite, config: INLINE, sessionConfig: 'WSH=128' }, 1],
    [{ id: 1, suite, config: `${INLINE}|2^20|1:4` }, undefined],
    [{ id: 1, suite, config: `${INLINE};${INLINE}` }, undefined],
    [{ id: 1, suite, config: INLINE, sessionConfig: 'UNENCRYPTED_SRTP' }, undefined],
    [{ id: 1, suite, config: 'inline:short' }, undefined],
    [{ id: 1, suite: 'AES_CM_128_HMAC_SHA1_32', config: INLINE }, undefined],
    [{ id: 'x', suite, config: INLINE }, undefined],
    [{}, undefined],
  ])('%j is read as %s', (line, tag) => {
    expect(readCrypto([line])?.tag).toBe(tag);
  });

  it('that we can take is found among others', () => {
    const lines = [
      { id: 1, suite: 'AES_256_CM_HMAC_SHA1_80', config: INLINE },
      { id: 2, suite, config: INLINE },
    ];
    expect(readCrypto(lines)).toEqual({ tag: 2, key: new Uint8Array(KEY) });
  });
});
