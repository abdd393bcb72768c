/** Broadcasts under failures: a failing store, clock jumps, numbers that change their project. */
import { describe, expect, it } from 'vitest';
import type { FarEnd } from '../../../src/media/telephony/simulated/far-end.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import { phoneKey } from '../../../src/service/calls/numbers/phone-key.ts';
import { PROJECT, phones, Rig, retries } from './rig.ts';

type Method = Exclude<keyof BroadcastStore, 'doNotCall'>;

/** Makes a method of the store throw while `fails` returns true, and counts the failed calls. */
function breaks(store: BroadcastStore, name: Method, fails: () => boolean): { refused: number } {
  const counted = { refused: 0 };
  const right = (store[name] as (...args: unknown[]) => unknown).bind(store);
  Object.assign(store, {
    [name]: (...args: unknown[]) => {
      if (!fails()) return right(...args);
      counted.refused++;
      throw new Error('database or disk is full');
    },
  });
  return counted;
}

/** Records the numbers that answered, and the numbers that were called again after an answer. */
function watched() {
  const answered = new Set<string>();
  const again = new Set<string>();
  return {
    answered,
    again,
    dialled(farEnd: FarEnd, { to }: { to: string }): void {
      if (answered.has(to)) again.add(to);
      farEnd.observe(({ type }) => void (type === 'answered' && answered.add(to)));
    },
  };
}

const METHODS: Method[] = ['due', 'nextDueMs', 'claim', 'requeue', 'settle', 'change', 'counts'];

describe('a store that fails for half a minute', () => {
  for (const method of METHODS) {
    it(`at ${method}: loses no number, calls none twice, and is not polled endlessly`, async () => {
      const seen = watched();
      const rig = Rig.open({
        dialled: seen.dialled,
        callee: (to, attempt) =>
          Number(to.at(-1)) % 3 === 0 && attempt === 1
            ? { does: 'busy', afterMs: 300 }
            : { does: 'answer', ringsAfterMs: 100, afterMs: 1000, talkMs: 2000 },
      });
      const id = await rig.create(phones(60), { pacing: { callsPerSecond: 10 }, retry: retries(2, 1000) });
      const fromMs = rig.startMs + 3000;
      const counted = breaks(
        rig.store.broadcasts,
        method,
        () => rig.clock.now() >= fromMs && rig.clock.now() < fromMs + 30_000,
      );
      await rig.finish(id);
      expect((await rig.rows(id)).every(({ state, result }) => state === 'done' && result?.code === 'success')).toBe(
        true,
      );
      expect(seen.answered.size).toBe(60);
      expect([...seen.again]).toEqual([]);
      expect(counted.refused).toBeLessThan(2000);
      expect(rig.crashes).toEqual([]);
      expect(rig.clock.pendingTimers).toBe(0);
      expect(rig.ends).toEqual(['complete']);
    });
  }

  it('at settleQueued: stops the broadcast anyway', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(1500));
    const fromMs = rig.startMs;
    breaks(rig.store.broadcasts, 'settleQueued', () => rig.clock.now() < fromMs + 30_000);
    await rig.broadcasts.stop(PROJECT, id, { hangUp: true });
    await rig.finish(id);
    expect((await rig.rows(id)).every(({ state }) => state === 'done')).toBe(true);
    expect(rig.dials).toEqual([]);
  });

  it('dials no number twice if commits of calls fail', async () => {
    const seen = watched();
    const rig = Rig.open({ dialled: seen.dialled });
    const right = rig.store.calls.commit;
    let writes = 0;
    rig.store.calls.commit = async (write) => {
      if (++writes % 9 === 0) throw new Error('database or disk is full');
      return right(write);
    };
    const id = await rig.create(phones(60), { pacing: { callsPerSecond: 10 }, retry: retries(3, 1000) });
    await rig.finish(id);
    expect((await rig.rows(id)).every(({ state }) => state === 'done')).toBe(true);
    expect([...seen.again]).toEqual([]);
  });
});

const HOUR_MS = 3_600_000;

describe('a system clock that is set', () => {
  for (const [how, ms] of [
    ['back', -5 * HOUR_MS],
    ['forward', 5 * HOUR_MS],
  ] as const) {
    it(`${how} by hours during a broadcast: delays no call for hours, and causes no burst`, async () => {
      const rig = Rig.open({ callee: () => ({ does: 'busy', afterMs: 100 }) });
      const id = await rig.create(phones(60), { pacing: { callsPerSecond: 5 }, retry: retries(1, 20_000) });
      await rig.pass(5000);
      const before = rig.dials.length;
      rig.clock.setWallClock(ms);
      await rig.pass(1000);
      expect(rig.dials.length - before).toBeLessThanOrEqual(6);
      await rig.pass(180_000);
      expect(rig.dials).toHaveLength(120);
      expect((await rig.find(id)).state).toBe('completed');
    });
  }

  it('is without effect on waiting numbers if it was set back during a restart', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy', afterMs: 100 }) });
    const id = await rig.create(phones(20), { pacing: { callsPerSecond: 5 }, retry: retries(1, 20_000) });
    await rig.pass(2000);
    rig.die();
    rig.clock.setWallClock(-5 * HOUR_MS);
    const next = await rig.restart();
    await next.pass(180_000);
    expect((await next.rows(id)).every(({ state }) => state === 'done')).toBe(true);
  });
});

describe('a broadcast whose number is taken from its project', () => {
  it('dials no further numbers, and reports the reason', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'answer', ringsAfterMs: 100, afterMs: 500, talkMs: 30_000 }) });
    const id = await rig.create(phones(100), { pacing: { callsPerSecond: 10 }, eventUrl: 'http://x.example' });
    await rig.pass(1500);
    const made = rig.dials.length;
    rig.parts.numbers = { ...rig.parts.numbers, belongsTo: () => false };
    await rig.pass(30_000);
    expect(rig.dials.length).toBe(made);
    const ended = await rig.finish(id);
    expect(ended.state).toBe('failed');
    expect(ended.error).toMatch(/from/);
    // Log lines contain no phone numbers.
    expect(JSON.stringify(rig.lines.filter(({ message }) => message === 'broadcast.failed'))).not.toContain('1000"');
    expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'failed']);
  });

  it('fails also if the number was taken during a restart', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(100), { pacing: { callsPerSecond: 10 } });
    await rig.pass(1500);
    rig.die();
    const next = new Rig({ ...rig.options, store: rig.store, clock: rig.clock });
    next.parts.numbers = { ...next.parts.numbers, belongsTo: () => false };
    await next.broadcasts.recover();
    next.broadcasts.start();
    expect((await next.finish(id)).state).toBe('failed');
    expect(next.dials).toEqual([]);
  });
});

describe('a number on the do-not-call list', () => {
  const WRITTEN = [
    '+33612345678',
    '33612345678',
    '0033612345678',
    '+33 (6) 12-34.56 78',
    'tel:+33-612-345-678',
    'TEL: 0033612345678',
    'sip:+33612345678@gw.example',
    'sips:+33612345678:pass@GW.example:5061;transport=tls',
    'sip:%2B33612345678@gw.example',
    'sip:0033612345678@gw.example;user=phone',
    'sip:+33612345678;phone-context=x@gw.example',
  ];

  it('is not dialled in any spelling', async () => {
    expect(new Set(WRITTEN.map(phoneKey))).toEqual(new Set(['33612345678']));
    for (const listed of ['0033612345678', 'sip:+33612345678@other.example']) {
      const rig = Rig.open();
      await rig.broadcasts.doNotCall.add(PROJECT, [listed]);
      for (const written of WRITTEN) {
        const id = await rig.create([written]);
        await rig.finish(id);
        expect(await rig.results(id)).toEqual({ [written]: 'failed Do Not Call 0' });
      }
      expect(rig.dials).toEqual([]);
    }
  });

  it('is one address, whatever is written around it', () => {
    const same = ['sip:Ada@phones.example', 'sips:ada@PHONES.example:5060', 'sip:%61da:x@phones.example;transport=tcp'];
    expect(new Set(same.map(phoneKey))).toEqual(new Set(['sip:ada@phones.example']));
  });

  it('is different from every other number', () => {
    const others = ['12', '0012', '00', '003', '1002', '33612345678', 'sip:33612345678@pbx.example', 'user:12'];
    expect(new Set(others.map(phoneKey)).size).toBe(others.length);
    for (const odd of ['sip:', 'sip:%zz@x', 'sip:a\n;b\nc', 'sip:@', 'user:', ''])
      expect(typeof phoneKey(odd)).toBe('string');
  });
});

describe('an order that is not readable any more', () => {
  it('fails alone: other broadcasts continue, and the service starts', async () => {
    const rig = Rig.open();
    const broken = await rig.create(phones(10), { pacing: { callsPerSecond: 1 } });
    const sound = await rig.create(phones(10, 100), { pacing: { callsPerSecond: 1 } });
    await rig.pass(1500);
    rig.die();
    const { unfinished } = rig.store.broadcasts;
    rig.store.broadcasts.unfinished = async () =>
      (await unfinished()).map((found) =>
        found.order.broadcastId === broken
          ? { ...found, order: { ...found.order, action: { type: 'play' } as never } }
          : found,
      );
    const next = await rig.restart();
    expect((await next.finish(broken)).state).toBe('failed');
    expect((await next.finish(sound)).state).toBe('completed');
  });
});
