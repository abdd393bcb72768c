import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf, listOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig, SDP, sdpWith } from './rig.ts';

describe('an incoming call', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ users: [{ name: 'alice-of-ours', password: 'secret' }] }).start();
    far = rig.far();
  });
  afterEach(() => rig.finish());

  it('is offered, rings, is answered, talks and is hung up by the caller', async () => {
    const call = new CallIn(far, { from: '"Al \\"A\\" Ice" <sip:+49301234@phone.example>;tag=1' });
    call.invite();
    await rig.settle();
    expect(rig.incoming).toEqual([
      {
        legId: 'leg-1',
        from: '+49301234',
        fromName: 'Al "A" Ice',
        to: '100',
        remote: 'udp:192.0.2.50:5062',
        source: '192.0.2.50',
        sip: { callId: call.callId, remote: 'udp:192.0.2.50:5062' },
      },
    ]);
    rig.engine.send('leg-1', { type: 'ring' });
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(far.log).toEqual(['180 INVITE', '200 INVITE']);
    expect(rig.types()).toEqual([]);
    const ok = far.response(200);
    expect(headerOf(ok, 'contact')).toBe('<sip:callweave@192.0.2.1:5060>');
    expect(ok.body.toString()).toContain('m=audio 20002 RTP/AVP 8 101');
    call.ack();
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(rig.media.remote('leg-1')).toEqual({
      host: '192.0.2.50',
      port: 4000,
      codec: 'PCMA',
      payloadType: 8,
      telephoneEventPayloadType: 101,
      ptimeMs: 20,
      send: true,
      receive: true,
      reportSilenceMs: 60_000,
    });
    call.request('BYE');
    await rig.settle();
    expect(far.log.at(-1)).toBe('200 BYE');
    expect(rig.event('ended')).toMatchObject({ cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' });
  });

  it('hears nothing for a fifth of a second, then 100 Trying', async () => {
    new CallIn(far).invite();
    await rig.advance(199);
    expect(far.log).toEqual([]);
    await rig.advance(1);
    expect(far.log).toEqual(['100 INVITE']);
  });

  it('is rejected with the status of the host', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'reject', sipStatus: 404 });
    await rig.settle();
    expect(far.log).toEqual(['404 INVITE']);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 1 }, by: 'near', sipStatus: 404 });
    expect(rig.media.legs.size).toBe(0);
    // Not retransmitted, unlike RFC 3261 §17.2.1, because the source address may be forged: the caller repeats the
    // request.
    await rig.advance(500 + 1000);
    expect(far.log).toEqual(['404 INVITE']);
    call.request('INVITE', { cseq: call.inviteCseq, branch: call.inviteBranch });
    await rig.settle();
    expect([far.log, rig.incoming.length]).toEqual([['404 INVITE', '404 INVITE'], 1]);
    call.ackRefusal(404);
    await rig.advance(30_000);
    expect(far.log).toHaveLength(2);
  });

  it('is cancelled by the caller: 200 to CANCEL, 487 to INVITE', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'ring' });
    call.cancel();
    await rig.settle();
    expect(far.log).toEqual(['180 INVITE', '200 CANCEL', '487 INVITE']);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 16 }, by: 'far', sipStatus: 487 });
    call.ackRefusal(487);
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.advance(40_000);
    expect(far.log).toEqual(['180 INVITE', '200 CANCEL', '487 INVITE']);
  });

  it('is answered although a CANCEL crosses the 200', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    call.cancel();
    await rig.settle();
    expect(far.log).toEqual(['200 INVITE', '200 CANCEL']);
    call.ack();
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
  });

  it('is cancelled while its media port is opened: no answer follows', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    call.cancel();
    await rig.settle();
    expect(far.log).toEqual(['200 CANCEL', '487 INVITE']);
    expect(rig.types()).toEqual(['ended']);
    call.ackRefusal(487);
  });

  it('answers 481 to a CANCEL without an INVITE', async () => {
    const call = new CallIn(far);
    call.inviteBranch = 'z9hG4bKnothing';
    call.cancel();
    await rig.settle();
    expect(far.log).toEqual(['481 CANCEL']);
  });

  it('retransmits the 200 until the ACK comes, at T1 doubling to T2', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    const started = rig.clock.now();
    const times: number[] = [];
    for (let seen = 1; rig.clock.now() - started < 12_000; await rig.advance(100)) {
      if (far.inbox.length > seen) times.push(rig.clock.now() - started);
      seen = far.inbox.length;
    }
    expect(times).toEqual([500, 1500, 3500, 7500, 11_500]);
    call.ack();
    await rig.advance(60_000);
    expect(far.inbox).toHaveLength(6);
    expect(rig.types()).toEqual(['answered']);
  });

  it('ends the call with BYE when the ACK never comes', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.advance(32_000);
    expect(far.log.at(-1)).toBe('BYE');
    expect(rig.event('ended')).toMatchObject({ cause: { code: 102 }, by: 'network' });
    expect(rig.types()).toEqual(['ended']);
    far.reply(far.request('BYE'), 200);
  });

  it('absorbs retransmissions of the INVITE, before and after the answer', async () => {
    const call = new CallIn(far);
    const branch = call.request('INVITE', { body: SDP, cseq: 1 });
    call.request('INVITE', { body: SDP, cseq: 1, branch });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'ring' });
    await rig.settle();
    call.request('INVITE', { body: SDP, cseq: 1, branch });
    await rig.settle();
    expect(far.log).toEqual(['180 INVITE', '180 INVITE']);
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    call.request('INVITE', { body: SDP, cseq: 1, branch });
    await rig.settle();
    expect(far.log).toEqual(['180 INVITE', '180 INVITE', '200 INVITE']);
    expect(rig.incoming).toHaveLength(1);
  });

  it('detects the same call over two paths: 482', async () => {
    const call = new CallIn(far);
    call.request('INVITE', { body: SDP, cseq: 1, branch: 'z9hG4bKone' });
    call.request('INVITE', { body: SDP, cseq: 1, branch: 'z9hG4bKother' });
    await rig.settle();
    expect(far.log).toEqual(['482 INVITE']);
    expect(rig.incoming).toHaveLength(1);
  });

  it('is hung up by us: BYE; and before the ACK only after it', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(rig.types()).toEqual(['ended']);
    expect(far.log).toEqual(['200 INVITE']);
    call.ack();
    await rig.settle();
    expect(far.log).toEqual(['200 INVITE', 'BYE']);
    expect(headerOf(far.request('BYE'), 'reason')).toBe('Q.850;cause=16');
    far.reply(far.request('BYE'), 200);
    await rig.settle();
    expect(rig.engine.counts().sessions).toBe(0);
  });

  it('survives a simultaneous hang-up of both sides', async () => {
    const call = await rig.connected(far);
    call.request('BYE');
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(far.log.slice(1)).toEqual(['BYE', '200 BYE']);
    expect(rig.types()).toEqual(['answered', 'ended']);
  });

  it('gives the cause that the caller gave', async () => {
    const call = await rig.connected(far);
    call.request('BYE', { headers: ['Reason: SIP;cause=200, Q.850;cause=38;text="out of order"'] });
    await rig.settle();
    expect(rig.event('ended').cause).toEqual({ code: 38, reason: 'Network Out Of Order' });
  });

  it('fails with 503 when no media port is free', async () => {
    rig.media.full = true;
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'play', playId: 'p', audio: [] });
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(far.log).toEqual(['503 INVITE']);
    expect(rig.types()).toEqual(['play_ended', 'ended']);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 34 }, by: 'network' });
    call.ackRefusal(503);
  });

  it('plays early media with 183, and answers with the same description', async () => {
    const call = new CallIn(far);
    call.invite();
    await rig.settle();
    rig.engine.send('leg-1', { type: 'progress' });
    rig.engine.send('leg-1', { type: 'play', playId: 'p', audio: [] });
    await rig.settle();
    expect(far.log).toEqual(['183 INVITE']);
    expect(rig.media.legs.get('leg-1')?.plays).toHaveLength(1);
    expect(rig.media.legs.get('leg-1')?.remotes).toHaveLength(1);
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(far.response(200).body.toString()).toBe(far.response(183).body.toString());
    call.ack();
  });

  it('offers itself when the INVITE came without a description, and takes the answer from the ACK', async () => {
    const call = new CallIn(far);
    call.invite({ body: '' });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(far.response(200).body.toString()).toContain('m=audio 20002 RTP/AVP 0 8 101');
    expect(rig.media.remote('leg-1')).toBeUndefined();
    call.ack(SDP);
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(rig.media.remote('leg-1')).toMatchObject({ codec: 'PCMA', port: 4000 });
  });

  it('ends when the ACK brings no usable answer to our offer', async () => {
    const call = new CallIn(far);
    call.invite({ body: '' });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    call.ack();
    await rig.settle();
    expect(far.log.at(-1)).toBe('BYE');
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 111 } });
    far.reply(far.request('BYE'), 200);
  });

  it('ends the leg when its media fails', async () => {
    await rig.connected(far);
    rig.media.tell('leg-1', { type: 'closed' });
    await rig.settle();
    expect(far.log.at(-1)).toBe('BYE');
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 41 } });
    far.reply(far.request('BYE'), 200);
  });

  it('answers along the Record-Route, and sends its BYE there', async () => {
    const proxy = rig.far(5060, '192.0.2.9');
    await rig.connected(far, {
      invite: { headers: ['Record-Route: <sip:192.0.2.9;lr>, <sip:192.0.2.8;lr>'] },
    });
    expect(listOf(far.response(200), 'record-route')).toEqual(['<sip:192.0.2.9;lr>', '<sip:192.0.2.8;lr>']);
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    const bye = proxy.request('BYE');
    expect(listOf(bye, 'route')).toEqual(['<sip:192.0.2.9;lr>', '<sip:192.0.2.8;lr>']);
    expect(bye.uri.text).toBe('sip:alice@192.0.2.50:5062');
    proxy.reply(bye, 200);
  });

  it('puts a strict router into the Request-URI', async () => {
    const proxy = rig.far(5060, '192.0.2.9');
    await rig.connected(far, { invite: { headers: ['Record-Route: <sip:192.0.2.9>'] } });
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    const bye = proxy.request('BYE');
    expect(bye.uri.text).toBe('sip:192.0.2.9');
    expect(listOf(bye, 'route')).toEqual(['<sip:alice@192.0.2.50:5062>']);
    proxy.reply(bye, 200);
  });

  it('reaches a caller behind a NAT where its packets came from', async () => {
    await rig.connected(far, { contact: '<sip:alice@10.0.0.5:5060>' });
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(far.log.at(-1)).not.toBe('BYE');
    rig.events.length = 0;
    rig.incoming.length = 0;

    const natted = new CallIn(far, { contact: '<sip:alice@10.0.0.5:5060>', callId: 'natted' });
    const branch = 'z9hG4bKnat';
    far.send(
      [
        'INVITE sip:100@192.0.2.1 SIP/2.0',
        `Via: SIP/2.0/UDP 10.0.0.5:5060;rport;branch=${branch}`,
        'From: <sip:alice@10.0.0.5>;tag=near-natted',
        'To: <sip:100@192.0.2.1>',
        'Call-ID: natted',
        'CSeq: 1 INVITE',
        'Contact: <sip:alice@10.0.0.5:5060>',
        'Content-Type: application/sdp',
      ],
      SDP,
    );
    await rig.settle();
    rig.engine.send('leg-2', { type: 'answer' });
    await rig.settle();
    expect(headerOf(far.response(200), 'via')).toBe(
      `SIP/2.0/UDP 10.0.0.5:5060;rport=5062;branch=${branch};received=192.0.2.50`,
    );
    natted.inviteCseq = 1;
    natted.ack();
    await rig.settle();
    rig.engine.send('leg-2', { type: 'hangup', cause: 16 });
    await rig.settle();
    expect(far.request('BYE').uri.text).toBe('sip:alice@10.0.0.5:5060');
    far.reply(far.request('BYE'), 200);
    await rig.advance(32_000);
  });

  describe('inside the dialog', () => {
    const answerOf = (status = 200) => far.response(status, 'INVITE').body.toString();

    it.each([
      ['a=sendonly', 'a=recvonly', { send: false, receive: true }, [true, false]],
      ['a=inactive', 'a=inactive', { send: false, receive: false }, [true, false]],
      ['a=recvonly', 'a=sendonly', { send: true, receive: false }, []],
      ['c=IN IP4 0.0.0.0', 'a=recvonly', { send: false, receive: true }, [true, false]],
    ])('is held by %s and resumed', async (line, answered, allowed, held) => {
      const call = await rig.connected(far);
      const hold = line.startsWith('c=') ? SDP.replace('c=IN IP4 192.0.2.50', line) : sdpWith(line);
      call.invite({ body: hold });
      await rig.settle();
      expect(answerOf()).toContain(answered);
      expect(answerOf()).toMatch(/^o=- \d+ 2 /m);
      expect(rig.media.remote('leg-1')).toMatchObject(allowed);
      call.ack();
      call.invite({ body: SDP });
      await rig.settle();
      expect(answerOf()).toContain('a=sendrecv');
      expect(answerOf()).toMatch(/^o=- \d+ 3 /m);
      expect(rig.media.remote('leg-1')).toMatchObject({ send: true, receive: true });
      call.ack();
      await rig.settle();
      const told = rig.events.flatMap((event) => (event.type === 'far_hold' ? [event.held] : []));
      expect(told).toEqual(held);
    });

    it('keeps the version of a description that did not change', async () => {
      const call = await rig.connected(far);
      const first = answerOf();
      call.invite();
      await rig.settle();
      expect(answerOf()).toBe(first);
      call.ack();
    });

    it('answers a re-INVITE without a description with an offer', async () => {
      const call = await rig.connected(far);
      call.invite({ body: '' });
      await rig.settle();
      expect(answerOf()).toContain('RTP/AVP 0 8 101');
      call.ack(SDP.replace('4000', '4444'));
      await rig.settle();
      expect(rig.media.remote('leg-1')).toMatchObject({ port: 4444 });
      expect(rig.types()).toEqual(['answered']);
    });

    it('switches the stream off with port 0 and back on', async () => {
      const call = await rig.connected(far);
      call.invite({ body: SDP.replace('m=audio 4000', 'm=audio 0') });
      await rig.settle();
      expect(answerOf()).toContain('m=audio 0 ');
      expect(rig.media.remote('leg-1')).toMatchObject({ send: false, receive: false });
      call.ack();
    });

    it.each([
      ['malformed', 'v=0\r\nrubbish\r\n', 400],
      ['without a codec of ours', SDP.replace('8 0 101', '18 4'), 488],
    ])('refuses a re-INVITE that is %s, and continues unchanged', async (_what, body, status) => {
      const call = await rig.connected(far);
      call.invite({ body });
      await rig.settle();
      expect(far.log.at(-1)).toBe(`${status} INVITE`);
      call.ackRefusal(status);
      await rig.settle();
      expect(rig.media.legs.get('leg-1')?.remotes).toHaveLength(1);
      expect(rig.types()).toEqual(['answered']);
    });

    it('refuses a second re-INVITE while our offer waits for its answer: 491', async () => {
      const call = await rig.connected(far);
      call.invite({ body: '' });
      await rig.settle();
      const { inviteCseq } = call;
      call.invite();
      await rig.settle();
      expect(far.log.at(-1)).toBe('491 INVITE');
      call.ackRefusal(491);
      call.request('ACK', { cseq: inviteCseq, body: SDP });
      await rig.settle();
      expect(rig.types()).toEqual(['answered']);
    });

    it('answers 500 to a request that is older than one it has seen', async () => {
      const call = await rig.connected(far);
      call.request('INFO', { cseq: 20 });
      call.request('INFO', { cseq: 19 });
      await rig.settle();
      expect(far.log.slice(-2)).toEqual(['200 INFO', '500 INFO']);
    });

    it('moves to the target that a re-INVITE names', async () => {
      const other = rig.far(5099, '192.0.2.60');
      const call = await rig.connected(far);
      const moved = new CallIn(far, { callId: call.callId, contact: '<sip:alice@192.0.2.60:5099>' });
      moved.learn(far.response(200));
      moved.inviteCseq = 7;
      moved.request('INVITE', { cseq: 7, body: SDP });
      await rig.settle();
      moved.ack();
      await rig.settle();
      rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
      await rig.settle();
      expect(other.log).toEqual(['BYE']);
      other.reply(other.request('BYE'), 200);
    });

    it('takes UPDATE with and without a description', async () => {
      const call = await rig.connected(far);
      call.request('UPDATE');
      call.request('UPDATE', { body: sdpWith('a=sendonly') });
      await rig.settle();
      expect(far.log.slice(-2)).toEqual(['200 UPDATE', '200 UPDATE']);
      expect(far.response(200, 'UPDATE').body.toString()).toContain('a=recvonly');
      expect(rig.media.remote('leg-1')).toMatchObject({ send: false });
    });

    it('answers OPTIONS, and 405 with Allow to what it does not know', async () => {
      const call = await rig.connected(far);
      call.request('OPTIONS');
      call.request('MESSAGE');
      call.request('NOTIFY');
      call.request('SUBSCRIBE');
      await rig.settle();
      expect(far.log.slice(-4)).toEqual(['200 OPTIONS', '405 MESSAGE', '489 NOTIFY', '489 SUBSCRIBE']);
      expect(headerOf(far.response(405), 'allow')).toContain('INVITE');
    });

    it('answers 481 where there is no such dialog', async () => {
      const call = await rig.connected(far);
      call.request('BYE');
      await rig.settle();
      for (const method of ['BYE', 'INVITE', 'UPDATE', 'INFO', 'OPTIONS', 'PRACK']) call.request(method);
      await rig.settle();
      expect(far.log.slice(-6)).toEqual(
        ['BYE', 'INVITE', 'UPDATE', 'INFO', 'OPTIONS', 'PRACK'].map((method) => `481 ${method}`),
      );
    });
  });

  describe('digits in INFO', () => {
    const withoutEvents = SDP.replace(' 101', '').replace('a=rtpmap:101 telephone-event/8000\r\n', '');
    const info = (call: CallIn, type: string, body: string) =>
      call.request('INFO', { headers: [`Content-Type: ${type}`], body });

    it.each([
      ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', '5', 160],
      ['application/dtmf-relay', 'signal = *\nduration = 90', '*', 90],
      ['application/dtmf-relay; charset=x', 'Signal=11', '#', 100],
      ['application/dtmf', '7', '7', 100],
      ['application/dtmf', ' d\r\n', 'D', 100],
      ['audio/telephone-event', '\x05\x0a\x03\x20', '5', 100],
      ['audio/telephone-event', '\x0b\x0a\x05\x00', '#', 160],
    ])('reads %s %j as %s for %i ms', async (type, body, digit, durationMs) => {
      const call = await rig.connected(far, { invite: { body: withoutEvents } });
      info(call, type, body);
      await rig.settle();
      expect(far.log.at(-1)).toBe('200 INFO');
      expect(rig.event('digit')).toMatchObject({ digit, durationMs });
      expect(rig.media.legs.get('leg-1')?.told).toEqual([`pressed ${digit} ${durationMs}`]);
    });

    it('are refused when malformed or of another type', async () => {
      const call = await rig.connected(far, { invite: { body: withoutEvents } });
      info(call, 'application/dtmf-relay', 'Signal=99\r\n');
      info(call, 'application/dtmf', 'hello');
      info(call, 'audio/telephone-event', '\x10\x0a\x03\x20');
      info(call, 'application/xml', '<x/>');
      await rig.settle();
      expect(far.log.slice(-4)).toEqual(['400 INFO', '400 INFO', '400 INFO', '415 INFO']);
      expect(rig.types()).toEqual(['answered']);
    });

    it.each(['application/dtmf-relay', 'application/dtmf'])(
      'are accepted as %s if telephone-event was negotiated',
      async (type) => {
        const call = await rig.connected(far);
        info(call, type, type === 'application/dtmf' ? '5' : 'Signal=5\r\n');
        await rig.settle();
        expect(far.log.at(-1)).toBe('200 INFO');
        expect(rig.types()).toEqual(['answered', 'digit']);
        expect(rig.event('digit')).toMatchObject({ digit: '5' });
      },
    );

    it('are counted once each, even if the request is repeated', async () => {
      const call = await rig.connected(far);
      const press = (cseq: number, branch?: string) => {
        const headers = ['Content-Type: application/dtmf-relay'];
        return call.request('INFO', { headers, body: 'Signal=5\r\n', cseq, ...(branch ? { branch } : {}) });
      };
      const branch = press(20);
      await rig.settle();
      for (let repetition = 0; repetition < 2; repetition++) {
        await rig.advance(500);
        press(20, branch);
        await rig.settle();
      }
      expect(far.log.slice(-3)).toEqual(['200 INFO', '200 INFO', '200 INFO']);
      expect(rig.types()).toEqual(['answered', 'digit']);
      press(21);
      await rig.settle();
      expect(rig.types()).toEqual(['answered', 'digit', 'digit']);
    });

    it('are sent to a far end without telephone-event, paced, string by string', async () => {
      await rig.connected(far, { invite: { body: withoutEvents } });
      far.clear();
      rig.engine.send('leg-1', { type: 'send_digits', sendId: 'a', digits: '1w#', toneMs: 100, gapMs: 50 });
      rig.engine.send('leg-1', { type: 'send_digits', sendId: 'b', digits: '9', toneMs: 100, gapMs: 50 });
      const answered = new Set<object>();
      const step = async (ms: number) => {
        await rig.advance(ms);
        for (const { request } of far.inbox) {
          if (request && !answered.has(request)) far.reply(request, 200);
          if (request) answered.add(request);
        }
        return [...answered].map((request) => (request as { body: Buffer }).body.toString().slice(7, 8)).join('');
      };
      expect(await step(0)).toBe('1');
      expect(await step(649)).toBe('1');
      expect(await step(1)).toBe('1#');
      expect(await step(150)).toBe('1#9');
      await step(150);
      expect(rig.types()).toEqual(['answered', 'digits_sent', 'digits_sent']);
      expect(rig.media.legs.get('leg-1')?.digits).toEqual([]);
    });

    it('are finished when the call ends meanwhile', async () => {
      const call = await rig.connected(far, { invite: { body: withoutEvents } });
      rig.engine.send('leg-1', { type: 'send_digits', sendId: 'a', digits: '123', toneMs: 100, gapMs: 50 });
      await rig.settle();
      call.request('BYE');
      await rig.settle();
      expect(rig.types()).toEqual(['answered', 'digits_sent', 'ended']);
      far.reply(far.request('INFO'), 481);
    });
  });

  it('refuses new calls while it stops, and ends what is left', async () => {
    await rig.connected(far);
    const ringing = new CallIn(far);
    ringing.invite();
    await rig.settle();
    const stopping = rig.engine.stop();
    await rig.settle();
    new CallIn(far).invite();
    await rig.settle();
    expect(far.log.filter((message) => message === '503 INVITE')).toHaveLength(2);
    far.reply(far.request('BYE'), 200);
    await stopping;
    expect(rig.types('leg-1')).toEqual(['answered', 'ended']);
    expect(rig.types('leg-2')).toEqual(['ended']);
    expect(rig.media.stopped).toBe(1);
  });
});
