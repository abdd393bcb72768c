/** Very many events, and receivers that are down, slow, hang or flap: deliveries, attempts and memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { REMAINING_SCHEDULE_MS } from '../../src/service/observers/webhooks/retry-schedule.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { DeliverySimulation, down, hanging, refusing, slow, up } from './simulation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ONE = 'http://one.example';
const TWO = 'http://two.example';
/** Maximum number of deliveries of one receiver in memory. */
const WINDOW = 256;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function fieldInSqlite(): DeliverySimulation {
  const simulation = new DeliverySimulation({ store: (clock) => openSqliteStore({ file: ':memory:', clock }) });
  closers.push(() => simulation.store.close());
  return simulation;
}

interface CallsOfEvents {
  first?: number;
  calls: number;
  events: number;
}

async function commitCalls(simulation: DeliverySimulation, { first = 0, calls, events }: CallsOfEvents): Promise<void> {
  await Promise.all(Array.from({ length: calls }, (_, n) => simulation.commit(`call-${first + n}`, events)));
}

describe('a receiver that is down', () => {
  it('gets few attempts in five minutes with 10,000 calls, takes little memory, and gets all in order afterwards', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    for (let minute = 0; minute < 5; minute++) {
      await commitCalls(simulation, { first: minute * 2000, calls: 2000, events: 3 });
      await simulation.advance(MINUTE_MS);
      const { receivers, deliveries, timeouts } = simulation.dispatcher.inMemory();
      expect([receivers, timeouts]).toEqual([1, 0]);
      expect(deliveries).toBeLessThanOrEqual(WINDOW);
    }
    expect(simulation.seen.length).toBeLessThan(80);
    expect(await simulation.dispatcher.receivers()).toMatchObject([
      { origin: ONE, state: 'open', waiting: 30_000, inFlight: 0 },
    ]);

    simulation.receivers.set(ONE, up);
    await simulation.advance(73_000);
    // All but the successors of the few that were tried repeatedly, each of which keeps to its schedule.
    expect(await simulation.waiting()).toBeLessThan(20);
    expect(await simulation.drain(10 * MINUTE_MS, MINUTE_MS)).toBe(true);
    expect(simulation.disordered()).toEqual([]);
    expect(simulation.mostAtOnce.get(ONE)).toBe(32);
    expect(simulation.mostAtOnce.get('call-7')).toBe(1);
    expect(simulation.dispatcher.inMemory()).toEqual({ receivers: 0, deliveries: 0, timeouts: 0 });
    expect(simulation.clock.pendingTimers).toBe(0);
  }, 60_000);

  it('dead-letters every event after a day, none before its schedule ends, and all can be requeued in order', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 400, events: 3 });
    await simulation.advance(REMAINING_SCHEDULE_MS[0]! / 1.2 / 1.2);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 1200, dead: 0 });
    await simulation.advance(24 * HOUR_MS);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 1200 });
    expect(simulation.seen.length).toBeLessThan(1200);
    expect(simulation.clock.pendingTimers).toBe(0);
    const dead = await simulation.store.outbox.deadLetters('project-1', 9999);
    expect(new Set(dead.map(({ deathCause }) => deathCause))).toEqual(new Set(['exhausted']));

    simulation.receivers.set(ONE, up);
    simulation.seen.length = 0;
    expect(await simulation.dispatcher.requeueAll('project-1', `${TWO}/`)).toBe(0);
    expect(await simulation.dispatcher.requeueAll('project-2')).toBe(0);
    expect(await simulation.dispatcher.requeueAll('project-1', `${ONE}/`)).toBe(1200);
    await simulation.advance(MINUTE_MS);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
    expect(simulation.disordered()).toEqual([]);
    expect(simulation.mostAtOnce.get('call-7')).toBe(1);
  });

  it('gives an event that arrived during the outage as much time as any other', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 50, events: 1 });
    await simulation.advance(6 * HOUR_MS);
    await simulation.commit('late', 2);
    await simulation.advance(REMAINING_SCHEDULE_MS[0]! / 1.2 / 1.2);
    expect(await simulation.store.outbox.headOfLine('late', 9)).toHaveLength(2);
    expect((await simulation.store.outbox.counts()).dead).toBeGreaterThan(0);
    await simulation.advance(16 * HOUR_MS);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 52 });
  });

  it('gets a few attempts on its return, and none when it is down again', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 2000, events: 1 });
    await simulation.advance(10 * MINUTE_MS);
    let taken = 0;
    simulation.receivers.set(ONE, (seen) => (++taken <= 3 ? up(seen) : down(seen)));
    simulation.seen.length = 0;
    await simulation.advance(75_000);
    // Three that were accepted, then four at once that were not, and one more.
    expect(simulation.seen.filter(({ ok }) => ok)).toHaveLength(3);
    expect(simulation.seen.length).toBeLessThanOrEqual(12);
    expect(await simulation.dispatcher.receivers()).toMatchObject([{ state: 'open' }]);
  });

  it('does not include one that answers 4xx: each event has its own schedule', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, refusing);
    await commitCalls(simulation, { calls: 100, events: 2 });
    await simulation.advance(10_000);
    expect(await simulation.dispatcher.receivers()).toMatchObject([{ state: 'closed' }]);
    expect(simulation.seen).toHaveLength(300);
    simulation.receivers.set(ONE, up);
    await simulation.advance(MINUTE_MS);
    expect(simulation.disordered()).toEqual([]);
  });

  it('keeps a single event on its schedule, and dead-letters it after ten attempts', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await simulation.commit('a', 1);
    await simulation.advance(24 * HOUR_MS);
    expect(simulation.seen).toHaveLength(10);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 1 });
  });

  it('lets events for others continue when their predecessors become dead letters', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 300, events: 1 });
    await simulation.advance(4000);
    await simulation.commit('a', 2, `${ONE}/`);
    await simulation.commit('a', 2, `${TWO}/`);
    await simulation.advance(10 * HOUR_MS);
    expect(simulation.attemptsAt(TWO)).toEqual([]);
    await simulation.advance(16 * HOUR_MS);
    // None of their predecessors was tried: they became dead letters with all the others.
    expect(simulation.seen.filter(({ callId }) => callId === 'a').map(({ id }) => id)).toEqual(['a:2', 'a:3']);
    expect(await simulation.store.outbox.counts()).toEqual({ waiting: 0, dead: 302 });
  });

  it('delays events of a live call to another receiver by ten seconds at most', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 30, events: 1 });
    await simulation.advance(4000);
    simulation.live.add('live');
    await simulation.commit('live', 1, `${ONE}/`);
    await simulation.commit('live', 2, `${TWO}/`);
    await simulation.advance(9000);
    expect(simulation.attemptsAt(TWO)).toEqual([]);
    await simulation.advance(1010);
    expect(simulation.attemptsAt(TWO).map(({ id, atMs }) => [id, atMs])).toEqual([
      ['live:1', 14_000],
      ['live:2', 14_003],
    ]);
  });

  it('keeps the events of a live call in order when none of them can be sent', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 30, events: 1 });
    await simulation.advance(4000);
    simulation.live.add('live');
    for (let n = 0; n < 4; n++) {
      await simulation.commit('live', 1);
      await simulation.advance(15_000);
    }
    simulation.receivers.set(ONE, up);
    await simulation.advance(75_000);
    expect(simulation.taken().get('live')).toEqual(simulation.committed.get('live'));
    await simulation.advance(10_000);
    expect(simulation.dispatcher.inMemory().timeouts).toBe(0);
  });
});

describe('several receivers at once', () => {
  it('slows no other receiver or project when one hangs', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, ({ callId }) => (callId.startsWith('fine') ? up : hanging)({} as never));
    await commitCalls(simulation, { calls: 2000, events: 3 });
    await simulation.advance(100);
    for (let call = 0; call < 200; call++) {
      await simulation.commit(`fine-${call}`, 3, `${ONE}/other`, 'project-2');
      await simulation.commit(`two-${call}`, 3, `${TWO}/`);
    }
    await simulation.advance(200);
    const taken = simulation.taken();
    expect([...taken.values()].flat()).toHaveLength(1200);
    expect(simulation.attemptsAt(ONE).filter(({ callId }) => callId.startsWith('call-'))).toHaveLength(32);
    await simulation.advance(5 * MINUTE_MS);
    expect(simulation.attemptsAt(ONE).filter(({ callId }) => callId.startsWith('call-')).length).toBeLessThan(100);
  });

  it('does not delay a fast receiver, however many are slow', async () => {
    const simulation = new DeliverySimulation();
    for (let n = 0; n < 12; n++) {
      simulation.receivers.set(`http://slow-${n}.example`, slow);
      for (let call = 0; call < 60; call++)
        await simulation.commit(`slow-${n}-${call}`, 1, `http://slow-${n}.example/`);
    }
    await simulation.advance(1000);
    for (let call = 0; call < 20; call++) await simulation.commit(`fine-${call}`, 5, `${TWO}/`);
    await simulation.advance(1000);
    expect(simulation.attemptsAt(TWO)).toHaveLength(100);
  });

  it('sends a slow receiver all in order, as many at once as allowed, and never counts it as down', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, slow);
    await commitCalls(simulation, { calls: 400, events: 3 });
    await simulation.advance(4800);
    expect(simulation.seen).toHaveLength(32);
    for (let round = 0; round < 10; round++) {
      await simulation.advance(10_000);
      expect(await simulation.dispatcher.receivers()).toMatchObject([{ state: 'closed', inFlight: 32 }]);
    }
    expect(await simulation.drain(10 * MINUTE_MS, 1000)).toBe(true);
    expect(simulation.disordered()).toEqual([]);
    expect(simulation.seen).toHaveLength(1200);
    expect(simulation.mostAtOnce.get(ONE)).toBe(32);
  });

  it('keeps later events behind earlier ones, even if there is room in memory', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, slow);
    await commitCalls(simulation, { calls: 600, events: 1 });
    await simulation.advance(10_000);
    expect(simulation.dispatcher.inMemory().deliveries).toBeLessThan(WINDOW);
    await simulation.commit('late', 1);
    expect(await simulation.drain(10 * MINUTE_MS, 1000)).toBe(true);
    expect(simulation.seen.at(-1)!.id).toBe('late:0');
  });

  it('delivers all in order to a receiver that flaps', async () => {
    const simulation = new DeliverySimulation();
    simulation.receivers.set(ONE, (seen) => (seen.atMs % 90_000 < 10_000 ? slowly : down)(seen));
    const slowly = () => ({ takesMs: 100, result: up({} as never).result });
    await commitCalls(simulation, { calls: 500, events: 4 });
    expect(await simulation.drain(12 * HOUR_MS, MINUTE_MS)).toBe(true);
    expect((await simulation.store.outbox.counts()).dead).toBe(0);
    expect(simulation.disordered()).toEqual([]);
    expect(simulation.seen.length).toBeLessThan(2 * 2000);
  });

  it('keeps memory independent of the number of receivers and of waiting events', async () => {
    const simulation = new DeliverySimulation({ limits: { total: 8, perReceiver: 2 } });
    for (let n = 0; n < 200; n++) {
      const url = `http://r${n}.example/`;
      simulation.receivers.set(`http://r${n}.example`, hanging);
      for (let call = 0; call < 100; call++) await simulation.commit(`r${n}-${call}`, 1, url);
    }
    await simulation.settle();
    const { receivers, deliveries } = simulation.dispatcher.inMemory();
    expect(receivers).toBe(200);
    expect(deliveries).toBeLessThanOrEqual(8192 + 200 * 8);
  });
});

describe('restart of the dispatcher', () => {
  it('loses nothing and repeats little in the middle of an outage', async () => {
    const simulation = fieldInSqlite();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 300, events: 4 });
    await simulation.advance(2 * MINUTE_MS);
    await simulation.restart();
    await simulation.advance(2 * MINUTE_MS);
    simulation.receivers.set(ONE, up);
    expect(await simulation.drain(10 * MINUTE_MS, MINUTE_MS)).toBe(true);
    expect(simulation.disordered()).toEqual([]);
    expect(simulation.seen.filter(({ ok }) => ok)).toHaveLength(1200);
  });

  it('repeats the attempts in flight, in order, after a crash with a backlog', async () => {
    const simulation = fieldInSqlite();
    simulation.receivers.set(ONE, () => ({ takesMs: 50, result: up({} as never).result }));
    await commitCalls(simulation, { calls: 300, events: 4 });
    await simulation.advance(500);
    await simulation.crash();
    await simulation.advance(10_000);
    expect(await simulation.waiting()).toBe(0);
    expect(simulation.disordered()).toEqual([]);
    const repeated = simulation.seen.length - 1200;
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(32);
  });

  it('reads a window of the waiting events, not all of them', async () => {
    const simulation = fieldInSqlite();
    simulation.receivers.set(ONE, down);
    await commitCalls(simulation, { calls: 3000, events: 2 });
    await simulation.advance(MINUTE_MS);
    const asked: number[] = [];
    const { due } = simulation.store.outbox;
    simulation.store.outbox.due = async (receiver, query) => {
      const found = await due(receiver, query);
      asked.push(found.length);
      return found;
    };
    simulation.receivers.set(ONE, hanging);
    await simulation.restart();
    await simulation.settle();
    expect(Math.max(...asked)).toBeLessThanOrEqual(2 * WINDOW);
    expect(simulation.dispatcher.inMemory().deliveries).toBeLessThanOrEqual(WINDOW);
  });
});
