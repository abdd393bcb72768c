/** Reason of a CANCEL (RFC 3326): phones whose call was answered elsewhere show no missed call (fixture 12). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { CallIn, type FarEnd, Rig, SDP } from './rig.ts';

const ELSEWHERE = 'SIP;cause=200;text="Call completed elsewhere"';
const ALICE = { name: 'alice', password: 'secret' };

let rig: Rig;
let desk: FarEnd;
let mobile: FarEnd;
beforeEach(async () => {
  rig = await new Rig({ users: [ALICE] }).start();
  desk = rig.far(5071);
  mobile = rig.far(5072);
  for (const phone of [desk, mobile]) {
    await rig.register(phone, ALICE, `<sip:alice@${phone.place.host}:${phone.place.port}>`);
    phone.clear();
  }
});
afterEach(() => rig.finish());

const conclude = async (...phones: FarEnd[]) => {
  for (const phone of phones) {
    phone.reply(phone.request('CANCEL'), 200);
    phone.reply(phone.request('INVITE'), 487, { tag: `at-${phone.place.port}` });
  }
  await rig.settle();
};
const reasonAt = (phone: FarEnd) => headerOf(phone.request('CANCEL'), 'reason');

describe('the CANCEL to a phone', () => {
  beforeEach(async () => {
    rig.engine.dial({ legId: 'leg-1', from: '100', to: 'user:alice', ringTimeoutMs: 30_000 });
    await rig.settle();
    for (const phone of [desk, mobile]) phone.reply(phone.request('INVITE'), 180, { tag: `at-${phone.place.port}` });
    await rig.settle();
  });

  it('reports the answer of another phone of the user', async () => {
    mobile.reply(mobile.request('INVITE'), 200, { tag: 'at-5072', body: SDP });
    await rig.settle();
    expect(reasonAt(desk)).toBe(ELSEWHERE);
    await conclude(desk);
  });

  it.each([
    [26, ELSEWHERE],
    [16, undefined],
    [19, undefined],
  ])('has the cause %i as %j', async (cause, reason) => {
    rig.engine.send('leg-1', { type: 'hangup', cause });
    await rig.settle();
    expect([reasonAt(desk), reasonAt(mobile)]).toEqual([reason, reason]);
    await conclude(desk, mobile);
  });

  it('has no Reason if no phone answered in time', async () => {
    await rig.advance(30_000);
    expect(reasonAt(desk)).toBeUndefined();
    await conclude(desk, mobile);
  });
});

describe('the CANCEL of a caller', () => {
  it.each([
    [`Reason: ${ELSEWHERE}`, 26],
    ['Reason: SIP ;cause=200 ;text="x"', 26],
    ['Reason: Q.850;cause=17, SIP;cause=200', 17],
    ['Reason: SIP;cause=2000', 16],
    ['Reason: SIP;cause=487', 16],
  ])('%s: ends the call with the cause %i', async (reason, code) => {
    const call = new CallIn(rig.far(5062), { from: '<sip:carol@192.0.2.50>;tag=c' });
    call.invite();
    await rig.settle();
    call.request('CANCEL', { branch: call.inviteBranch, cseq: call.inviteCseq, headers: [reason] });
    await rig.settle();
    expect(rig.event('ended')).toMatchObject({ cause: { code }, by: 'far' });
    call.ackRefusal(487);
  });
});
