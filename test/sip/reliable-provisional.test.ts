/** RFC 3262 in both directions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf, type SipResponse } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig, SDP, sdpWith } from './rig.ts';

describe('reliable provisional responses', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ allowSipUris: ['192.0.2.50'] }).start();
    far = rig.far();
  });
  afterEach(() => rig.finish());

  describe('sent by the engine', () => {
    const rack = (response: SipResponse) => `RAck: ${headerOf(response, 'rseq')} ${response.cseq.number} INVITE`;
    const offered = async (headers: string[], body = SDP) => {
      const call = new CallIn(far);
      call.invite({ headers, body });
      await rig.settle();
      return call;
    };
    const prack = async (call: CallIn, response: SipResponse, body = '') => {
      call.learn(response);
      call.request('PRACK', { headers: [rack(response)], body });
      await rig.settle();
    };

    it('are sent where the caller requires them, one at a time, each acknowledged', async () => {
      const call = await offered(['Require: 100rel']);
      rig.engine.send('leg-1', { type: 'ring' });
      rig.engine.send('leg-1', { type: 'progress' });
      await rig.settle();
      expect(far.log).toEqual(['180 INVITE']);
      const ringing = far.response(180);
      expect(headerOf(ringing, 'require')).toBe('100rel');
      await prack(call, ringing);
      expect(far.log).toEqual(['180 INVITE', '200 PRACK', '183 INVITE']);
      const progress = far.response(183);
      expect(Number(headerOf(progress, 'rseq'))).toBe(Number(headerOf(ringing, 'rseq')) + 1);
      rig.engine.send('leg-1', { type: 'answer' });
      await rig.settle();
      expect(far.log).toHaveLength(3);
      await prack(call, progress);
      expect(far.log.slice(3)).toEqual(['200 PRACK', '200 INVITE']);
      // The answer was given reliably already (RFC 6337 §3.1.1).
      expect(far.response(200, 'INVITE').body).toHaveLength(0);
      call.ack();
      await rig.settle();
      expect(rig.types()).toEqual(['answered']);
    });

    it('are not sent where the caller does not know them', async () => {
      await offered([]);
      rig.engine.send('leg-1', { type: 'progress' });
      await rig.settle();
      expect(headerOf(far.response(183), 'rseq')).toBeUndefined();
    });

    it('carries early media to a caller that supports 100rel; ringing is unreliable', async () => {
      await offered(['Supported: timer, 100rel']);
      rig.engine.send('leg-1', { type: 'ring' });
      rig.engine.send('leg-1', { type: 'progress' });
      await rig.settle();
      expect(headerOf(far.response(180), 'rseq')).toBeUndefined();
      expect(headerOf(far.response(183), 'rseq')).toBeDefined();
    });

    it('are retransmitted at T1 doubling, and fail the call when no PRACK comes', async () => {
      await offered(['Require: 100rel']);
      const started = rig.clock.now();
      rig.engine.send('leg-1', { type: 'ring' });
      const times: number[] = [];
      for (let seen = 0; rig.clock.now() - started < 31_900; await rig.advance(100)) {
        if (far.inbox.length > seen) times.push(rig.clock.now() - started);
        seen = far.inbox.length;
      }
      // The first is seen at the first look.
      expect(times).toEqual([100, 500, 1500, 3500, 7500, 15_500, 31_500]);
      await rig.advance(200);
      expect(far.log.at(-1)).toBe('504 INVITE');
      expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 102 }, sipStatus: 504 });
    });

    it('answers 481 to a PRACK of another response', async () => {
      const call = await offered(['Require: 100rel']);
      rig.engine.send('leg-1', { type: 'ring' });
      await rig.settle();
      call.learn(far.response(180));
      for (const wrong of ['RAck: 1 1 INVITE', `${rack(far.response(180))}X`, 'RAck: nonsense', 'X: y']) {
        call.request('PRACK', { headers: [wrong] });
        await rig.settle();
        expect(far.log.at(-1)).toBe('481 PRACK');
      }
      await prack(call, far.response(180));
      expect(far.log.at(-1)).toBe('200 PRACK');
      await prack(call, far.response(180));
      expect(far.log.at(-1)).toBe('481 PRACK');
    });

    it('sends an offer if the INVITE had none, and reads the answer from the PRACK', async () => {
      const call = await offered(['Require: 100rel'], '');
      rig.engine.send('leg-1', { type: 'progress' });
      await rig.settle();
      expect(far.response(183).body.toString()).toContain('RTP/AVP 0 8 101');
      await prack(call, far.response(183), SDP);
      expect(rig.media.remote('leg-1')).toMatchObject({ port: 4000 });
      rig.engine.send('leg-1', { type: 'answer' });
      await rig.settle();
      call.ack();
      await rig.settle();
      expect(rig.types()).toEqual(['answered']);
    });

    it('accepts a new offer in a PRACK', async () => {
      const call = await offered(['Require: 100rel']);
      rig.engine.send('leg-1', { type: 'progress' });
      await rig.settle();
      await prack(call, far.response(183), sdpWith('a=sendonly'));
      expect(far.response(200, 'PRACK').body.toString()).toContain('a=recvonly');
    });

    it('are over when the caller gives up', async () => {
      const call = await offered(['Require: 100rel']);
      rig.engine.send('leg-1', { type: 'ring' });
      call.cancel();
      await rig.settle();
      expect(far.log).toEqual(['180 INVITE', '200 CANCEL', '487 INVITE']);
      call.ackRefusal(487);
      await rig.advance(10_000);
      expect(far.log).toHaveLength(3);
    });
  });

  describe('sent by the far end', () => {
    const reliably = (rseq: number) => ['Require: 100rel', `RSeq: ${rseq}`];
    beforeEach(async () => {
      rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:b@192.0.2.50:5062', ringTimeoutMs: 60_000 });
      await rig.settle();
    });

    it('are acknowledged once each, in order', async () => {
      const invite = far.request('INVITE');
      expect(headerOf(invite, 'supported')).toContain('100rel');
      far.reply(invite, 180, { headers: reliably(10) });
      far.reply(invite, 180, { headers: reliably(10) });
      far.reply(invite, 183, { headers: reliably(12), body: SDP });
      await rig.settle();
      expect(far.log).toEqual(['INVITE', 'PRACK']);
      expect(headerOf(far.request('PRACK'), 'rack')).toBe('10 1 INVITE');
      expect(rig.media.remote('leg-1')).toBeUndefined();
      far.reply(far.request('PRACK'), 200);
      far.reply(invite, 183, { headers: reliably(11), body: SDP });
      await rig.settle();
      expect(headerOf(far.request('PRACK'), 'rack')).toBe('11 1 INVITE');
      expect(rig.media.remote('leg-1')).toMatchObject({ port: 4000 });
      far.reply(far.request('PRACK'), 200);
      far.reply(invite, 200);
      await rig.settle();
      expect(rig.types()).toEqual(['ringing', 'early_media', 'answered']);
    });

    it('are acknowledged per fork', async () => {
      const invite = far.request('INVITE');
      far.reply(invite, 180, { tag: 'a', headers: reliably(1) });
      far.reply(invite, 180, { tag: 'b', headers: reliably(77) });
      await rig.settle();
      const pracks = far.inbox.filter(({ request }) => request?.method === 'PRACK');
      expect(pracks.map(({ request }) => `${request!.to.params['tag']} ${headerOf(request!, 'rack')}`)).toEqual([
        'a 1 1 INVITE',
        'b 77 1 INVITE',
      ]);
      far.reply(invite, 486, { tag: 'a' });
      await rig.settle();
      expect(rig.engine.counts().sessions).toBe(0);
    });
  });
});
