/** Hold in both directions: offers to the far end, offers of the far end, and glare. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCommand } from '../../src/base/core/leg.ts';
import { type CallIn, type FarEnd, Rig, SDP, sdpWith } from './rig.ts';

const HOLD: LegCommand = { type: 'hold', music: [{ type: 'tone', frequencyHz: 440, durationMs: 100 }] };
const RESUME: LegCommand = { type: 'resume' };

describe('a call on hold', () => {
  let rig: Rig;
  let far: FarEnd;
  let call: CallIn;
  beforeEach(async () => {
    rig = await new Rig({ sessionTimer: { expiresS: 300, minS: 90 } }).start();
    far = rig.far();
    call = await rig.connected(far, { invite: { headers: ['Supported: timer'] } });
    far.clear();
  });
  afterEach(() => rig.finish());

  const send = async (...commands: LegCommand[]) => {
    for (const command of commands) rig.engine.send('leg-1', command);
    await rig.settle();
  };
  const direction = (text: string) => /^a=(sendrecv|sendonly|recvonly|inactive)/m.exec(text)?.[1];
  const offered = () => direction(far.request('INVITE').body.toString());
  const answer = async (line: string, status = 200) => {
    far.reply(far.request('INVITE'), status, status === 200 ? { body: sdpWith(`a=${line}`) } : {});
    await rig.settle();
  };
  const told = () => rig.media.legs.get('leg-1')!.told;
  const farHolds = () => rig.events.flatMap((event) => (event.type === 'far_hold' ? [event.held] : []));

  it('plays music, and is signalled by a re-INVITE, as is its end', async () => {
    await send(HOLD);
    expect([offered(), told()]).toEqual(['sendonly', ['hold 1']]);
    await answer('recvonly');
    expect(rig.media.remote('leg-1')).toMatchObject({ send: true });
    await send(RESUME);
    expect([offered(), told()]).toEqual(['sendrecv', ['hold 1', 'resume']]);
    await answer('sendrecv');
    expect(rig.media.remote('leg-1')).toMatchObject({ send: true, receive: true });
    expect(far.log).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK']);
    expect(rig.types()).toEqual(['answered']);
  });

  it('signals only the latest state if it changes during a re-INVITE', async () => {
    await send(HOLD, RESUME, HOLD, RESUME);
    expect(far.log).toEqual(['INVITE']);
    await answer('recvonly');
    expect(offered()).toBe('sendrecv');
    await answer('sendrecv');
    await send(HOLD, HOLD);
    await answer('recvonly');
    expect(far.log).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK', 'INVITE', 'ACK']);
  });

  it('is tried again after glare', async () => {
    await send(HOLD);
    await answer('', 491);
    expect(far.log).toEqual(['INVITE', 'ACK']);
    const first = far.request('INVITE').cseq.number;
    await rig.advance(2_000);
    expect([far.request('INVITE').cseq.number, offered()]).toEqual([first + 1, 'sendonly']);
    await answer('recvonly');
    expect(rig.media.remote('leg-1')).toMatchObject({ send: true });
  });

  it('is local if the far end refuses it, and is not signalled again', async () => {
    await send(HOLD);
    await answer('', 488);
    await rig.advance(20_000);
    expect([far.log, told()]).toEqual([['INVITE', 'ACK'], ['hold 1']]);
    await send(RESUME);
    expect([far.log, told()]).toEqual([
      ['INVITE', 'ACK'],
      ['hold 1', 'resume'],
    ]);
    await send(HOLD);
    expect(offered()).toBe('sendonly');
    await answer('recvonly');
  });

  it.each([408, 481])('ends if the far end does not know the call any more (%i)', async (status) => {
    await send(HOLD);
    await answer('', status);
    expect(rig.event('ended')).toMatchObject({ by: 'network', sipStatus: status });
    far.reply(far.request('BYE'), 481);
  });

  it('stays so through refreshes of both sides', async () => {
    await send(HOLD);
    await answer('recvonly');
    const headers = ['Supported: timer'];
    call.invite({ headers, body: sdpWith('a=recvonly') });
    await rig.settle();
    expect(direction(far.response(200).body.toString())).toBe('sendonly');
    call.ack();
    call.request('UPDATE', { headers, body: SDP });
    await rig.settle();
    expect(direction(far.response(200, 'UPDATE').body.toString())).toBe('sendonly');
    far.clear();
    await rig.advance(300_000 / 2);
    expect(offered()).toBe('sendonly');
    await answer('recvonly');
  });

  it('waits with it until the INVITE of the far end is acknowledged', async () => {
    call.invite();
    await rig.settle();
    await send(HOLD);
    expect(far.log).toEqual(['200 INVITE']);
    call.ack();
    await rig.settle();
    expect(offered()).toBe('sendonly');
    await answer('recvonly');
  });

  it('accepts an answer that is already on hold', async () => {
    const other = rig.far(5066);
    rig.onIncoming = ({ legId }) => {
      rig.engine.send(legId, HOLD);
      rig.engine.send(legId, { type: 'answer' });
    };
    const later = await rig.connected(other);
    expect(direction(other.response(200).body.toString())).toBe('sendonly');
    expect(other.log).toEqual(['200 INVITE']);
    later.request('BYE');
    await rig.settle();
  });

  it('accepts digits by INFO, which a far end without audio has to use', async () => {
    const press = () =>
      call.request('INFO', { headers: ['Content-Type: application/dtmf-relay'], body: 'Signal=5\r\nDuration=100\r\n' });
    await send(HOLD);
    await answer('recvonly');
    press();
    await rig.settle();
    expect(rig.event('digit')).toMatchObject({ digit: '5' });
  });

  it('reports when the far end holds us, and when it resumes', async () => {
    call.invite({ body: sdpWith('a=sendonly') });
    await rig.settle();
    call.ack();
    await rig.settle();
    expect(farHolds()).toEqual([true]);
    await send({ type: 'send_digits', sendId: 's', digits: '1', toneMs: 100, gapMs: 50 });
    expect(far.request('INFO').body.toString()).toContain('Signal=1');
    await send(HOLD);
    expect(offered()).toBe('inactive');
    await answer('inactive');
    call.invite({ body: SDP });
    await rig.settle();
    expect(direction(far.response(200).body.toString())).toBe('sendonly');
    call.ack();
    await rig.settle();
    expect(farHolds()).toEqual([true, false]);
    await send(RESUME);
    await answer('sendonly');
    expect(farHolds()).toEqual([true, false, true]);
  });

  it('reports a far end that answers with a hold', async () => {
    rig.onIncoming = () => {};
    const other = rig.far(5066);
    const offerless = await rig.connected(other, { invite: { body: '' } });
    offerless.request('BYE');
    await rig.settle();
    expect(rig.types('leg-2')).not.toContain('far_hold');
    const third = rig.far(5067);
    await rig.connected(third, { invite: { body: sdpWith('a=inactive') } });
    expect(rig.types('leg-3')).toEqual(['answered', 'far_hold']);
  });
});
