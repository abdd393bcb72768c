/** A user with several phones: they ring at once, and one of them gets the call. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FarEnd, Rig, SDP } from './rig.ts';

const ALICE = { name: 'alice', password: 'secret' };
const sdpAt = (port: number) => SDP.replace('m=audio 4000', `m=audio ${port}`);

describe('a call to a user', () => {
  let rig: Rig;
  let desk: FarEnd;
  let mobile: FarEnd;
  beforeEach(async () => {
    rig = await new Rig({ users: [ALICE] }).start();
    desk = rig.far(5071);
    mobile = rig.far(5072);
  });
  afterEach(() => rig.finish());

  const register = async (...phones: FarEnd[]) => {
    for (const phone of phones) {
      await rig.register(phone, ALICE, `<sip:alice@${phone.place.host}:${phone.place.port}>`);
      phone.clear();
    }
  };
  const dial = async (to = 'user:alice') => {
    rig.engine.dial({ legId: 'leg-1', from: '100', to, ringTimeoutMs: 30_000 });
    await rig.settle();
  };
  const reply = async (phone: FarEnd, status: number, body = '') => {
    phone.reply(phone.request('INVITE'), status, { tag: `at-${phone.place.port}`, body });
    await rig.settle();
  };

  it('rings all phones, and the first answer wins', async () => {
    await register(desk, mobile);
    await dial('user:Alice');
    expect([desk.log, mobile.log]).toEqual([['INVITE'], ['INVITE']]);
    expect(desk.request('INVITE').callId).not.toBe(mobile.request('INVITE').callId);
    await reply(desk, 180);
    await reply(mobile, 180);
    await reply(mobile, 200, sdpAt(4002));
    expect([desk.log, mobile.log]).toEqual([
      ['INVITE', 'CANCEL'],
      ['INVITE', 'ACK'],
    ]);
    desk.reply(desk.request('CANCEL'), 200);
    await reply(desk, 487);
    expect(desk.log.at(-1)).toBe('ACK');
    expect(rig.types()).toEqual(['ringing', 'answered']);
    expect(rig.media.remote('leg-1')).toMatchObject({ port: 4002 });
  });

  it('ends the second of two answers at once', async () => {
    await register(desk, mobile);
    await dial();
    await reply(desk, 200, sdpAt(4001));
    await reply(mobile, 200, sdpAt(4002));
    expect(mobile.log).toEqual(['INVITE', 'ACK', 'BYE']);
    mobile.reply(mobile.request('BYE'), 200);
    await rig.settle();
    expect([rig.types(), rig.media.remote('leg-1')?.port]).toEqual([['answered'], 4001]);
  });

  it('continues to ring while one phone is left', async () => {
    await register(desk, mobile);
    await dial();
    await reply(desk, 486);
    expect(rig.types()).toEqual([]);
    await reply(mobile, 480);
    expect(rig.event('ended')).toMatchObject({ by: 'far', sipStatus: 486, cause: { code: 17 } });
  });

  it('ends for all when it is declined at one', async () => {
    await register(desk, mobile);
    await dial();
    await reply(desk, 180);
    await reply(mobile, 603);
    expect(rig.event('ended')).toMatchObject({ sipStatus: 603, cause: { code: 21 } });
    expect(desk.log).toEqual(['INVITE', 'CANCEL']);
    desk.reply(desk.request('CANCEL'), 200);
    await reply(desk, 487);
  });

  it('does not wait for an unreachable phone', async () => {
    await register(desk, mobile);
    rig.net.unbind(desk.place);
    await dial();
    await reply(mobile, 200, SDP);
    expect(rig.types()).toEqual(['answered']);
  });

  it('plays the early media of one phone only', async () => {
    await register(desk, mobile);
    await dial();
    await reply(desk, 183, sdpAt(4001));
    await reply(mobile, 183, sdpAt(4002));
    expect([rig.types(), rig.media.remote('leg-1')?.port]).toEqual([['ringing', 'early_media'], 4001]);
    await reply(desk, 480);
    await reply(mobile, 183, sdpAt(4002));
    expect(rig.media.remote('leg-1')?.port).toBe(4002);
    // Its answer has no new information.
    await reply(mobile, 200);
    expect([rig.types(), rig.media.remote('leg-1')?.port]).toEqual([['ringing', 'early_media', 'answered'], 4002]);
  });

  it('is cancelled at all phones', async () => {
    await register(desk, mobile);
    await dial();
    await reply(desk, 180);
    await reply(mobile, 180);
    await rig.advance(30_000);
    expect(rig.event('ended')).toMatchObject({ by: 'near', cause: { code: 19 } });
    for (const phone of [desk, mobile]) {
      expect(phone.log.at(-1)).toBe('CANCEL');
      phone.reply(phone.request('CANCEL'), 200);
      await reply(phone, 487);
    }
  });

  it.each([
    ['user:alice', 20, 'Subscriber Absent'],
    ['user:nobody', 3, 'No Route To Destination'],
  ])('ends for %s without a phone with cause %i', async (to, code, reason) => {
    await dial(to);
    expect(rig.event('ended')).toMatchObject({ by: 'near', cause: { code, reason } });
  });
});

describe("the caller's name and the quality", () => {
  it('quotes the name, whatever it contains', async () => {
    const rig = await new Rig({ allowSipUris: ['192.0.2.50'] }).start();
    const far = rig.far();
    const fromName = 'Zoë "Z"\r\nEvil: 1';
    const request = { from: '+33199001122', fromName, to: 'sip:bob@192.0.2.50:5062', ringTimeoutMs: 1_000 };
    rig.engine.dial({ legId: 'leg-1', ...request, nearLegId: 'other' });
    await rig.settle();
    const invite = far.request('INVITE');
    expect(Buffer.from(invite.from.displayName!, 'latin1').toString('utf8')).toBe('Zoë "Z"  Evil: 1');
    expect([invite.from.uri.user, invite.headers['evil']]).toEqual(['+33199001122', undefined]);
    expect(invite.headers['p-asserted-identity']).toBeUndefined();
    expect(rig.media.legs.get('leg-1')?.near).toBe('other');
    far.reply(invite, 486);
    await rig.finish();
  });

  it('includes the quality report at the end', async () => {
    const rig = await new Rig().start();
    const call = await rig.connected(rig.far());
    const quality = { codec: 'PCMA', packetsSent: 1, packetsReceived: 2, packetsLost: 0, jitterMs: 3, mos: 4.3 };
    rig.media.quality = quality;
    call.request('BYE');
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ quality });
    await rig.finish();
  });
});
