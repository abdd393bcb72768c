/** The events that report a broadcast as a whole, not its calls. */
import { describe, expect, it } from 'vitest';
import type { Broadcast } from '../../src/service/calls/broadcast/broadcast.ts';
import type { BroadcastEvent } from '../../src/service/calls/broadcast/broadcasts.ts';
import { broadcastDeliveries, callOrBroadcastId } from '../../src/service/observers/webhooks/broadcast-events.ts';

const T0 = Date.parse('2026-03-02T08:30:00Z');
const RETRY = { retries: 0, intervalMs: 0 };
const broadcast: Broadcast = {
  order: {
    broadcastId: 'b-1',
    projectId: 'project-1',
    name: 'reminder',
    from: '1000',
    eventUrl: 'https://app.example/events',
    autoRecord: false,
    pacing: {},
    retry: { busy: RETRY, no_answer: RETRY, declined: RETRY, unreachable: RETRY },
    ringTimeoutMs: 60_000,
    idleTimeoutMs: 10_000,
    redialLost: false,
  },
  state: 'running',
  createdMs: T0 - 1000,
  numbers: 10,
};
const common = {
  app_instance: 'b-1',
  broadcast_id: 'b-1',
  appInstance: 'b-1',
  application_name: 'reminder',
  timestamp: '2026-03-02T08:30:00.000Z',
};

const deliveriesFor = (what: BroadcastEvent, changes: Partial<Broadcast> = {}) =>
  broadcastDeliveries(
    { ...broadcast, ...changes },
    what,
    { success: 7, failed: 3 },
    { nextId: () => 'event-7', nowMs: T0 },
  );

describe('events of a broadcast', () => {
  it('queues them under their own key, for the project and URL of the broadcast', () => {
    expect(deliveriesFor('initiated')).toEqual([
      {
        id: 'event-7',
        projectId: 'project-1',
        orderKey: 'b-1',
        url: 'https://app.example/events',
        payload: { ...common, state: 'initiated' },
        createdMs: T0,
        partOf: 'b-1',
      },
    ]);
  });

  it.each(['complete', 'failed'] as const)('sends the final event (%s) after the events of its calls', (what) => {
    const [end] = deliveriesFor(what);
    expect(end).toMatchObject({ afterPartsOf: 'b-1' });
    expect(end?.orderKey).not.toBe('b-1');
    expect(callOrBroadcastId(end?.orderKey ?? '')).toBe('b-1');
    expect(callOrBroadcastId('call-7')).toBe('call-7');
  });

  it('creates no event without an event URL, even if its calls have one', () => {
    const { eventUrl: _, ...order } = broadcast.order;
    for (const what of ['initiated', 'complete', 'failed'] as const) {
      expect(deliveriesFor(what, { order: { ...order, callHandlerUrl: 'https://app.example/calls' } })).toEqual([]);
    }
  });

  it('reports the end with its counts, in both spellings', () => {
    const made = { successfull_calls: 7, failed_calls: 3 };
    expect(deliveriesFor('complete')[0]!.payload).toEqual({
      ...common,
      state: 'broadcastcomplete',
      resultset: made,
      resultSet: made,
    });
  });

  it('includes the state of a stopped broadcast', () => {
    expect(deliveriesFor('complete', { state: 'stopped' })[0]!.payload).toMatchObject({
      state: 'broadcastcomplete',
      stopped: true,
    });
  });

  it('reports the reason why a broadcast failed', () => {
    expect(deliveriesFor('failed', { state: 'failed', error: 'the flow is gone' })[0]!.payload).toEqual({
      ...common,
      state: 'failed',
      error_description: 'the flow is gone',
    });
    expect(deliveriesFor('failed')[0]!.payload['error_description']).toEqual(expect.any(String));
  });

  it('includes the owner reference unchanged', () => {
    expect(deliveriesFor('initiated', { order: { ...broadcast.order, ownerRef: 'r-1' } })[0]!.payload).toMatchObject({
      owner_ref: 'r-1',
    });
  });
});
