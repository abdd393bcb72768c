import { describe, expect, it } from 'vitest';
import type { SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import { deliveryOf, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { deferred, ERROR, OK, Rig, SECRET } from './rig.ts';

const HOUR_MS = 3_600_000;

function started(...args: ConstructorParameters<typeof Rig>): Rig {
  const rig = new Rig(...args);
  rig.dispatcher.start();
  return rig;
}

describe('delivery of events', () => {
  it('sends committed events, signed, and removes them when the receiver has accepted them', async () => {
    const rig = started();
    await rig.put(['a1']);
    expect(rig.sent).toEqual([
      {
        id: 'a1',
        url: 'http://receiver.example/events',
        body: '{"voice_id":"a","n":"a1"}',
        headers: {
          'webhook-id': 'a1',
          'webhook-timestamp': String(T0 / 1000),
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
        },
        atMs: 0,
      },
    ]);
    expect(await rig.waiting()).toBe(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('continues with the events of an earlier process, in line and beside it, each when it is due', async () => {
    const before = new Rig();
    await before.put(['a1', 'a2', 'b1']);
    await before.store.outbox.postpone('a1', { attempts: 2, dueMs: T0 + 20_000 });
    await before.store.outbox.postpone('b1', { attempts: 1, dueMs: T0 + 5000 });
    await before.store.outbox.leaveLine('b1');
    const rig = started({}, before.store);
    await rig.settle();
    expect(rig.ids).toEqual([]);
    await rig.advance(5000);
    expect(rig.ids).toEqual(['b1']);
    await rig.advance(15_000);
    expect(rig.ids).toEqual(['b1', 'a1', 'a2']);
  });

  it('sends nothing before the start, and nothing new after the stop', async () => {
    const rig = new Rig();
    await rig.put(['a1']);
    expect(rig.ids).toEqual([]);
    rig.dispatcher.start();
    rig.dispatcher.start();
    await rig.settle();
    expect(rig.ids).toEqual(['a1']);
    rig.receive = () => ERROR;
    await rig.put(['b1']);
    await rig.dispatcher.stop();
    expect(rig.closed).toBe(true);
    await rig.put(['c1']);
    await rig.advance(HOUR_MS);
    expect(rig.ids).toEqual(['a1', 'b1']);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('waits at the stop for the attempt in flight, and records its outcome', async () => {
    const rig = started();
    const answer = deferred<SendResult>();
    rig.receive = () => answer.promise;
    await rig.put(['a1', 'a2']);
    let stopped = false;
    const stop = rig.dispatcher.stop().then(() => {
      stopped = true;
    });
    await rig.settle();
    expect(stopped).toBe(false);
    answer.resolve(OK);
    await stop;
    expect(rig.ids).toEqual(['a1']);
    expect(await rig.store.outbox.headOfLine('a', 9)).toMatchObject([{ id: 'a2' }]);
  });

  it('logs each attempt in one line, without the payload and the secrets of the URL', async () => {
    const rig = started();
    rig.receive = () => ERROR;
    await rig.put(['a1'], 'https://user:hunter2@receiver.example/events?token=abc#frag');
    expect(rig.lines).toEqual([
      {
        level: 'warn',
        message: 'delivery.attempted',
        fields: expect.objectContaining({
          deliveryId: 'a1',
          projectId: 'project-1',
          callId: 'a',
          target: 'https://receiver.example/events',
          attempt: 1,
          outcome: 'failed',
          status: 500,
          retryInMs: 1000,
        }),
      },
    ]);
    expect(JSON.stringify(rig.lines)).not.toMatch(/hunter2|token|voice_id|whsec|v1,/);
  });

  it('logs a first-time success at `debug`, and a success after retries at `info`', async () => {
    const rig = started();
    await rig.put(['a1']);
    rig.receive = () => ERROR;
    await rig.put(['b1']);
    rig.receive = () => OK;
    await rig.clock.advance(1000);
    await rig.settle();
    expect(rig.lines.map(({ level, fields }) => [fields['deliveryId'], level])).toEqual([
      ['a1', 'debug'],
      ['b1', 'warn'],
      ['b1', 'info'],
    ]);
  });
});

describe('retries of events', () => {
  it('retries after 1 s, 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h and 6 h, then dead-letters the event', async () => {
    const rig = started();
    rig.receive = () => ERROR;
    await rig.put(['a1']);
    await rig.advance(24 * HOUR_MS);
    const delays = rig.sent.slice(1).map(({ atMs }, index) => (atMs - rig.sent[index]!.atMs) / 1000);
    expect(delays).toEqual([1, 5, 30, 120, 600, 1800, 3600, 10_800, 21_600]);
    expect(await rig.store.outbox.findDeadLetter('a1')).toMatchObject({ deathCause: 'exhausted' });
    expect(rig.lines.at(-1)!.fields).toMatchObject({ attempt: 10, outcome: 'dead', deathCause: 'exhausted' });
    expect(new Set(rig.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(rig.sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
  });

  it.each([
    [0, 800, 4000],
    [0.999999, 1200, 6000],
  ])('shifts a retry by a fifth at most (chance %d)', async (random, first, second) => {
    const rig = started({ random: () => random });
    rig.receive = () => ERROR;
    await rig.put(['a1']);
    await rig.advance(8000);
    expect(rig.sent.slice(0, 3).map(({ atMs }) => atMs)).toEqual([0, first, first + second]);
  });

  it.each<[string, SendResult]>([
    ['a server error', ERROR],
    ['a redirect', { status: 302, body: { text: '' } }],
    ['not found', { status: 404, body: { text: '' } }],
    ['a time-out', { failure: 'timeout' }],
    ['no connection', { failure: 'connection_refused' }],
    ['an unknown name', { failure: 'name_not_found' }],
  ])('retries after the failure %s', async (_, result) => {
    const rig = started();
    rig.receive = ({ atMs }) => (atMs === 0 ? result : OK);
    await rig.put(['a1']);
    await rig.advance(1000);
    expect(rig.ids).toEqual(['a1', 'a1']);
    expect(await rig.waiting()).toBe(0);
  });

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])('retries on schedule when the wall clock is set an hour %s', async (_way, byMs) => {
    const rig = started();
    rig.receive = () => (rig.sent.length === 1 ? ERROR : OK);
    await rig.put(['a1']);
    expect(rig.ids).toEqual(['a1']);
    rig.clock.setWallClock(byMs);
    await rig.advance(1500);
    expect(rig.ids).toEqual(['a1', 'a1']);
    await rig.put(['b1']);
    expect(rig.ids.at(-1)).toBe('b1');
  });

  it('does not lose an event whose outcome cannot be recorded, and does not send it again if it was accepted', async () => {
    const rig = started();
    const { outbox } = rig.store;
    const delivered = outbox.delivered.bind(outbox);
    let full = true;
    outbox.delivered = async (id) => {
      if (full) throw new Error('disk full');
      return delivered(id);
    };
    await rig.put(['a1', 'a2']);
    expect(rig.ids).toEqual(['a1']);
    expect(rig.lines.at(-1)).toMatchObject({ level: 'error', message: 'delivery.unrecorded' });
    full = false;
    await rig.advance(5000);
    expect(rig.ids).toEqual(['a1', 'a2']);
    expect(await rig.waiting()).toBe(0);
  });
});

describe('dead letters', () => {
  it('makes the event a dead letter after a 410, and disables its URL for the project', async () => {
    const rig = started();
    rig.receive = ({ id }) => (id === 'a1' ? { status: 410, body: { text: '' } } : OK);
    await rig.put(['a1', 'a2']);
    await rig.put(['b1']);
    await rig.put(['c1'], 'http://receiver.example/other');
    expect(rig.ids).toEqual(['a1', 'c1']);
    expect(
      (await rig.store.outbox.deadLetters('project-1', 9)).map(({ id, deathCause }) => `${id} ${deathCause}`),
    ).toEqual(expect.arrayContaining(['a1 gone', 'a2 gone', 'b1 gone']));
  });

  it.each<[string, Partial<Parameters<typeof deliveryOf>[2]>, SendResult, string]>([
    ['a target that is not allowed', {}, { failure: 'refused_target' }, 'refused'],
    ['a project without a secret', { projectId: 'stranger' }, OK, 'unsigned'],
  ])('makes an event for %s a dead letter at once', async (_, changes, result, deathCause) => {
    const rig = started();
    rig.receive = () => result;
    await rig.store.calls.commit(writeOf('a', [1], { deliveries: [deliveryOf('a1', 'a', changes ?? {})] }));
    await rig.settle();
    expect(await rig.store.outbox.findDeadLetter('a1')).toMatchObject({ deathCause });
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('skips an event deleted during the attempt before it, and sends its successor', async () => {
    const rig = started();
    rig.receive = () => ERROR;
    await rig.put(['a1', 'a2', 'b1']);
    rig.receive = () => OK;
    const { deliveries } = await rig.store.people.deleteCalls([recordOf('a')]);
    rig.dispatcher.forget(deliveries);
    expect([...deliveries].sort()).toEqual(['a1', 'a2']);
    await rig.put(['c1']);
    await rig.advance(HOUR_MS);
    expect(rig.ids.filter((id) => id !== 'a1').sort()).toEqual(['b1', 'b1', 'c1']);
    expect(rig.ids.filter((id) => id === 'a1')).toHaveLength(1);
    expect(await rig.waiting()).toBe(0);
    expect(rig.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
  });

  it('skips an event deleted while it waits in memory for its turn', async () => {
    const first = deferred<SendResult>();
    const rig = started();
    rig.receive = ({ id }) => (id === 'a1' ? first.promise : OK);
    await rig.put(['a1', 'a2', 'a3']);
    const { deliveries } = await rig.store.people.deleteCalls([recordOf('a')]);
    rig.dispatcher.forget(deliveries);
    first.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1']);
    expect(rig.dispatcher.inMemory().deliveries).toBe(0);
  });

  it('skips a deleted event even if the next one cannot be read at once', async () => {
    const first = deferred<SendResult>();
    const rig = started({ limits: { total: 1, perReceiver: 1 } });
    rig.receive = ({ id }) => (id === 'a1' ? first.promise : OK);
    await rig.put(['a1', 'b1', 'c1']);
    const { deliveries } = await rig.store.people.deleteCalls([recordOf('b')]);
    rig.dispatcher.forget(deliveries);
    const { outbox } = rig.store;
    const headOfLine = outbox.headOfLine.bind(outbox);
    outbox.headOfLine = async (orderKey, count) => {
      if (orderKey === 'b') throw new Error('busy');
      return headOfLine(orderKey, count);
    };
    first.resolve(OK);
    await rig.advance(5000);
    expect(rig.ids).toEqual(['a1', 'c1']);
    expect(rig.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
  });

  it('skips an event deleted while its call is paused', async () => {
    const rig = started();
    const release = rig.dispatcher.pause('a');
    await rig.put(['a1']);
    const { deliveries } = await rig.store.people.deleteCalls([recordOf('a')]);
    rig.dispatcher.forget(deliveries);
    release();
    await rig.settle();
    expect(rig.ids).toEqual([]);
    expect(rig.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
  });

  it('skips an event deleted while the outbox is read', async () => {
    const rig = new Rig();
    const { outbox } = rig.store;
    const due = outbox.due.bind(outbox);
    const late = deferred<void>();
    outbox.due = async (receiver, query) => {
      const found = await due(receiver, query);
      await late.promise;
      return found;
    };
    await rig.put(['a1', 'b1']);
    rig.dispatcher.start();
    await rig.settle();
    const { deliveries } = await rig.store.people.deleteCalls([recordOf('a')]);
    rig.dispatcher.forget(deliveries);
    late.resolve();
    await rig.settle();
    expect(rig.ids).toEqual(['b1']);
    expect(rig.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
  });

  it('sends a dead letter that is requeued while the next event in line is read', async () => {
    const rig = new Rig();
    const { outbox } = rig.store;
    const headOfLine = outbox.headOfLine.bind(outbox);
    const late = deferred<void>();
    outbox.headOfLine = async (orderKey, count) => {
      const found = await headOfLine(orderKey, count);
      await late.promise;
      return found;
    };
    rig.receive = () => (rig.ids.length === 1 ? { failure: 'refused_target' } : OK);
    await rig.put(['a1']);
    rig.dispatcher.start();
    await rig.settle();
    expect(await rig.dispatcher.requeue('a1')).toBe(true);
    await rig.settle();
    late.resolve();
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a1']);
    expect(await rig.waiting()).toBe(0);
  });

  it('sends the next event in line after a dead letter', async () => {
    const rig = started();
    rig.receive = ({ id }) => (id === 'a1' ? { failure: 'refused_target' } : OK);
    await rig.put(['a1', 'a2']);
    expect(rig.ids).toEqual(['a1', 'a2']);
  });

  it('enables their URL and restarts the schedule when requeued', async () => {
    const rig = started();
    rig.receive = () => ({ status: 410, body: { text: '' } });
    await rig.put(['a1']);
    expect(await rig.dispatcher.requeue('a1')).toBe(true);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a1']);
    expect(await rig.store.outbox.findDeadLetter('a1')).toBeDefined();
    rig.receive = ({ atMs }) => (atMs < 1000 ? ERROR : OK);
    expect(await rig.dispatcher.requeue('a1')).toBe(true);
    await rig.advance(1000);
    expect(rig.ids).toHaveLength(4);
    expect(await rig.waiting()).toBe(0);
    expect(await rig.store.outbox.isDisabled('project-1', 'http://receiver.example/events')).toBe(false);
  });

  it('requeues all of a project, even while another event of the same call is being sent', async () => {
    const rig = started();
    rig.receive = () => ({ status: 410, body: { text: '' } });
    await rig.put(['a1', 'a2']);
    const hanging = deferred<SendResult>();
    rig.receive = ({ id }) => (id === 'a3' ? hanging.promise : OK);
    await rig.put(['a3'], 'http://receiver.example/other');
    expect(await rig.dispatcher.requeueAll('project-2')).toBe(0);
    expect(await rig.dispatcher.requeueAll('project-1')).toBe(2);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a3']);
    hanging.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a3', 'a1', 'a2']);
    expect(await rig.waiting()).toBe(0);
  });

  it('refuses to requeue an event that is not a dead letter', async () => {
    const rig = started();
    rig.receive = () => ERROR;
    await rig.put(['a1']);
    expect(await rig.dispatcher.requeue('a1')).toBe(false);
    expect(await rig.dispatcher.requeue('nobody')).toBe(false);
    expect(rig.ids).toEqual(['a1']);
  });
});

describe('order of events', () => {
  it('sends the events of a call one at a time, in order', async () => {
    const rig = started();
    const answers = new Map(['a1', 'a2', 'a3'].map((id) => [id, deferred<SendResult>()]));
    rig.receive = ({ id }) => answers.get(id)!.promise;
    await rig.put(['a1', 'a2']);
    expect(rig.ids).toEqual(['a1']);
    await rig.put(['a3']);
    answers.get('a1')!.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2']);
    answers.get('a2')!.resolve(OK);
    answers.get('a3')!.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2', 'a3']);
  });

  it('sends events one at a time if they are committed before an acceptance is confirmed', async () => {
    const rig = started();
    const { outbox } = rig.store;
    const delivered = outbox.delivered.bind(outbox);
    const confirmed = deferred<void>();
    outbox.delivered = async (id) => {
      await delivered(id);
      if (id === 'a1') await confirmed.promise;
    };
    const answer = deferred<SendResult>();
    rig.receive = ({ id }) => (id === 'a2' ? answer.promise : OK);
    await rig.put(['a1']);
    await rig.put(['a2', 'a3']);
    expect(rig.ids).toEqual(['a1', 'a2']);
    confirmed.resolve();
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2']);
    answer.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2', 'a3']);
    expect(await rig.waiting()).toBe(0);
  });

  it('delays only the successors of a failing event, and no other events', async () => {
    const rig = started();
    rig.receive = ({ id, atMs }) => (id === 'a1' && atMs < 6000 ? ERROR : OK);
    await rig.put(['a1', 'a2', 'b1']);
    expect(rig.ids).toEqual(['a1', 'b1']);
    await rig.advance(6000);
    expect(rig.ids).toEqual(['a1', 'b1', 'a1', 'a1', 'a2']);
  });

  it('lets an event wait without limit for its predecessor once its call has ended', async () => {
    const rig = started();
    rig.receive = ({ id, atMs }) => (id === 'a1' && atMs < HOUR_MS ? ERROR : OK);
    await rig.put(['a1', 'a2']);
    await rig.advance(HOUR_MS - 1);
    expect(new Set(rig.ids)).toEqual(new Set(['a1']));
    await rig.advance(2 * HOUR_MS);
    expect(rig.ids.at(-1)).toBe('a2');
  });

  it('lets an event of a live call wait at most ten seconds, and retries the failing one outside the line', async () => {
    const rig = started();
    rig.live.add('a');
    rig.receive = ({ id, atMs }) => (id === 'a1' && atMs < 30_000 ? ERROR : OK);
    await rig.put(['a1', 'a2']);
    await rig.advance(9999);
    expect(rig.ids).toEqual(['a1', 'a1', 'a1']);
    await rig.advance(1);
    expect(rig.sent.at(-1)).toMatchObject({ id: 'a2', atMs: 10_000 });
    await rig.put(['a3']);
    expect(rig.sent.at(-1)).toMatchObject({ id: 'a3', atMs: 10_000 });
    await rig.advance(26_000);
    expect(rig.sent.at(-1)).toMatchObject({ id: 'a1', atMs: 36_000 });
    expect(await rig.waiting()).toBe(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('counts the ten seconds from when the event was created, not from when its predecessor began to fail', async () => {
    const rig = started();
    rig.live.add('a');
    rig.receive = ({ id }) => (id === 'a1' ? ERROR : OK);
    await rig.put(['a1']);
    await rig.advance(60_000);
    await rig.put(['a2']);
    await rig.advance(9999);
    expect(rig.ids).not.toContain('a2');
    await rig.advance(1);
    expect(rig.sent.at(-1)).toMatchObject({ id: 'a2', atMs: 70_000 });
  });

  it('gives each of several waiting events its own ten seconds, and tries each', async () => {
    const rig = started();
    rig.live.add('a');
    rig.receive = () => ERROR;
    await rig.put(['a1', 'a2', 'a3']);
    await rig.advance(25_000);
    const firsts = ['a1', 'a2', 'a3'].map((id) => rig.sent.find((sent) => sent.id === id)?.atMs);
    expect(firsts).toEqual([0, 10_000, 20_000]);
    rig.receive = () => OK;
    await rig.advance(60_000);
    expect(await rig.waiting()).toBe(0);
  });

  it('counts the ten seconds for each predecessor separately', async () => {
    const rig = started();
    rig.live.add('a');
    rig.receive = ({ id, atMs }) => (id === 'a3' || (id === 'a1' && atMs >= 6000) ? OK : ERROR);
    await rig.put(['a1', 'a2', 'a3']);
    await rig.advance(20_000);
    expect(rig.sent.find(({ id }) => id === 'a2')).toMatchObject({ atMs: 6000 });
    expect(rig.sent.find(({ id }) => id === 'a3')).toMatchObject({ atMs: 16_000 });
  });

  it('lets successors pass a retry that hangs, without sending the retry twice', async () => {
    const rig = started();
    rig.live.add('a');
    const hanging = deferred<SendResult>();
    rig.receive = ({ id, atMs }) => (id !== 'a1' ? OK : atMs === 6000 ? hanging.promise : ERROR);
    await rig.put(['a1', 'a2']);
    await rig.advance(10_000);
    expect(rig.ids).toEqual(['a1', 'a1', 'a1', 'a2']);
    hanging.resolve(OK);
    await rig.advance(HOUR_MS);
    expect(rig.ids).toEqual(['a1', 'a1', 'a1', 'a2']);
    expect(await rig.waiting()).toBe(0);
  });

  it('waits for a predecessor that is slow but does not fail', async () => {
    const rig = started();
    rig.live.add('a');
    const slow = deferred<SendResult>();
    rig.receive = ({ id }) => (id === 'a1' ? slow.promise : OK);
    await rig.put(['a1', 'a2']);
    await rig.advance(60_000);
    expect(rig.ids).toEqual(['a1']);
    slow.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2']);
  });
});

describe('pause of a call', () => {
  it('keeps back the events of the call until the pause ends', async () => {
    const rig = started();
    const release = rig.dispatcher.pause('a');
    await rig.put(['a1', 'a2', 'b1']);
    expect(rig.ids).toEqual(['b1']);
    release();
    await rig.settle();
    expect(rig.ids).toEqual(['b1', 'a1', 'a2']);
    release();
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('lasts until the last of several pauses ends', async () => {
    const rig = started();
    const first = rig.dispatcher.pause('a');
    const second = rig.dispatcher.pause('a');
    await rig.put(['a1']);
    first();
    first();
    await rig.settle();
    expect(rig.ids).toEqual([]);
    second();
    await rig.settle();
    expect(rig.ids).toEqual(['a1']);
  });

  it('leaves an attempt in flight alone, and keeps the next event back', async () => {
    const rig = started();
    const answer = deferred<SendResult>();
    rig.receive = ({ id }) => (id === 'a1' ? answer.promise : OK);
    await rig.put(['a1', 'a2']);
    const release = rig.dispatcher.pause('a');
    answer.resolve(OK);
    await rig.settle();
    expect(rig.ids).toEqual(['a1']);
    release();
    await rig.settle();
    expect(rig.ids).toEqual(['a1', 'a2']);
  });

  it('keeps back a retry that becomes due during the pause', async () => {
    const rig = started();
    rig.receive = ({ atMs }) => (atMs === 0 ? ERROR : OK);
    await rig.put(['a1']);
    const release = rig.dispatcher.pause('a');
    await rig.advance(3000);
    expect(rig.ids).toEqual(['a1']);
    release();
    await rig.settle();
    expect(rig.sent.map(({ atMs }) => atMs)).toEqual([0, 3000]);
  });

  it('does not keep back an event that was passed during the pause', async () => {
    const rig = started();
    rig.live.add('a');
    rig.receive = ({ atMs }) => (atMs < 8000 ? ERROR : OK);
    await rig.put(['a1', 'a2']);
    await rig.advance(1600);
    const release = rig.dispatcher.pause('a');
    await rig.advance(8400);
    expect(rig.sent.at(-1)).toMatchObject({ id: 'a1', atMs: 10_000 });
    release();
    await rig.settle();
    expect(rig.ids.at(-1)).toBe('a2');
    expect(await rig.waiting()).toBe(0);
  });

  it('ends automatically after ten seconds', async () => {
    const rig = started();
    rig.dispatcher.pause('a');
    await rig.put(['a1']);
    await rig.advance(9999);
    expect(rig.ids).toEqual([]);
    await rig.advance(1);
    expect(rig.ids).toEqual(['a1']);
  });
});

describe('answers to events', () => {
  const answering = async (body: Extract<SendResult, { status: number }>['body'], status = 200) => {
    const rig = started();
    rig.receive = () => ({ status, body });
    await rig.put(['a1']);
    return rig;
  };

  it('passes a JSON object on before the next event is sent', async () => {
    const order: string[] = [];
    const rig = started({ onAnswer: (callId, answer) => order.push(`answer of ${callId}: ${JSON.stringify(answer)}`) });
    rig.receive = ({ id }) => {
      order.push(id);
      return { status: 202, body: { text: id === 'a1' ? ' {"hangup": true}\n' : '' } };
    };
    await rig.put(['a1', 'a2']);
    expect(order).toEqual(['a1', 'answer of a: {"hangup":true}', 'a2']);
  });

  it.each([
    ['nothing', '', 'none'],
    ['white space', ' \n ', 'none'],
    ['an empty object', '{}', 'none'],
    ['a word', 'OK', 'ignored'],
    ['a page', '<html><body>Thanks</body></html>', 'ignored'],
    ['half an object', '{"hangup":', 'ignored'],
    ['a list', '[{"hangup":true}]', 'ignored'],
    ['null', 'null', 'ignored'],
    ['a number', '42', 'ignored'],
    ['a deep one', `{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`, 'ignored'],
    ['a deep list in one', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'ignored'],
  ])('counts the event as delivered and changes nothing for an answer that is %s', async (_, text, kind) => {
    const rig = await answering({ text });
    expect(rig.answers).toEqual([]);
    expect(await rig.waiting()).toBe(0);
    expect(rig.lines[0]!.fields).toMatchObject({ outcome: 'delivered', answer: kind });
  });

  it.each(['too_large', 'broken_off'] as const)(
    'counts the event as delivered if the answer was not read (%s)',
    async (unread) => {
      const rig = await answering({ unread });
      expect(rig.answers).toEqual([]);
      expect(await rig.waiting()).toBe(0);
      expect(rig.lines[0]!.fields).toMatchObject({ outcome: 'delivered', answerIgnored: unread });
    },
  );

  it('ignores an answer with an error status', async () => {
    const rig = await answering({ text: '{"hangup":true}' }, 500);
    expect(rig.answers).toEqual([]);
  });

  it('survives an error of the code that handles answers', async () => {
    const rig = started({
      onAnswer() {
        throw new Error('broken');
      },
    });
    rig.receive = () => ({ status: 200, body: { text: '{"hangup":true}' } });
    await rig.put(['a1', 'a2']);
    expect(rig.ids).toEqual(['a1', 'a2']);
    expect(rig.lines.map(({ message }) => message)).toContain('delivery.answer_failed');
  });
});

describe('delivery limits', () => {
  const url = (receiver: string) => `http://${receiver}.example/`;

  it('sends no more events at once than allowed, in total and to one receiver', async () => {
    const rig = started({ limits: { total: 3, perReceiver: 2 } });
    const answers: ((result: SendResult) => void)[] = [];
    rig.receive = () => new Promise((resolve) => answers.push(resolve));
    await rig.put(['a1', 'b1', 'c1'], url('one'));
    expect(rig.ids).toEqual(['a1', 'b1']);
    await rig.put(['d1', 'e1'], url('two'));
    expect(rig.ids).toEqual(['a1', 'b1', 'd1']);
    answers.shift()!(OK);
    await rig.settle();
    expect(rig.ids).toHaveLength(4);
    while (answers.length > 0) {
      answers.shift()!(OK);
      await rig.settle();
    }
    expect([...rig.ids].sort()).toEqual(['a1', 'b1', 'c1', 'd1', 'e1']);
  });

  it('keeps a receiver that always times out from delaying the events of others', async () => {
    const rig = started({ limits: { total: 4, perReceiver: 2 } });
    rig.receive = (sent) => (sent.url === url('stuck') ? new Promise(() => {}) : OK);
    await rig.put(['a1', 'b1', 'c1', 'd1', 'e1', 'f1'], url('stuck'));
    await rig.put(['g1', 'g2', 'h1'], url('fine'));
    expect([...rig.ids].sort()).toEqual(['a1', 'b1', 'g1', 'g2', 'h1']);
  });

  it('serves the receivers in turns', async () => {
    const rig = new Rig({ limits: { total: 1, perReceiver: 1 } });
    await rig.put(['a1', 'b1', 'c1'], url('one'));
    await rig.put(['d1', 'e1', 'f1'], url('two'));
    rig.dispatcher.start();
    await rig.settle();
    const receivers = rig.sent.map((sent) => new URL(sent.url).hostname[0]);
    expect(receivers.join('')).toBe('ototot');
  });

  it('signs with the secret of the project', async () => {
    const asked: string[] = [];
    const rig = started({
      secretsOf(projectId) {
        asked.push(projectId);
        return [SECRET];
      },
    });
    await rig.put(['a1']);
    expect(asked).toEqual(['project-1']);
  });

  it('makes an event that cannot be signed a dead letter', async () => {
    const rig = started({ secretsOf: () => ['whsec_'] });
    await rig.put(['a1']);
    expect(rig.sent).toEqual([]);
    expect(await rig.store.outbox.findDeadLetter('a1')).toMatchObject({ deathCause: 'unsigned' });
  });
});
