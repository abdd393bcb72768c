import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf, listOf, type SipRequest } from '../../src/media/telephony/sip/message.ts';
import { type FarEnd, Rig, SDP } from './rig.ts';

const RING_MS = 30_000;

describe('an outgoing call', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({
      allowSipUris: ['192.0.2.50', '192.0.2.99'],
      routes: [
        { prefix: '', uri: 'sip:192.0.2.90' },
        { prefix: '+49', uri: 'sip:192.0.2.49:5080' },
        { prefix: '+4930', uri: 'sip:carrier.example.com', username: 'we', password: 'pw' },
        { prefix: '+1', uri: 'sip:192.0.2.10', transport: 'tcp' },
        { prefix: '+2', uri: 'sip:nowhere.example.com' },
      ],
    }).start();
    far = rig.far();
  });
  afterEach(() => rig.finish());

  const dial = async (to = 'sip:bob@192.0.2.50:5062', from = '+49301234') => {
    rig.engine.dial({ legId: 'leg-1', from, to, ringTimeoutMs: RING_MS });
    expect(rig.types()).toEqual([]);
    await rig.settle();
  };
  const answered = async () => {
    await dial();
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    return far.request('INVITE');
  };

  it('rings, is answered, talks and is hung up by us', async () => {
    await dial();
    const invite = far.request('INVITE');
    expect(invite.uri.text).toBe('sip:bob@192.0.2.50:5062');
    expect(headerOf(invite, 'from')).toMatch(/^<sip:\+49301234@192\.0\.2\.1:5060>;tag=\w+$/);
    expect(headerOf(invite, 'max-forwards')).toBe('70');
    expect(invite.body.toString()).toContain('m=audio 20002 RTP/AVP 0 8 101');
    far.reply(invite, 100);
    far.reply(invite, 180);
    far.reply(invite, 180);
    await rig.settle();
    expect(rig.types()).toEqual(['ringing']);
    far.reply(invite, 200, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['ringing', 'answered']);
    const ack = far.request('ACK');
    expect(ack.cseq).toEqual({ number: invite.cseq.number, method: 'ACK' });
    expect(ack.uri.text).toBe('sip:far@192.0.2.50:5062');
    expect(ack.via.params['branch']).not.toBe(invite.via.params['branch']);
    expect(rig.media.remote('leg-1')).toMatchObject({ codec: 'PCMA', port: 4000, send: true, receive: true });
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(far.request('BYE').cseq.number).toBe(invite.cseq.number + 1);
    far.reply(far.request('BYE'), 200);
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ by: 'near', cause: { code: 16 } });
  });

  it('repeats the INVITE at T1 doubling, and gives up after 64*T1', async () => {
    rig.net.loses = () => true;
    const started = rig.clock.now();
    const times: number[] = [];
    rig.net.loses = (bytes, _from, to) => {
      if (to.host === '192.0.2.50' && bytes.toString().startsWith('INVITE')) times.push(rig.clock.now() - started);
      return true;
    };
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 60_000 });
    await rig.advance(40_000);
    expect(times).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
    expect(rig.event('ended')).toEqual({
      legId: 'leg-1',
      type: 'ended',
      cause: { code: 102, reason: 'Recovery On Timer Expiry' },
      by: 'network',
      sipStatus: 408,
      sip: { callId: expect.any(String), status: 408, postDialMs: 32_000 },
    });
  });

  it('acknowledges each retransmission of the 200', async () => {
    const invite = await answered();
    far.reply(invite, 200, { body: SDP });
    far.reply(invite, 200, { body: SDP });
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'ACK', 'ACK', 'ACK']);
    expect(rig.types()).toEqual(['answered']);
  });

  it.each([
    [486, 17, 'User Busy'],
    [600, 17, 'User Busy'],
    [603, 21, 'Call Rejected'],
    [404, 1, 'Unallocated Number'],
    [480, 18, 'No User Responding'],
    [503, 41, 'Temporary Failure'],
    [401, 21, 'Call Rejected'],
  ])('ends with the cause of %i', async (status, code, reason) => {
    await dial();
    far.reply(far.request('INVITE'), status);
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ cause: { code, reason }, by: 'far', sipStatus: status });
    const ack = far.request('ACK');
    expect(ack.via.params['branch']).toBe(far.request('INVITE').via.params['branch']);
    expect(ack.to.params['tag']).toBe('far');
    far.reply(far.request('INVITE'), status);
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'ACK', 'ACK']);
  });

  it('trusts a precise Q.850 cause more than the status', async () => {
    await dial();
    far.reply(far.request('INVITE'), 480, { headers: ['Reason: Q.850;cause=19;text="No answer"'] });
    await rig.settle();
    expect(rig.event('ended').cause).toEqual({ code: 19, reason: 'No Answer' });
  });

  it('is cancelled when it rings too long, and a late answer is not reported', async () => {
    await dial();
    far.reply(far.request('INVITE'), 180);
    await rig.advance(RING_MS);
    expect(rig.types()).toEqual(['ringing', 'ended']);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 19 }, by: 'near' });
    const cancel = far.request('CANCEL');
    expect(cancel.via.params['branch']).toBe(far.request('INVITE').via.params['branch']);
    expect(cancel.cseq).toEqual({ number: 1, method: 'CANCEL' });
    expect(cancel.to.params['tag']).toBeUndefined();
    far.reply(cancel, 200);
    far.reply(far.request('INVITE'), 487);
    await rig.settle();
    expect(far.log.at(-1)).toBe('ACK');
  });

  it('delays its CANCEL until a provisional response has come', async () => {
    await dial();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(rig.types()).toEqual(['ended']);
    expect(far.log).toEqual(['INVITE']);
    far.reply(far.request('INVITE'), 100);
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'CANCEL']);
  });

  it('ends a call whose answer crosses the CANCEL: ACK and BYE', async () => {
    await dial();
    const invite = far.request('INVITE');
    far.reply(invite, 180);
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    far.reply(invite, 200, { body: SDP });
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
    far.reply(far.request('CANCEL'), 200);
    far.reply(far.request('BYE'), 200);
    far.reply(invite, 200, { body: SDP });
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE', 'ACK']);
    expect(rig.types()).toEqual(['ringing', 'ended']);
  });

  it('gives up waiting for the end of a cancelled INVITE after 64*T1', async () => {
    await dial();
    far.reply(far.request('INVITE'), 180);
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    far.reply(far.request('CANCEL'), 200);
    await rig.advance(33_000);
    expect(rig.engine.counts().transactions).toBe(0);
  });

  it('keeps the first fork that answers, and ends the others with ACK and BYE', async () => {
    await dial();
    const invite = far.request('INVITE');
    far.reply(invite, 180, { tag: 'one' });
    far.reply(invite, 180, { tag: 'two' });
    far.reply(invite, 200, { tag: 'two', body: SDP });
    await rig.settle();
    far.reply(invite, 200, { tag: 'one', body: SDP });
    far.reply(invite, 200, { tag: 'three', body: SDP });
    await rig.settle();
    const sent = far.inbox.map(({ request }) => `${request?.method} ${request?.to.params['tag'] ?? ''}`.trim());
    expect(sent).toEqual(['INVITE', 'ACK two', 'ACK one', 'BYE one', 'ACK three', 'BYE three']);
    for (const { request } of far.inbox) if (request?.method === 'BYE') far.reply(request, 200);
    await rig.settle();
    expect(rig.engine.counts().sessions).toBe(1);
    expect(rig.types()).toEqual(['ringing', 'answered']);
  });

  it('hears early media, and rings once', async () => {
    await dial();
    far.reply(far.request('INVITE'), 183, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['ringing', 'early_media']);
    expect(rig.media.remote('leg-1')).toMatchObject({ port: 4000 });
    far.reply(far.request('INVITE'), 180);
    far.reply(far.request('INVITE'), 183, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['ringing', 'early_media']);
  });

  it('does not take 183 without a description for ringing', async () => {
    await dial();
    far.reply(far.request('INVITE'), 183);
    await rig.settle();
    expect(rig.types()).toEqual([]);
  });

  it.each([
    ['no description', ''],
    ['a malformed one', 'v=0\r\nnonsense\r\n'],
    ['a codec we did not offer', SDP.replace('8 0 101', '18')],
  ])('ends an answer with %s: ACK and BYE', async (_what, body) => {
    await dial();
    far.reply(far.request('INVITE'), 200, { body });
    await rig.settle();
    expect(far.log).toEqual(['INVITE', 'ACK', 'BYE']);
    expect(rig.types()).toEqual(['ended']);
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 111 } });
    far.reply(far.request('BYE'), 200);
  });

  it('is hung up by the far end', async () => {
    const invite = await answered();
    far.send([
      `BYE sip:callweave@192.0.2.1:5060 SIP/2.0`,
      'Via: SIP/2.0/UDP 192.0.2.50:5062;branch=z9hG4bKbye',
      `From: ${headerOf(invite, 'to')};tag=far`,
      `To: ${headerOf(invite, 'from')}`,
      `Call-ID: ${invite.callId}`,
      'CSeq: 1 BYE',
    ]);
    await rig.settle();
    expect(far.log.at(-1)).toBe('200 BYE');
    expect(rig.event('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
  });

  it('sends inside requests along the reversed Record-Route of the 200', async () => {
    const proxy = rig.far(5060, '192.0.2.8');
    await dial();
    far.reply(far.request('INVITE'), 200, {
      body: SDP,
      headers: ['Record-Route: <sip:192.0.2.9;lr>', 'Record-Route: <sip:192.0.2.8;lr>'],
    });
    await rig.settle();
    expect(listOf(proxy.request('ACK'), 'route')).toEqual(['<sip:192.0.2.8;lr>', '<sip:192.0.2.9;lr>']);
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    proxy.reply(proxy.request('BYE'), 200);
  });

  it('sends the host digits as RFC 4733, since telephone-event was agreed', async () => {
    await dial();
    rig.engine.send('leg-1', { type: 'send_digits', sendId: 's', digits: '12', toneMs: 100, gapMs: 50 });
    await rig.settle();
    expect(rig.media.legs.get('leg-1')?.digits).toEqual([]);
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(rig.media.legs.get('leg-1')?.digits).toMatchObject([{ sendId: 's', digits: '12' }]);
    expect(rig.types()).toEqual(['answered', 'digits_sent']);
  });

  describe('is routed', () => {
    it.each([
      ['+49 (89) 123', '192.0.2.49', 5080, 'sip:+4989123@192.0.2.49:5080'],
      ['tel:+49-30-55;phone-context=x', '192.0.2.77', 5060, 'sip:+493055@carrier.example.com'],
      ['0031', '192.0.2.90', 5060, 'sip:0031@192.0.2.90'],
      ['*21#', '192.0.2.90', 5060, 'sip:*21%23@192.0.2.90'],
      ['sip:x@192.0.2.99;maddr=10.0.0.1?Route=%3Csip:evil%3E', '192.0.2.99', 5060, 'sip:x@192.0.2.99'],
    ])('sends %s to %s:%i as %s', async (to, host, port, uri) => {
      const carrier = rig.far(port, host);
      await dial(to);
      expect(carrier.request('INVITE').uri.text).toBe(uri);
    });

    it('over TCP: is sent there if the route says so', async () => {
      const carrier = rig.far(5060, '192.0.2.10', 'tcp');
      await dial('+12025550100');
      const invite = carrier.request('INVITE');
      expect(headerOf(invite, 'via')).toContain('SIP/2.0/TCP');
      expect(headerOf(invite, 'contact')).toContain(';transport=tcp');
    });

    it.each([
      'sip:x@192.0.2.51',
      'sip:x@192.0.2.50.evil.example',
      'sips:x@192.0.2.50',
      'user:nobody',
      'http://192.0.2.50/',
      'not a number',
      '',
      '1'.repeat(33),
      'sip:',
    ])('fails without a route: %j', async (to) => {
      await dial(to);
      expect(rig.event('ended')).toEqual({
        legId: 'leg-1',
        type: 'ended',
        cause: { code: 3, reason: 'No Route To Destination' },
        by: 'near',
      });
      expect(rig.media.legs.size).toBe(0);
    });

    it('fails if the name of the carrier is unknown', async () => {
      await dial('+2333');
      expect(rig.event('ended')).toMatchObject({ cause: { code: 38 }, by: 'network' });
    });

    it('fails if the transport cannot deliver', async () => {
      await dial('sip:bob@192.0.2.50:5999');
      expect(rig.event('ended')).toMatchObject({ cause: { code: 38 }, by: 'network' });
    });
  });

  it('fails when no media port is free', async () => {
    rig.media.full = true;
    await dial();
    expect(far.log).toEqual([]);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 34 }, by: 'network' });
  });

  it("escapes the host's own name", async () => {
    await dial('sip:bob@192.0.2.50:5062', 'x>\r\nEvil: 1\r\n"<');
    expect(far.request('INVITE').headers['evil']).toBeUndefined();
    expect(headerOf(far.request('INVITE'), 'from')).toContain('<sip:x%3E%0D%0AEvil%3A%201%0D%0A%22%3C@192.0.2.1:5060>');
  });

  describe('is challenged by the carrier', () => {
    let carrier: FarEnd;
    beforeEach(async () => {
      carrier = rig.far(5060, '192.0.2.77');
      await dial('+493055');
    });
    const field = (request: SipRequest, header: string, name: string) =>
      new RegExp(`[ ,]${name}="?([^",]*)`).exec(headerOf(request, header) ?? '')?.[1];

    it.each([
      [401, 'WWW-Authenticate', 'authorization', 'MD5', 'md5'],
      [407, 'Proxy-Authenticate', 'proxy-authorization', 'SHA-256', 'sha256'],
    ])('answers a challenge with %i by %s', async (status, challenge, header, algorithm, hash) => {
      const first = carrier.request('INVITE');
      carrier.reply(first, status, {
        headers: [
          `${challenge}: Digest realm="the, realm", nonce="n1", algorithm=${algorithm}, qop="auth-int,auth", opaque="o"`,
        ],
      });
      await rig.settle();
      expect(carrier.log).toEqual(['INVITE', 'ACK', 'INVITE']);
      const second = carrier.request('INVITE');
      expect(second.callId).toBe(first.callId);
      expect(second.cseq.number).toBe(first.cseq.number + 1);
      expect(second.from.params['tag']).toBe(first.from.params['tag']);
      expect(second.via.params['branch']).not.toBe(first.via.params['branch']);
      const h = (text: string) => createHash(hash).update(text).digest('hex');
      const cnonce = field(second, header, 'cnonce');
      const expected = h(
        `${h('we:the, realm:pw')}:n1:00000001:${cnonce}:auth:${h('INVITE:sip:+493055@carrier.example.com')}`,
      );
      expect(field(second, header, 'response')).toBe(expected);
      expect(field(second, header, 'opaque')).toBe('o');
      carrier.reply(second, 200, { body: SDP, headers: [] });
      await rig.settle();
      expect(rig.types()).toEqual(['answered']);
      expect(headerOf(carrier.request('ACK'), header)).toBe(headerOf(second, header));
    });

    it('gives up when its answer is refused', async () => {
      const challenge = { headers: ['WWW-Authenticate: Digest realm="r", nonce="n"'] };
      carrier.reply(carrier.request('INVITE'), 401, challenge);
      await rig.settle();
      carrier.reply(carrier.request('INVITE'), 401, challenge);
      await rig.settle();
      expect(carrier.log).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK']);
      expect(rig.event('ended')).toMatchObject({ sipStatus: 401, cause: { code: 21 } });
    });

    it.each(['Basic realm="r"', 'Digest realm="r", nonce="n", algorithm=SHA-512-256', 'Digest realm="r', ''])(
      'does not answer the challenge %j',
      async (challenge) => {
        carrier.reply(carrier.request('INVITE'), 401, { headers: [`WWW-Authenticate: ${challenge}`] });
        await rig.settle();
        expect(rig.event('ended')).toMatchObject({ sipStatus: 401 });
      },
    );

    it('answers challenges inside the dialog', async () => {
      carrier.reply(carrier.request('INVITE'), 200, { body: SDP });
      await rig.settle();
      rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
      await rig.settle();
      const bye = carrier.inbox.length > 2 ? carrier.request('BYE') : undefined;
      expect(bye?.headers['authorization']).toBeUndefined();
      carrier.reply(bye!, 407, { headers: ['Proxy-Authenticate: Digest realm="r", nonce="n", qop="auth"'] });
      await rig.settle();
      const again = carrier.request('BYE');
      expect(again.cseq.number).toBe(bye!.cseq.number + 1);
      expect(field(again, 'proxy-authorization', 'username')).toBe('we');
      carrier.reply(again, 200);
      await rig.settle();
      expect(rig.engine.counts().sessions).toBe(0);
    });
  });
});
