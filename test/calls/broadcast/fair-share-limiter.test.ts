/** Scheduling between lanes: rates, ceilings, turns and shares. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { FairShareLimiter } from '../../../src/service/calls/broadcast/fair-share-limiter.ts';

interface Taken {
  name: string;
  atMs: number;
}

/** A service that dials for the lane whose turn it is; the duration of calls is set by lane. */
class Exchange {
  readonly clock = new VirtualClock(0);
  readonly taken: Taken[] = [];
  readonly service: FairShareLimiter;
  looks = 0;
  readonly #names = new Map<FairShareLimiter, { name: string; callMs: number }>();
  #isAwake = false;

  constructor(limits: { callsPerSecond?: number; maxConcurrent?: number } = {}) {
    this.service = new FairShareLimiter(this.clock, { maxConcurrent: 1_000_000, ...limits }, () => this.#wake());
  }

  join(
    name: string,
    limits: { callsPerSecond?: number; maxConcurrent?: number },
    options: { at?: FairShareLimiter; callMs?: number } = {},
  ): FairShareLimiter {
    const lane = new FairShareLimiter(this.clock, limits, options.at ?? this.service);
    this.#names.set(lane, { name, callMs: options.callMs ?? 1000 });
    return lane;
  }

  times(name: string): number[] {
    return this.taken.filter((each) => each.name === name).map(({ atMs }) => atMs);
  }

  count(name: string, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number {
    return this.times(name).filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.clock.after(0, () => {
      this.#isAwake = false;
      for (;;) {
        this.looks++;
        const lane = this.service.next();
        if (!lane) return;
        const { name, callMs } = this.#names.get(lane)!;
        this.taken.push({ name, atMs: this.clock.now() });
        lane.take();
        this.clock.after(callMs, () => lane.release());
      }
    });
  }
}

/** The most that fell into any stretch of this length. */
function mostWithin(times: readonly number[], lengthMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, at] of times.entries()) {
    while (times[first]! <= at - lengthMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

describe('calls per second', () => {
  it.each([0.5, 1, 3, 7, 10, 50, 333, 1000])('are spread evenly at %d a second', async (rate) => {
    const exchange = new Exchange();
    exchange.join('one', { callsPerSecond: rate }, { callMs: 10 }).hasWork = true;
    const seconds = rate < 100 ? 10 : 2;
    await exchange.clock.advance(seconds * 1000);
    const times = exchange.times('one');
    expect(times.length).toBeGreaterThanOrEqual(Math.floor(rate * seconds));
    expect(times.length).toBeLessThanOrEqual(Math.ceil(rate * (seconds + 0.1)) + 1);
    expect(mostWithin(times, 1000)).toBeLessThanOrEqual(Math.ceil(rate * 1.1) + 1);
    // A beginning sends no more than a tenth of a second's worth.
    expect(times.filter((at) => at === 0).length).toBeLessThanOrEqual(Math.max(1, Math.ceil(rate / 10)));
  });

  it('are not caught up after a pause', async () => {
    const exchange = new Exchange();
    const lane = exchange.join('one', { callsPerSecond: 50 }, { callMs: 10 });
    lane.hasWork = true;
    await exchange.clock.advance(1000);
    lane.hasWork = false;
    await exchange.clock.advance(60_000);
    lane.hasWork = true;
    await exchange.clock.advance(1000);
    expect(exchange.count('one', 60_000, 61_010)).toBeLessThanOrEqual(5);
    expect(exchange.count('one', 61_000)).toBeLessThanOrEqual(56);
  });

  it('are shared by all in equal turns for the service', async () => {
    const exchange = new Exchange({ callsPerSecond: 30 });
    for (const name of ['a', 'b', 'c']) exchange.join(name, {}).hasWork = true;
    await exchange.clock.advance(10_000);
    expect(exchange.taken.length).toBeLessThanOrEqual(304);
    for (const name of ['a', 'b', 'c']) expect(Math.abs(exchange.count(name) - 100)).toBeLessThanOrEqual(2);
    expect(exchange.taken.slice(0, 6).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('are shared between projects first, then between their broadcasts', async () => {
    const exchange = new Exchange({ callsPerSecond: 40 });
    const [small, large] = [exchange.join('small', {}), exchange.join('large', {})];
    exchange.join('s1', {}, { at: small }).hasWork = true;
    for (const name of ['l1', 'l2', 'l3', 'l4']) exchange.join(name, {}, { at: large }).hasWork = true;
    await exchange.clock.advance(10_000);
    expect(Math.abs(exchange.count('s1') - 200)).toBeLessThanOrEqual(3);
    for (const name of ['l1', 'l2', 'l3', 'l4']) expect(Math.abs(exchange.count(name) - 50)).toBeLessThanOrEqual(3);
  });

  it('are available to others if a lane does not use them', async () => {
    const exchange = new Exchange({ callsPerSecond: 50 });
    exchange.join('slow', { callsPerSecond: 2 }).hasWork = true;
    exchange.join('fast', {}).hasWork = true;
    await exchange.clock.advance(10_000);
    expect(exchange.count('slow')).toBe(20);
    expect(exchange.count('fast')).toBeGreaterThanOrEqual(479);
  });
});

describe('calls at once', () => {
  it('always stay at or below the ceiling, and use all of it', async () => {
    const exchange = new Exchange({ maxConcurrent: 7 });
    const lane = exchange.join('one', {}, { callMs: 500 });
    lane.hasWork = true;
    await exchange.clock.advance(10_000);
    expect(lane.liveCalls).toBe(7);
    expect(exchange.taken.length).toBe(7 * 21);
  });

  it('always stay at or below the ceiling of the broadcast', async () => {
    const exchange = new Exchange({ maxConcurrent: 7 });
    exchange.join('one', { maxConcurrent: 2 }, { callMs: 1000 }).hasWork = true;
    await exchange.clock.advance(9999);
    expect(exchange.count('one')).toBe(20);
    expect(mostWithin(exchange.times('one'), 1000)).toBe(2);
  });

  it('are equal shares if all want more', async () => {
    const exchange = new Exchange({ maxConcurrent: 12 });
    const lanes = ['a', 'b', 'c'].map((name) => exchange.join(name, {}, { callMs: 1000 }));
    for (const lane of lanes) lane.hasWork = true;
    await exchange.clock.advance(5500);
    expect(lanes.map(({ liveCalls }) => liveCalls)).toEqual([4, 4, 4]);
  });

  it('are borrowed while no other lane has numbers to dial, and return as they end', async () => {
    const exchange = new Exchange({ maxConcurrent: 20 });
    const [first, second] = [
      exchange.join('first', {}, { callMs: 10_000 }),
      exchange.join('second', {}, { callMs: 10_000 }),
    ];
    first.hasWork = true;
    await exchange.clock.advance(100);
    expect(first.liveCalls).toBe(20);
    second.hasWork = true;
    await exchange.clock.advance(5000);
    expect([first.liveCalls, second.liveCalls]).toEqual([20, 0]);
    await exchange.clock.advance(10_000);
    expect([first.liveCalls, second.liveCalls]).toEqual([10, 10]);
    second.hasWork = false;
    await exchange.clock.advance(30_000);
    expect([first.liveCalls, second.liveCalls]).toEqual([20, 0]);
  });

  it('are borrowed from lanes with small demand, except a part', async () => {
    const exchange = new Exchange({ maxConcurrent: 100 });
    const [busy, slow] = [
      exchange.join('busy', {}, { callMs: 5000 }),
      exchange.join('slow', { callsPerSecond: 1 }, { callMs: 1000 }),
    ];
    busy.hasWork = true;
    slow.hasWork = true;
    await exchange.clock.advance(20_500);
    expect(busy.liveCalls).toBeGreaterThanOrEqual(75);
    expect(busy.liveCalls + slow.liveCalls).toBeLessThanOrEqual(80);
    expect(exchange.count('slow')).toBe(21);
  });

  it('are blocked by a far end that never answers for its own broadcast only', async () => {
    const alone = new Exchange({ maxConcurrent: 40, callsPerSecond: 20 });
    alone.join('healthy', {}, { callMs: 1000 }).hasWork = true;
    await alone.clock.advance(120_000);

    const exchange = new Exchange({ maxConcurrent: 40, callsPerSecond: 20 });
    exchange.join('dead', {}, { callMs: 60_000 }).hasWork = true;
    const healthy = exchange.join('healthy', { callsPerSecond: 10 }, { callMs: 1000 });
    await exchange.clock.advance(30_000);
    healthy.hasWork = true;
    // Slots borrowed by the blocked lane return within a minute; then there is room.
    await exchange.clock.advance(120_000);
    expect(exchange.count('healthy', 95_000, 145_000)).toBeGreaterThanOrEqual(499);
    expect(exchange.count('dead', 90_000, 150_000)).toBeLessThanOrEqual(40);
  });

  it('are not reduced for a healthy broadcast by a blocked one from the beginning', async () => {
    const exchange = new Exchange({ maxConcurrent: 20, callsPerSecond: 20 });
    exchange.join('dead', {}, { callMs: 60_000 }).hasWork = true;
    exchange.join('healthy', { callsPerSecond: 5 }, { callMs: 1000 }).hasWork = true;
    await exchange.clock.advance(60_000);
    expect(exchange.count('healthy')).toBeGreaterThanOrEqual(300);
  });

  it('are shared among the broadcasts of a project', async () => {
    const exchange = new Exchange({ maxConcurrent: 100 });
    const project = exchange.join('project', { maxConcurrent: 10 });
    const lanes = ['a', 'b'].map((name) => exchange.join(name, {}, { at: project, callMs: 1000 }));
    for (const lane of lanes) lane.hasWork = true;
    await exchange.clock.advance(5500);
    expect(lanes.map(({ liveCalls }) => liveCalls)).toEqual([5, 5]);
    expect(project.liveCalls).toBe(10);
  });
});

describe('many lanes', () => {
  it('costs no more per call than a few', async () => {
    const looksPerCall = async (lanes: number): Promise<number> => {
      const exchange = new Exchange({ callsPerSecond: 100, maxConcurrent: 50 });
      for (let index = 0; index < lanes; index++) {
        exchange.join(`${index}`, { callsPerSecond: 1, maxConcurrent: 1 }, { callMs: 3000 }).hasWork = true;
      }
      await exchange.clock.advance(60_000);
      return exchange.looks / exchange.taken.length;
    };
    expect(await looksPerCall(400)).toBeLessThanOrEqual((await looksPerCall(20)) * 2 + 1);
  });

  it('stays within limits and never stalls under random joins, leaves, demand and ends', async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const random = seededRandom(seed);
      const exchange = new Exchange({ callsPerSecond: 200, maxConcurrent: 30 });
      const projects = [0, 1, 2].map((index) =>
        exchange.join(`p${index}`, index === 0 ? {} : { callsPerSecond: 60, maxConcurrent: 15 }),
      );
      const lanes = Array.from({ length: 9 }, (_, index) =>
        exchange.join(`l${index}`, index % 2 === 0 ? {} : { callsPerSecond: 30, maxConcurrent: 4 }, {
          at: projects[index % 3]!,
          callMs: 20 + Math.floor(random() * 2000),
        }),
      );
      for (let round = 0; round < 200; round++) {
        const lane = lanes[Math.floor(random() * lanes.length)]!;
        lane.hasWork = random() < 0.6;
        await exchange.clock.advance(Math.floor(random() * 100));
        expect(exchange.service.liveCalls).toBeLessThanOrEqual(30);
        for (const each of [...lanes.filter((_, index) => index % 2 === 1)])
          expect(each.liveCalls).toBeLessThanOrEqual(4);
        for (const each of projects.slice(1)) expect(each.liveCalls).toBeLessThanOrEqual(15);
      }
      for (const lane of lanes) lane.hasWork = true;
      const before = exchange.taken.length;
      await exchange.clock.advance(20_000);
      for (const index of lanes.keys()) {
        const since = exchange.taken.slice(before).filter(({ name }) => name === `l${index}`);
        expect(since.length, `lane ${index} of seed ${seed}`).toBeGreaterThan(3);
      }
      for (const lane of lanes) lane.close();
      await exchange.clock.advance(10_000);
      expect(exchange.service.liveCalls).toBe(0);
      expect(projects.map(({ liveCalls }) => liveCalls)).toEqual([0, 0, 0]);
    }
  });
});
