/** REFER: phones sent elsewhere, and phones that ask for a transfer. Phones that take a call over. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestResponse } from '../../src/media/telephony/sip/auth.ts';
import type { SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type CallWords, type FarEnd, Rig, SDP } from './rig.ts';

const ALICE = { name: 'alice', password: 'secret' };
const BOB = { name: 'bob', password: 'hush' };

let rig: Rig;
let far: FarEnd;
let call: CallIn;

const open = async (options: SipEngineOptions = {}, words: CallWords = { from: '<sip:carol@x>;tag=c' }) => {
  rig = await new Rig({ allowSipUris: ['friends.example'], users: [ALICE, BOB], ...options }).start();
  far = rig.far();
  call = await rig.connected(far, words);
  far.clear();
};
afterEach(() => rig.finish());

/** An INVITE of a user, with the password. */
const proven = async (
  from: FarEnd,
  { name, password }: typeof ALICE,
  { headers = [] as readonly string[], body = SDP } = {},
) => {
  const invite = new CallIn(from, { from: `<sip:${name}@x>;tag=${name}` });
  invite.invite({ headers, body });
  await rig.settle();
  const challenge = headerOf(from.response(401), 'www-authenticate')!;
  invite.request('ACK', { cseq: invite.inviteCseq, branch: invite.inviteBranch });
  const nonce = /nonce="([^"]+)"/.exec(challenge)![1]!;
  const said = { username: name, password, realm: 'callweave', nonce, uri: invite.uri, algorithm: 'MD5' } as const;
  const response = digestResponse({ ...said, method: 'INVITE', qop: { nc: '00000001', cnonce: 'c' } });
  const proof = `username="${name}", realm="callweave", nonce="${nonce}", uri="${invite.uri}", response="${response}"`;
  from.clear();
  invite.invite({
    headers: [...headers, `Authorization: Digest ${proof}, qop=auth, nc=00000001, cnonce="c"`],
    body,
  });
  await rig.settle();
  return invite;
};

describe('a REFER to a phone', () => {
  beforeEach(() => open());

  const refer = async (to = '+49301234', replacesLegId?: string) => {
    rig.engine.send('leg-1', { type: 'refer', referId: 'r', to, ...(replacesLegId ? { replacesLegId } : {}) });
    await rig.settle();
  };
  const notify = async (status: string, state = 'active;expires=60', { event = 'refer', body = '' } = {}) => {
    const type = 'Content-Type: message/sipfrag;version=2.0';
    call.request('NOTIFY', {
      headers: [`Event: ${event}`, `Subscription-State: ${state}`, type],
      body: body || `SIP/2.0 ${status}\r\n`,
    });
    await rig.settle();
  };
  const ended = () => rig.events.flatMap((event) => (event.type === 'refer_ended' ? [event.sipStatus] : []));

  it.each([
    ['+49 30 1234', '<sip:+49301234@192.0.2.1:5060>'],
    ['user:bob', '<sip:bob@192.0.2.1:5060>'],
    ['sip:dave@friends.example', '<sip:dave@friends.example>'],
    ['sips:dave@elsewhere.example:5099', '<sips:dave@elsewhere.example:5099>'],
  ])('names %s as %s', async (to, referTo) => {
    await refer(to);
    const request = far.request('REFER');
    expect([headerOf(request, 'refer-to'), headerOf(request, 'referred-by')]).toEqual([referTo, '<sip:100@192.0.2.1>']);
    far.reply(request, 202);
  });

  it.each(['user:nobody', 'nonsense', 'sip:x@y?Replaces=z', 'http://x', ''])('does not name %j', async (to) => {
    await refer(to);
    expect([far.log, ended()]).toEqual([[], [404]]);
  });

  it('reports progress and result', async () => {
    await refer();
    far.reply(far.request('REFER'), 202);
    await notify('100 Trying');
    await notify('180 Ringing');
    expect(ended()).toEqual([]);
    await notify('200 OK', 'terminated;reason=noresource');
    expect(ended()).toEqual([200]);
    expect(far.log).toEqual(['REFER', '200 NOTIFY', '200 NOTIFY', '200 NOTIFY']);
    await notify('200 OK', 'terminated');
    expect([far.log.at(-1), ended()]).toEqual(['481 NOTIFY', [200]]);
  });

  it('accepts a NOTIFY before the response', async () => {
    await refer();
    await notify('486 Busy Here', 'terminated');
    far.reply(far.request('REFER'), 202);
    await rig.settle();
    expect(ended()).toEqual([486]);
  });

  it.each([403, 405, 603])('ends as refused with status %i', async (status) => {
    await refer();
    far.reply(far.request('REFER'), status);
    await rig.settle();
    expect([ended(), rig.types()]).toEqual([[status], ['answered', 'refer_ended']]);
  });

  it('ends without an answer, without NOTIFYs, or when they stop', async () => {
    await refer();
    await rig.advance(32_000);
    expect(ended()).toEqual([408]);
    await refer();
    far.reply(far.request('REFER'), 202);
    await rig.advance(180_000);
    expect(ended()).toEqual([408, 408]);
    await refer();
    far.reply(far.request('REFER'), 202);
    await notify('100 Trying', 'terminated;reason=giveup');
    expect(ended()).toEqual([408, 408, 408]);
  });

  it('runs one at a time, identified by its CSeq', async () => {
    await refer();
    const request = far.request('REFER');
    far.reply(request, 202);
    await rig.settle();
    rig.engine.send('leg-1', { type: 'refer', referId: 'second', to: '100' });
    await rig.settle();
    expect(rig.event('refer_ended')).toMatchObject({ referId: 'second', sipStatus: 491 });
    await notify('200 OK', 'active', { event: `refer;id=${request.cseq.number + 7}` });
    expect(far.log.at(-1)).toBe('481 NOTIFY');
    await notify('200 OK', 'active', { event: `refer;id=${request.cseq.number}` });
    expect(ended()).toEqual([491, 200]);
  });

  it.each([
    ['another event', { event: 'presence' }, '489 NOTIFY'],
    ['no status', { body: 'hello' }, '200 NOTIFY'],
  ])('rejects NOTIFYs with %s', async (_what, words, answer) => {
    await refer();
    far.reply(far.request('REFER'), 202);
    await rig.settle();
    await notify('', 'active', words);
    expect([far.log.at(-1), ended()]).toEqual([answer, []]);
  });

  it('has no result if the phone hangs up first', async () => {
    await refer();
    far.reply(far.request('REFER'), 202);
    call.request('BYE');
    await rig.settle();
    expect(rig.types()).toEqual(['answered', 'refer_ended', 'ended']);
    expect(ended()).toEqual([408]);
  });

  it('replaces another leg, with the tags that its far end knows', async () => {
    const other = rig.far(5070);
    const second = await rig.connected(other, { from: '<sip:dave@x>;tag=d', callId: 'other@x' });
    await refer('', 'leg-2');
    const ours = other.response(200, 'INVITE').to.params['tag'];
    expect(headerOf(far.request('REFER'), 'refer-to')).toBe(
      `<sip:alice@192.0.2.50:5070?Replaces=other%40x%3Bto-tag%3Dd%3Bfrom-tag%3D${ours}>`,
    );
    far.reply(far.request('REFER'), 202);
    second.request('BYE');
    await refer('', 'leg-2');
    expect(ended()).toEqual([491]);
  });
});

describe('a REFER from a phone', () => {
  const ask = async (...headers: string[]) => {
    call.request('REFER', { headers });
    await rig.settle();
  };
  const fragments = () =>
    far.inbox.flatMap(({ request }) => {
      if (request?.method !== 'NOTIFY') return [];
      return [`${request.body.toString().trim()} | ${headerOf(request, 'subscription-state')}`];
    });
  const noted = async () => {
    far.reply(far.request('NOTIFY'), 200);
    await rig.settle();
  };
  const progress = async (sipStatus: number) => {
    rig.engine.send('leg-1', { type: 'refer_progress', referId: 'refer-1', sipStatus });
    await rig.settle();
  };

  it('is answered by NOTIFYs, one after the other', async () => {
    await open();
    await ask('Refer-To: <sip:dave@friends.example>', 'Referred-By: "C" <sip:carol@x>');
    expect(rig.event('referred')).toEqual({
      legId: 'leg-1',
      type: 'referred',
      referId: 'refer-1',
      to: 'sip:dave@friends.example',
      referredBy: 'carol',
    });
    expect(far.log).toEqual(['202 REFER', 'NOTIFY']);
    expect(headerOf(far.request('NOTIFY'), 'event')).toMatch(/^refer;id=\d+$/);
    await progress(180);
    await progress(200);
    await progress(486);
    expect(far.log).toEqual(['202 REFER', 'NOTIFY']);
    await noted();
    await noted();
    await noted();
    expect(fragments()).toEqual([
      'SIP/2.0 100 Trying | active;expires=180',
      'SIP/2.0 180 Ringing | active;expires=180',
      'SIP/2.0 200 OK | terminated;reason=noresource',
    ]);
  });

  it('gets its final NOTIFY before the BYE, whatever is unacknowledged', async () => {
    await open();
    await ask('Refer-To: <sip:dave@friends.example>');
    await progress(180);
    await progress(200);
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(far.log).toEqual(['202 REFER', 'NOTIFY', 'NOTIFY', 'BYE']);
    expect(fragments().at(-1)).toBe('SIP/2.0 200 OK | terminated;reason=noresource');
    far.reply(far.request('NOTIFY'), 200);
    far.reply(far.request('BYE'), 200);
    await rig.settle();
    expect(far.log).toHaveLength(4);
  });

  it('gets a final NOTIFY even if the host sends none', async () => {
    await open();
    await ask('Refer-To: sip:dave@friends.example');
    await noted();
    await rig.advance(180_000);
    expect(fragments().at(-1)).toBe('SIP/2.0 408 Request Timeout | terminated;reason=noresource');
    await noted();
  });

  it('gets no NOTIFYs if it does not want them', async () => {
    await open();
    await ask('Refer-To: <sip:dave@friends.example>', 'Refer-Sub: false', 'Require: norefersub');
    expect(headerOf(far.response(202), 'refer-sub')).toBe('false');
    await progress(200);
    expect(far.log).toEqual(['202 REFER']);
  });

  it.each([
    ['<sip:bob@192.0.2.1>', 'user:bob'],
    ['<sip:bob@192.0.2.1:5060;transport=tcp>', 'user:bob'],
    ['<sip:dave@friends.example:5099;maddr=10.0.0.1>', 'sip:dave@friends.example:5099'],
  ])('reads the target %s as %s', async (referTo, to) => {
    await open({ routes: [{ prefix: '', uri: 'sip:192.0.2.90' }] });
    await ask(`Refer-To: ${referTo}`);
    expect(rig.event('referred').to).toBe(to);
    await noted();
  });

  it.each([
    ['<sip:+1900555@192.0.2.1>', 403],
    ['<tel:+1900555>', 403],
    ['<sip:nobody@192.0.2.1>', 404],
    ['<sip:+1900555@evil.example>', 404],
    ['<sip:x@evil.example>', 404],
    ['<sip:friends.example@evil.example>', 404],
    ['<sip:bob@192.0.2.1;method=BYE>', 603],
    ['<sip:x@friends.example?Replaces=nobody%3Bto-tag%3D1%3Bfrom-tag%3D2>', 481],
    ['<sip:x@friends.example?Replaces=%E0%A4%A>', 400],
    ['<sip:bob@192.0.2.1>, <sip:alice@192.0.2.1>', 400],
    ['nonsense<', 400],
  ])('rejects an unknown caller by %s: %i', async (referTo, status) => {
    await open({ routes: [{ prefix: '', uri: 'sip:192.0.2.90' }] });
    await ask(`Refer-To: ${referTo}`);
    expect([far.log, rig.types()]).toEqual([[`${status} REFER`], ['answered']]);
  });

  it('accepts numbers as targets from a user', async () => {
    await open({ routes: [{ prefix: '', uri: 'sip:192.0.2.90' }] });
    const phone = rig.far(5080);
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    const mine = await proven(phone, ALICE);
    mine.ack();
    mine.request('REFER', { headers: ['Refer-To: <sip:+1900555@192.0.2.1>'] });
    await rig.settle();
    expect(rig.event('referred', 'leg-2')).toMatchObject({ to: '+1900555' });
    phone.reply(phone.request('NOTIFY'), 200);
  });

  it('is refused outside a call', async () => {
    await open();
    const stranger = new CallIn(far, { from: '<sip:x@y>;tag=q' });
    stranger.request('REFER', { headers: ['Refer-To: <sip:bob@192.0.2.1>'] });
    await rig.settle();
    expect(far.log).toEqual(['403 REFER']);
  });

  it('names both legs when it replaces another call', async () => {
    await open();
    const second = new CallIn(far, { from: '<sip:carol@x>;tag=consult', callId: 'consult', to: '200' });
    second.invite();
    await rig.settle();
    rig.engine.send('leg-2', { type: 'answer' });
    await rig.settle();
    second.ack();
    await rig.settle();
    const tag = far.response(200, 'INVITE').to.params['tag'];
    far.clear();
    await ask(`Refer-To: <sip:200@192.0.2.1?Replaces=consult%3Bto-tag%3D${tag}%3Bfrom-tag%3Dconsult>`);
    expect(rig.event('referred')).toMatchObject({ to: '200', replacesLegId: 'leg-2' });
    await noted();
  });
});

describe('a phone that takes a call over', () => {
  const named = (extra = '') => {
    const tag = far.response(200, 'INVITE').to.params['tag'];
    return `Replaces: ${call.callId};to-tag=${tag};from-tag=c${extra}`;
  };
  let replaces: string;
  let phone: FarEnd;
  const begin = async (options: SipEngineOptions = {}) => {
    rig = await new Rig({ users: [ALICE, BOB], allowSipUris: ['192.0.2.50'], ...options }).start();
    far = rig.far();
    phone = rig.far(5080);
    call = await rig.connected(far, { from: '<sip:carol@x>;tag=c' });
    replaces = named();
    far.clear();
  };
  const CHANGED = SDP.replace('m=audio 4000', 'm=audio 4400');

  it('continues the leg: the other phone is hung up, without an event', async () => {
    await begin();
    rig.engine.send('leg-1', { type: 'hold', music: [] });
    await rig.settle();
    far.reply(far.request('INVITE'), 200, { body: SDP.replace(/$/, 'a=recvonly\r\n') });
    await rig.settle();
    const other = await proven(phone, BOB, { headers: ['Require: replaces', replaces], body: CHANGED });
    expect(phone.log).toEqual(['200 INVITE']);
    expect(rig.media.remote('leg-1')).toMatchObject({ port: 4400 });
    expect(far.log.at(-1)).toBe('BYE');
    far.reply(far.request('BYE'), 200);
    other.ack();
    await rig.settle();
    expect([rig.types(), rig.incoming.length]).toEqual([['answered'], 1]);
    other.request('BYE');
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ by: 'far' });
  });

  it('gets an offer of the engine if it has none', async () => {
    await begin();
    const other = await proven(phone, ALICE, { headers: [replaces], body: '' });
    other.ack(CHANGED);
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ port: 4400 });
    far.reply(far.request('BYE'), 200);
  });

  it.each([
    ['the wrong tag', () => [replaces.replace('from-tag=c', 'from-tag=x')], 481],
    ['half a name', () => ['Replaces: abc;to-tag=1'], 400],
    ['two names', () => [replaces, replaces], 400],
    ['a wish for calls that only ring', () => [`${replaces};early-only`], 486],
  ])('is refused for %s, and the call continues', async (_what, headers, status) => {
    await begin();
    const other = await proven(phone, BOB, { headers: headers() });
    expect(phone.log).toEqual([`${status} INVITE`]);
    other.ackRefusal(status);
    await rig.settle();
    expect([rig.types(), far.log]).toEqual([['answered'], []]);
  });

  it('has to authenticate, whatever it calls itself', async () => {
    await begin();
    const stranger = new CallIn(phone, { from: '<sip:carol@x>;tag=z' });
    stranger.invite({ headers: [replaces] });
    await rig.settle();
    expect(phone.log).toEqual(['401 INVITE']);
    stranger.ackRefusal(401);
  });

  it('is refused for a call that is being hung up', async () => {
    await begin();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    const other = await proven(phone, BOB, { headers: [replaces] });
    expect(phone.log).toEqual(['603 INVITE']);
    other.ackRefusal(603);
    far.reply(far.request('BYE'), 200);
  });

  it('picks up a call that rings at another phone', async () => {
    await begin();
    const other = rig.far(5090);
    rig.engine.dial({ legId: 'out', from: '100', to: 'sip:dave@192.0.2.50:5090', ringTimeoutMs: 30_000 });
    await rig.settle();
    const invite = other.request('INVITE');
    other.reply(invite, 180, { tag: 'ringing' });
    await rig.settle();
    const pickup = `Replaces: ${invite.callId};to-tag=${invite.from.params['tag']};from-tag=ringing;early-only`;
    const mine = await proven(phone, BOB, { headers: [pickup] });
    expect([phone.log, other.log]).toEqual([['200 INVITE'], ['INVITE', 'CANCEL']]);
    other.reply(other.request('CANCEL'), 200);
    other.reply(invite, 487);
    mine.ack();
    await rig.settle();
    expect(rig.types('out')).toEqual(['ringing', 'answered']);
  });

  it('does not accept an inbound call that has not been answered', async () => {
    await begin();
    const caller = rig.far(5091);
    const ringing = new CallIn(caller, { from: '<sip:dave@x>;tag=d' });
    ringing.invite();
    await rig.settle();
    rig.engine.send('leg-2', { type: 'ring' });
    await rig.settle();
    const tag = caller.response(180).to.params['tag'];
    const mine = await proven(phone, BOB, { headers: [`Replaces: ${ringing.callId};to-tag=${tag};from-tag=d`] });
    expect(phone.log).toEqual(['481 INVITE']);
    mine.ackRefusal(481);
  });
});
