/** Very many events, and receivers that are down, slow, hang or flap: what reaches them, how often it is tried, what it takes. */
import { afterEach, describe, expect, it } from 'vitest';
import { REST_MS } from '../../src/observers/webhooks/retry-schedule.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { down, Field, hanging, refusing, slow, up } from './field.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ONE = 'http://one.example';
const TWO = 'http://two.example';
/** Lanes of a receiver that may be in memory. */
const WINDOW = 256;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function fieldInSqlite(): Field {
  const field = new Field({ store: (clock) => openSqliteStore({ file: ':memory:', clock }) });
  closers.push(() => field.store.close());
  return field;
}

async function commitCalls(field: Field, { calls, events }: { calls: number; events: number }, url?: string) {
  for (let call = 0; call < calls; call++) await field.commit(`call-${call}`, events, url);
}

describe('a receiver that is down', () => {
  it('for five minutes, with the events of 10,000 calls: few attempts, little memory, and afterwards all in order', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    for (let minute = 0; minute < 5; minute++) {
      for (let call = 0; call < 2000; call++) await field.commit(`call-${minute * 2000 + call}`, 3);
      await field.advance(MINUTE_MS);
      const { receivers, lanes, patience } = field.dispatcher.held();
      expect([receivers, patience]).toEqual([1, 0]);
      expect(lanes).toBeLessThanOrEqual(WINDOW);
    }
    expect(field.seen.length).toBeLessThan(80);
    expect(field.dispatcher.receivers()).toMatchObject([{ origin: ONE, state: 'open', waiting: 30_000, inFlight: 0 }]);

    field.receivers.set(ONE, up);
    await field.advance(73_000);
    // All but what follows the few that were tried again and again, each of which keeps to its schedule.
    expect(field.waiting).toBeLessThan(20);
    expect(await field.drain(10 * MINUTE_MS, MINUTE_MS)).toBe(true);
    expect(field.disordered()).toEqual([]);
    expect(field.mostAtOnce.get(ONE)).toBe(32);
    expect(field.mostAtOnce.get('call-7')).toBe(1);
    expect(field.dispatcher.held()).toEqual({ receivers: 0, lanes: 0, parcels: 0, patience: 0 });
    expect(field.clock.pendingTimers).toBe(0);
  });

  it('for a day: every event dies, none before its schedule is over, and all can be sent again in order', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 400, events: 3 });
    await field.advance(REST_MS[0]! / 1.2 / 1.2);
    expect(field.store.outbox.counts()).toEqual({ waiting: 1200, dead: 0 });
    await field.advance(24 * HOUR_MS);
    expect(field.store.outbox.counts()).toEqual({ waiting: 0, dead: 1200 });
    expect(field.seen.length).toBeLessThan(1200);
    expect(field.clock.pendingTimers).toBe(0);
    const dead = field.store.outbox.dead('project-1', 9999);
    expect(new Set(dead.map(({ deathCause }) => deathCause))).toEqual(new Set(['exhausted']));

    field.receivers.set(ONE, up);
    field.seen.length = 0;
    expect(await field.dispatcher.resendAll('project-1', `${TWO}/`)).toBe(0);
    expect(await field.dispatcher.resendAll('project-2')).toBe(0);
    expect(await field.dispatcher.resendAll('project-1', `${ONE}/`)).toBe(1200);
    await field.advance(MINUTE_MS);
    expect(field.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
    expect(field.disordered()).toEqual([]);
    expect(field.mostAtOnce.get('call-7')).toBe(1);
  });

  it('what came while it was down already is given as long as any other', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 50, events: 1 });
    await field.advance(6 * HOUR_MS);
    await field.commit('late', 2);
    await field.advance(REST_MS[0]! / 1.2 / 1.2);
    expect(field.store.outbox.line('late', 9)).toHaveLength(2);
    expect(field.store.outbox.counts().dead).toBeGreaterThan(0);
    await field.advance(16 * HOUR_MS);
    expect(field.store.outbox.counts()).toEqual({ waiting: 0, dead: 52 });
  });

  it('is tried a little at first when it is back, and left alone again when it is not', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 2000, events: 1 });
    await field.advance(10 * MINUTE_MS);
    let taken = 0;
    field.receivers.set(ONE, (seen) => (++taken <= 3 ? up(seen) : down(seen)));
    field.seen.length = 0;
    await field.advance(75_000);
    // Three that were taken, and then four at once that were not, and one more.
    expect(field.seen.filter(({ ok }) => ok)).toHaveLength(3);
    expect(field.seen.length).toBeLessThanOrEqual(12);
    expect(field.dispatcher.receivers()).toMatchObject([{ state: 'open' }]);
  });

  it('one that answers 4xx is not: each event has its own schedule', async () => {
    const field = new Field();
    field.receivers.set(ONE, refusing);
    await commitCalls(field, { calls: 100, events: 2 });
    await field.advance(10_000);
    expect(field.dispatcher.receivers()).toMatchObject([{ state: 'closed' }]);
    expect(field.seen).toHaveLength(300);
    field.receivers.set(ONE, up);
    await field.advance(MINUTE_MS);
    expect(field.disordered()).toEqual([]);
  });

  it('a single event keeps to its schedule, and is dead after ten attempts', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await field.commit('a', 1);
    await field.advance(24 * HOUR_MS);
    expect(field.seen).toHaveLength(10);
    expect(field.store.outbox.counts()).toEqual({ waiting: 0, dead: 1 });
  });

  it('what waited behind its events goes to others when they are given up', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 300, events: 1 });
    await field.advance(4000);
    await field.commit('a', 2, `${ONE}/`);
    await field.commit('a', 2, `${TWO}/`);
    await field.advance(10 * HOUR_MS);
    expect(field.attemptsAt(TWO)).toEqual([]);
    await field.advance(16 * HOUR_MS);
    // None of those before them was tried: they were given up with all the others.
    expect(field.seen.filter(({ callId }) => callId === 'a').map(({ id }) => id)).toEqual(['a:2', 'a:3']);
    expect(field.store.outbox.counts()).toEqual({ waiting: 0, dead: 302 });
  });

  it('while a call is live its events to another receiver wait ten seconds for one to a receiver that is down', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 30, events: 1 });
    await field.advance(4000);
    field.live.add('live');
    await field.commit('live', 1, `${ONE}/`);
    await field.commit('live', 2, `${TWO}/`);
    await field.advance(9000);
    expect(field.attemptsAt(TWO)).toEqual([]);
    await field.advance(1010);
    expect(field.attemptsAt(TWO).map(({ id, atMs }) => [id, atMs])).toEqual([
      ['live:1', 14_000],
      ['live:2', 14_003],
    ]);
  });

  it('while a call is live its events stay in order when neither of them can be sent', async () => {
    const field = new Field();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 30, events: 1 });
    await field.advance(4000);
    field.live.add('live');
    for (let n = 0; n < 4; n++) {
      await field.commit('live', 1);
      await field.advance(15_000);
    }
    field.receivers.set(ONE, up);
    await field.advance(75_000);
    expect(field.taken().get('live')).toEqual(field.committed.get('live'));
    await field.advance(10_000);
    expect(field.dispatcher.held().patience).toBe(0);
  });
});

describe('receivers beside each other', () => {
  it('one that hangs slows itself only: not another, nor another project that sends to it', async () => {
    const field = new Field();
    field.receivers.set(ONE, ({ callId }) => (callId.startsWith('fine') ? up : hanging)({} as never));
    await commitCalls(field, { calls: 2000, events: 3 });
    await field.advance(100);
    for (let call = 0; call < 200; call++) {
      await field.commit(`fine-${call}`, 3, `${ONE}/other`, 'project-2');
      await field.commit(`two-${call}`, 3, `${TWO}/`);
    }
    await field.advance(200);
    const taken = field.taken();
    expect([...taken.values()].flat()).toHaveLength(1200);
    expect(field.attemptsAt(ONE).filter(({ callId }) => callId.startsWith('call-'))).toHaveLength(32);
    await field.advance(5 * MINUTE_MS);
    expect(field.attemptsAt(ONE).filter(({ callId }) => callId.startsWith('call-')).length).toBeLessThan(100);
  });

  it('however many are slow, one that is not goes on', async () => {
    const field = new Field();
    for (let n = 0; n < 12; n++) {
      field.receivers.set(`http://slow-${n}.example`, slow);
      for (let call = 0; call < 60; call++) await field.commit(`slow-${n}-${call}`, 1, `http://slow-${n}.example/`);
    }
    await field.advance(1000);
    for (let call = 0; call < 20; call++) await field.commit(`fine-${call}`, 5, `${TWO}/`);
    await field.advance(1000);
    expect(field.attemptsAt(TWO)).toHaveLength(100);
  });

  it('a slow one gets all in order, so many at once, and is never believed to be down', async () => {
    const field = new Field();
    field.receivers.set(ONE, slow);
    await commitCalls(field, { calls: 400, events: 3 });
    await field.advance(4800);
    expect(field.seen).toHaveLength(32);
    for (let round = 0; round < 10; round++) {
      await field.advance(10_000);
      expect(field.dispatcher.receivers()).toMatchObject([{ state: 'closed', inFlight: 32 }]);
    }
    expect(await field.drain(10 * MINUTE_MS, 1000)).toBe(true);
    expect(field.disordered()).toEqual([]);
    expect(field.seen).toHaveLength(1200);
    expect(field.mostAtOnce.get(ONE)).toBe(32);
  });

  it('what comes later waits behind what came before, also where there is room in memory', async () => {
    const field = new Field();
    field.receivers.set(ONE, slow);
    await commitCalls(field, { calls: 600, events: 1 });
    await field.advance(10_000);
    expect(field.dispatcher.held().lanes).toBeLessThan(WINDOW);
    await field.commit('late', 1);
    expect(await field.drain(10 * MINUTE_MS, 1000)).toBe(true);
    expect(field.seen.at(-1)!.id).toBe('late:0');
  });

  it('one that comes and goes gets all in order in the end', async () => {
    const field = new Field();
    field.receivers.set(ONE, (seen) => (seen.atMs % 90_000 < 10_000 ? slowly : down)(seen));
    const slowly = () => ({ takesMs: 100, result: up({} as never).result });
    await commitCalls(field, { calls: 500, events: 4 });
    expect(await field.drain(12 * HOUR_MS, MINUTE_MS)).toBe(true);
    expect(field.store.outbox.counts().dead).toBe(0);
    expect(field.disordered()).toEqual([]);
    expect(field.seen.length).toBeLessThan(2 * 2000);
  });

  it('what is kept in memory does not grow with the number of receivers and what waits for them', async () => {
    const field = new Field({ limits: { total: 8, perReceiver: 2 } });
    for (let n = 0; n < 200; n++) {
      const url = `http://r${n}.example/`;
      field.receivers.set(`http://r${n}.example`, hanging);
      for (let call = 0; call < 100; call++) await field.commit(`r${n}-${call}`, 1, url);
    }
    await field.settle();
    const { receivers, lanes } = field.dispatcher.held();
    expect(receivers).toBe(200);
    expect(lanes).toBeLessThanOrEqual(8192 + 200 * 8);
  });
});

describe('a restart', () => {
  it('in the middle of an outage loses nothing and repeats little', async () => {
    const field = fieldInSqlite();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 300, events: 4 });
    await field.advance(2 * MINUTE_MS);
    await field.restart();
    await field.advance(2 * MINUTE_MS);
    field.receivers.set(ONE, up);
    expect(await field.drain(10 * MINUTE_MS, MINUTE_MS)).toBe(true);
    expect(field.disordered()).toEqual([]);
    expect(field.seen.filter(({ ok }) => ok)).toHaveLength(1200);
  });

  it('by the death of the process in the middle of a backlog repeats what was under way, in order', async () => {
    const field = fieldInSqlite();
    field.receivers.set(ONE, () => ({ takesMs: 50, result: up({} as never).result }));
    await commitCalls(field, { calls: 300, events: 4 });
    await field.advance(500);
    await field.crash();
    await field.advance(10_000);
    expect(field.waiting).toBe(0);
    expect(field.disordered()).toEqual([]);
    const repeated = field.seen.length - 1200;
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(32);
  });

  it('looks at a window of what waits, not at all of it', async () => {
    const field = fieldInSqlite();
    field.receivers.set(ONE, down);
    await commitCalls(field, { calls: 3000, events: 2 });
    await field.advance(MINUTE_MS);
    const asked: number[] = [];
    const { due } = field.store.outbox;
    field.store.outbox.due = (receiver, query) => {
      const found = due(receiver, query);
      asked.push(found.length);
      return found;
    };
    field.receivers.set(ONE, hanging);
    await field.restart();
    await field.settle();
    expect(Math.max(...asked)).toBeLessThanOrEqual(2 * WINDOW);
    expect(field.dispatcher.held().lanes).toBeLessThanOrEqual(WINDOW);
  });
});
