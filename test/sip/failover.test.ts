/**
 * Calls to a carrier with several addresses: the next is tried when one refuses the call, and no branch is left
 * ringing.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FarEnd, Rig, SDP } from './rig.ts';

const FIRST = '192.0.2.71';
const SECOND = '192.0.2.72';

describe('a call to a carrier with two addresses', () => {
  let rig: Rig;
  let second: FarEnd;
  beforeEach(async () => {
    const route = { prefix: '', uri: 'sip:trunk.example.com', username: 'we', password: 'pw' };
    rig = await new Rig({ routes: [route] }).start();
    rig.services['_sip._udp.trunk.example.com'] = [
      { priority: 2, weight: 0, port: 5062, name: 'b.example.com' },
      { priority: 1, weight: 0, port: 5062, name: 'a.example.com' },
    ];
    rig.names['a.example.com'] = [FIRST];
    rig.names['b.example.com'] = [SECOND];
    second = rig.far(5062, SECOND);
  });
  afterEach(() => rig.finish());

  const dial = async (legId = 'leg-1') => {
    rig.engine.dial({ legId, from: '+49301234', to: '+49891234', ringTimeoutMs: 30_000 });
    await rig.settle();
  };
  const answer = async (far: FarEnd) => {
    far.reply(far.request('INVITE'), 200, { body: SDP, tag: far.place.host });
    await rig.settle();
  };

  it('goes to the preferred one', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    await answer(first);
    await rig.advance(10_000);
    expect([first.log, second.log, rig.types()]).toEqual([['INVITE', 'ACK'], [], ['answered']]);
  });

  it('goes to the next when the preferred one cannot be reached, and the next call there at once', async () => {
    await dial();
    await answer(second);
    expect([second.log, rig.types()]).toEqual([['INVITE', 'ACK'], ['answered']]);
    const first = rig.far(5062, FIRST);
    await dial('leg-2');
    expect([first.log, second.log]).toEqual([[], ['INVITE', 'ACK', 'INVITE']]);
    second.reply(second.request('INVITE'), 486);
    await rig.advance(30_000);
    await dial('leg-3');
    expect(first.log).toEqual(['INVITE']);
  });

  it('goes to the next when the preferred one answers 503: the same request, except for its branch', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    const refused = first.request('INVITE');
    first.reply(refused, 180);
    await rig.settle();
    first.reply(refused, 503);
    await rig.settle();
    expect(first.log).toEqual(['INVITE', 'ACK']);
    const taken = second.request('INVITE');
    expect(taken.via.params['branch']).not.toBe(refused.via.params['branch']);
    expect([taken.callId, taken.cseq, taken.from.params['tag'], taken.uri.text]).toEqual([
      refused.callId,
      refused.cseq,
      refused.from.params['tag'],
      'sip:+49891234@trunk.example.com',
    ]);
    expect(rig.engine.counts().sessions).toBe(0);
    second.reply(taken, 180);
    await answer(second);
    expect(rig.types()).toEqual(['ringing', 'answered']);
  });

  it.each([486, 500, 404, 302])('is not retried after %i', async (status) => {
    const first = rig.far(5062, FIRST);
    await dial();
    first.reply(first.request('INVITE'), status);
    await rig.settle();
    expect(second.log).toEqual([]);
    expect(rig.event('ended')).toMatchObject({ by: 'far', sipStatus: status });
  });

  it('ends with the refusal of the last', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    for (const far of [first, second]) {
      far.reply(far.request('INVITE'), 503);
      await rig.settle();
    }
    expect(rig.event('ended')).toMatchObject({ cause: { code: 41 }, by: 'far', sipStatus: 503 });
  });

  it('ends when none can be reached', async () => {
    rig.net.unbind(second.place);
    await dial();
    expect(rig.event('ended')).toMatchObject({ cause: { code: 38 }, by: 'network' });
  });

  it('authenticates where it was challenged', async () => {
    await dial();
    const challenge = { headers: ['WWW-Authenticate: Digest realm="r", nonce="n"'] };
    second.reply(second.request('INVITE'), 401, challenge);
    await rig.settle();
    expect(second.log).toEqual(['INVITE', 'ACK', 'INVITE']);
    expect(second.request('INVITE').headers['authorization']).toHaveLength(1);
    await answer(second);
    expect(rig.types()).toEqual(['answered']);
  });

  it('waits for an address that has sent 100', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    first.reply(first.request('INVITE'), 100);
    await rig.advance(20_000);
    expect(second.log).toEqual([]);
    await answer(first);
    expect(rig.types()).toEqual(['answered']);
  });

  describe('with a silent preferred address', () => {
    let first: FarEnd;
    beforeEach(async () => {
      first = rig.far(5062, FIRST);
      await dial();
      await rig.advance(3_999);
      expect([first.log.length, second.log]).toEqual([4, []]);
      await rig.advance(1);
      expect(second.log).toEqual(['INVITE']);
    });

    it('goes to the next, and is not retransmitted to the first', async () => {
      second.reply(second.request('INVITE'), 180);
      await rig.advance(20_000);
      await answer(second);
      expect([first.log.length, rig.types()]).toEqual([4, ['ringing', 'answered']]);
    });

    it('cancels it when it responds late', async () => {
      first.reply(first.request('INVITE'), 180);
      await rig.settle();
      expect(first.log.slice(4)).toEqual(['CANCEL']);
      expect(rig.types()).toEqual([]);
      first.reply(first.request('CANCEL'), 200);
      first.reply(first.request('INVITE'), 487);
      await answer(second);
      expect([first.log.slice(4), rig.types()]).toEqual([['CANCEL', 'ACK'], ['answered']]);
    });

    it.each<[when: string, answeredBefore: boolean]>([
      ['before', false],
      ['after', true],
    ])('hangs up on it when it answers %s the other', async (_, answeredBefore) => {
      second.reply(second.request('INVITE'), 180, { tag: SECOND });
      await rig.settle();
      if (answeredBefore) await answer(second);
      first.reply(first.request('INVITE'), 200, { body: SDP });
      first.reply(first.request('INVITE'), 200, { body: SDP });
      await rig.settle();
      expect(first.log.slice(4)).toEqual(['ACK', 'BYE', 'ACK']);
      first.reply(first.request('BYE'), 200);
      await rig.settle();
      if (!answeredBefore) await answer(second);
      expect(rig.types()).toEqual(['ringing', 'answered']);
      expect(rig.engine.counts().sessions).toBe(1);
    });

    it('is cancelled at both', async () => {
      second.reply(second.request('INVITE'), 180);
      await rig.settle();
      rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
      await rig.settle();
      expect(second.log).toEqual(['INVITE', 'CANCEL']);
      second.reply(second.request('CANCEL'), 200);
      second.reply(second.request('INVITE'), 487);
    });
  });

  it('is not retried elsewhere if it was cancelled', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.advance(5_000);
    first.reply(first.request('INVITE'), 503);
    await rig.settle();
    expect([second.log, rig.types()]).toEqual([[], ['ended']]);
  });

  it('is hung up through the other address when the first one is gone', async () => {
    const first = rig.far(5062, FIRST);
    await dial();
    const route = 'Record-Route: <sip:trunk.example.com;lr>';
    first.reply(first.request('INVITE'), 200, { body: SDP, headers: [route] });
    await rig.settle();
    expect(first.log).toEqual(['INVITE', 'ACK']);
    rig.net.unbind(first.place);
    rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
    await rig.settle();
    second.reply(second.request('BYE'), 200);
    await rig.settle();
    expect(rig.engine.counts().sessions).toBe(0);
  });
});
