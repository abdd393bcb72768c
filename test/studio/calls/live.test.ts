import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRow } from '../../../src/pages/studio/web/call-rows/call-row.ts';
import { merged } from '../../../src/pages/studio/web/calls/call-records.ts';
import {
  applyEvent,
  countsOf,
  type LiveCallList,
  NO_CALLS,
  withListed,
} from '../../../src/pages/studio/web/live/live-calls.ts';
import { EventStreamReader } from '../../../src/pages/studio/web/live/sse.ts';

describe('stream of live events', () => {
  const text =
    ': hello\r\nretry: 1000\nid: a-1\nevent: step\ndata: {"a":\ndata: 1}\n\nid: a-2\n\rdata:x\r\n\r\nevent: y\n\n';
  const whole = [
    { event: 'step', data: '{"a":\n1}', id: 'a-1' },
    { event: 'message', data: 'x', id: 'a-2' },
  ];

  it('is read completely in one chunk', () => {
    const reader = new EventStreamReader();
    expect(reader.read(text)).toEqual(whole);
    expect([reader.lastId, reader.retryMs]).toEqual(['a-2', 1000]);
  });

  it('is read equally for any split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const reader = new EventStreamReader();
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const events = places.slice(1).flatMap((to, index) => reader.read(text.slice(places[index], to)));
        expect(events).toEqual(whole);
        expect(reader.lastId).toBe('a-2');
      }),
    );
  });

  it('keeps the last id at a heartbeat and at invalid lines', () => {
    const reader = new EventStreamReader();
    expect(reader.read(':\nid: a-9\n\nunknown: 1\nretry: soon\n\n')).toEqual([]);
    expect([reader.lastId, reader.retryMs]).toEqual(['a-9', undefined]);
  });
});

describe('live calls', () => {
  const begun = (voice_id: string) => ({
    voice_id,
    direction: 'Inbound',
    from: '+331',
    to: '1000',
    flow: 'shop',
    state: 'connected',
    started: '2026-03-02T08:00:00Z',
  });
  const following = (...events: [string, object][]): LiveCallList =>
    events.reduce((live, [event, data]) => applyEvent(live, event, data as never), NO_CALLS);

  it('are counted by their current steps', () => {
    const live = following(
      ['call', begun('a')],
      ['call', begun('b')],
      ['call', begun('c')],
      ['step', { voice_id: 'a', flow: 'shop', step: 'menu' }],
      ['step', { voice_id: 'b', flow: 'shop', step: 'menu' }],
      ['step', { voice_id: 'b', flow: 'shop', step: 'menu', outcome: 'orders' }],
      ['step', { voice_id: 'c', flow: 'pin', step: 'ask' }],
      ['call', { ...begun('a'), state: 'bridged' }],
    );
    expect(countsOf(live, 'shop')).toEqual(new Map([['menu', 2]]));
    expect(countsOf(live, 'pin')).toEqual(new Map([['ask', 1]]));
    expect(live.calls.get('a')).toMatchObject({ state: 'bridged', step: 'menu' });
  });

  it('are removed when they end, and a list in flight does not bring them back', () => {
    const live = withListed(
      following(
        ['call', begun('a')],
        ['step', { voice_id: 'a', flow: 'shop', step: 'menu' }],
        ['ended', { voice_id: 'b' }],
      ),
      [
        {
          id: 'a',
          direction: 'in',
          from: '+331',
          to: '1000',
          flow: 'shop',
          state: 'ringing',
          startedMs: 1,
          isRecorded: false,
        },
        {
          id: 'b',
          direction: 'in',
          from: '+332',
          to: '1000',
          flow: 'shop',
          state: 'ringing',
          startedMs: 1,
          isRecorded: false,
        },
        {
          id: 'c',
          direction: 'in',
          from: '+333',
          to: '1000',
          flow: 'shop',
          state: 'ringing',
          startedMs: 1,
          isRecorded: false,
        },
      ],
    );
    expect([...live.calls.keys()]).toEqual(['a', 'c']);
    expect(live.calls.get('a')).toMatchObject({ state: 'connected', step: 'menu' });
  });

  it('keeps ended calls in the list of all calls until their records contain more', () => {
    const live = following(
      ['call', begun('a')],
      ['step', { voice_id: 'a', flow: 'shop', step: 'menu' }],
      ['call', begun('b')],
      ['ended', { voice_id: 'a', at: '2026-03-02T08:01:00Z', state: 'disconnected', disconnect_reason: 'normal' }],
    );
    const shown = merged(new Map(), live);
    expect(shown.map(({ id, endedMs }) => [id, endedMs])).toEqual([
      ['b', undefined],
      ['a', Date.parse('2026-03-02T08:01:00Z')],
    ]);
    expect(shown[1]).toMatchObject({ from: '+331', state: 'disconnected', cause: 'normal' });
    expect(shown[1]).not.toHaveProperty('step');
    const stale = { ...shown[1]!, endedMs: undefined } as unknown as CallRow;
    expect(merged(new Map([['a', stale]]), live)).toEqual(shown);
    const record = { ...shown[1]!, mos: 4.2 };
    expect(merged(new Map([['a', record]]), live)[1]).toEqual(record);
  });

  it('are kept in a limited number after their end', () => {
    let live = NO_CALLS;
    for (let at = 0; at < 1100; at++) {
      live = applyEvent(live, 'call', begun(`call ${at}`));
      live = applyEvent(live, 'ended', { voice_id: `call ${at}`, at: '2026-03-02T08:01:00Z' });
    }
    expect([live.calls.size, live.ended.size, live.ended.has('call 1099'), live.ended.has('call 0')]).toEqual([
      0,
      1000,
      true,
      false,
    ]);
  });

  it.each([[null], [[]], ['x'], [{}], [{ voice_id: 1 }]])('are not changed by the invalid event %j', (data) => {
    const live = following(['call', begun('a')]);
    for (const event of ['call', 'step', 'ended', 'broadcast']) {
      expect(applyEvent(live, event, data as never)).toBe(live);
    }
    expect(applyEvent(live, 'broadcast', { voice_id: 'a' })).toBe(live);
    expect(applyEvent(live, 'step', { voice_id: 'z', flow: 'shop', step: 'menu' })).toBe(live);
  });

  it('are removed from the list at a reset', () => {
    expect(applyEvent(following(['call', begun('a')]), 'reset', {}).calls.size).toBe(0);
  });
});
