/** RFC 4028, both roles. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

describe('session timers', () => {
  let rig: Rig;
  let far: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ allowSipUris: ['192.0.2.50'], sessionTimer: { expiresS: 600, minS: 120 } }).start();
    far = rig.far();
  });
  afterEach(() => rig.finish());

  const agreedWith = async (headers: string[]) => {
    await rig.connected(far, { invite: { headers } });
    return headerOf(far.response(200), 'session-expires');
  };

  it.each([
    ['nothing without support', [], undefined],
    ['our own interval, refreshed by us', ['Supported: timer'], '600;refresher=uas'],
    ['their shorter one', ['Supported: timer', 'Session-Expires: 300'], '300;refresher=uac'],
    ['no longer one than ours', ['Supported: timer', 'Session-Expires: 3000'], '600;refresher=uac'],
    ['their wish who refreshes', ['Supported: timer', 'x: 300;refresher=uas'], '300;refresher=uas'],
    ['ours, where a proxy asked', ['Session-Expires: 300;refresher=uac'], '300;refresher=uas'],
    ['a floor that a proxy set', ['Supported: timer', 'Session-Expires: 300', 'Min-SE: 400'], '400;refresher=uac'],
  ])('negotiates %s in the answer', async (_what, headers, agreed) => {
    expect(await agreedWith(headers)).toBe(agreed);
    expect(headerOf(far.response(200), 'require')).toBe(agreed?.includes('uac') ? 'timer' : undefined);
  });

  it('refuses an interval that is too short: 422 with Min-SE', async () => {
    new CallIn(far).invite({ headers: ['Supported: timer', 'Session-Expires: 60'] });
    await rig.settle();
    expect(far.log).toEqual(['422 INVITE']);
    expect(headerOf(far.response(422), 'min-se')).toBe('120');
    expect(rig.incoming).toEqual([]);
  });

  it('ends a session that the far end does not refresh', async () => {
    await agreedWith(['Supported: timer', 'Session-Expires: 300']);
    await rig.advance(267_000);
    expect(rig.types()).toEqual(['answered']);
    await rig.advance(2000);
    expect(far.log.at(-1)).toBe('BYE');
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 102 } });
    far.reply(far.request('BYE'), 481);
  });

  it.each(['UPDATE', 'INVITE'])('continues when the far end refreshes by %s', async (method) => {
    const call = await rig.connected(far, { invite: { headers: ['Supported: timer', 'Session-Expires: 300'] } });
    for (let round = 0; round < 4; round++) {
      await rig.advance(200_000);
      const headers = ['Supported: timer', 'Session-Expires: 300;refresher=uac'];
      if (method === 'UPDATE') call.request('UPDATE', { headers });
      else call.invite({ headers });
      await rig.settle();
      expect(headerOf(far.response(200, method), 'session-expires')).toBe('300;refresher=uac');
      if (method === 'INVITE') call.ack();
    }
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
  });

  it('are refreshed by us with UPDATE where the far end supports it', async () => {
    await agreedWith(['Supported: timer', 'Allow: INVITE, UPDATE', 'Session-Expires: 300;refresher=uas']);
    for (let round = 0; round < 3; round++) {
      far.clear();
      await rig.advance(150_000);
      const update = far.request('UPDATE');
      expect(headerOf(update, 'session-expires')).toBe('600;refresher=uac');
      expect(update.body).toHaveLength(0);
      far.reply(update, 200, { headers: ['Session-Expires: 300;refresher=uac'] });
      await rig.settle();
    }
    expect(rig.types()).toEqual(['answered']);
  });

  it('are refreshed by us with INVITE where it does not, and its 200 acknowledged', async () => {
    await agreedWith(['Supported: timer', 'Session-Expires: 300;refresher=uas']);
    const first = far.response(200).body.toString();
    await rig.advance(150_000);
    const invite = far.request('INVITE');
    expect(invite.body.toString()).toContain('RTP/AVP 0 8 101');
    expect(first).toContain('RTP/AVP 8 101');
    far.reply(invite, 200, { body: SDP, headers: ['Session-Expires: 300;refresher=uac'] });
    await rig.settle();
    expect(far.log.at(-1)).toBe('ACK');
    await rig.advance(150_000);
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    // Without Session-Expires in the answer, the session has no timer any more (§7.2).
    await rig.advance(3_000_000);
    expect(rig.types()).toEqual(['answered']);
  });

  it('resolves glare: answers 491 to a crossing refresh, and retries its own after 491', async () => {
    const call = await rig.connected(far, {
      invite: { headers: ['Supported: timer', 'Session-Expires: 300;refresher=uas'] },
    });
    await rig.advance(150_000);
    const ours = far.request('INVITE');
    call.invite();
    await rig.settle();
    expect(far.log.at(-1)).toBe('491 INVITE');
    call.ackRefusal(491);
    far.reply(ours, 491);
    expect(far.request('INVITE')).toBe(ours);
    // The side that generated the Call-ID waits for longer than two seconds (§14.1): that is the far end.
    await rig.advance(2000);
    expect(far.request('INVITE')).not.toBe(ours);
    far.reply(far.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
  });

  it.each([481, 408])('ends the call when the far end answers %i to a refresh', async (status) => {
    await agreedWith(['Supported: timer', 'Allow: UPDATE', 'Session-Expires: 300;refresher=uas']);
    await rig.advance(150_000);
    far.reply(far.request('UPDATE'), status);
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ by: 'network', sipStatus: status });
    far.reply(far.request('BYE'), 481);
  });

  it('ends the call when the far end does not answer a refresh', async () => {
    await agreedWith(['Supported: timer', 'Allow: UPDATE', 'Session-Expires: 300;refresher=uas']);
    await rig.advance(150_000 + 32_000);
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 102 } });
    far.reply(far.request('BYE'), 481);
  });

  it('are negotiated for outgoing calls too, with the interval of the far end', async () => {
    rig.engine.dial({ legId: 'leg-1', from: '1', to: 'sip:b@192.0.2.50:5062', ringTimeoutMs: 60_000 });
    await rig.settle();
    const first = far.request('INVITE');
    expect(headerOf(first, 'session-expires')).toBe('600');
    expect(headerOf(first, 'min-se')).toBe('120');
    far.reply(first, 422, { headers: ['Min-SE: 900'] });
    await rig.settle();
    const second = far.request('INVITE');
    expect(second).not.toBe(first);
    expect(headerOf(second, 'session-expires')).toBe('900');
    expect(headerOf(second, 'min-se')).toBe('900');
    far.reply(second, 200, { body: SDP, headers: ['Session-Expires: 900;refresher=uac', 'Allow: UPDATE'] });
    await rig.advance(450_000);
    far.reply(far.request('UPDATE'), 200, { headers: ['Session-Expires: 900;refresher=uas'] });
    await rig.settle();
    await rig.advance(900_000 - 32_000);
    expect(rig.event('ended')).toMatchObject({ by: 'network', cause: { code: 102 } });
    far.reply(far.request('BYE'), 481);
  });
});
