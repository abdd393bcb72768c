import { describe, expect, it } from 'vitest';
import { type Dialled, type HealthCase, healthProblems, type Trouble } from './health-account.ts';
import type { FiringAlert, HealthSample } from './health-watch.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const END_MS = 30_000;

const trouble = (kind: string, fromMs = 10_000, healedMs = 16_000): Trouble => ({
  ...{ kind, fromMs: T0 + fromMs, healedMs: T0 + healedMs, untilMs: T0 + healedMs + 500 },
  ...(kind === 'failover' ? {} : { node: 'one' }),
});

const healthOf = (ready: string): Pick<HealthSample, 'ready' | 'health'> =>
  ready === 'none'
    ? { ready }
    : { ready, health: ready === 'ready' ? { code: 200, status: 'ok' } : { code: 503, status: 'failing' } };

/** Four a second of each node: not ready from 1.5 s after the beginning of the trouble on, as `during` says. */
const samples = (
  during: string,
  change: (sample: HealthSample) => Partial<HealthSample> = () => ({}),
): HealthSample[] =>
  ['one', 'two'].flatMap((node) =>
    Array.from({ length: END_MS / 250 }, (_, index): HealthSample => {
      const atMs = index * 250;
      const isIll = node === 'one' && atMs >= 11_500 && atMs < 16_250;
      const sample = { node, fromMs: T0 + atMs, untilMs: T0 + atMs + 5, ...healthOf(isIll ? during : 'ready') };
      return { ...sample, ...change(sample) };
    }),
  );
const firing = (alert: string, node: string, fromMs: number, untilMs: number): FiringAlert[] =>
  Array.from({ length: (untilMs - fromMs) / 500 }, (_, index) => ({ alert, node, atMs: T0 + fromMs + index * 500 }));
const dial = (atMs: number, status: number): Dialled => ({
  ...{ node: 'one', fromMs: T0 + atMs, untilMs: T0 + atMs + 20, status },
});
const doctor = (fromMs: number, subject: string, state: 'ok' | 'failed'): HealthCase['doctors'][number] => ({
  ...{ node: 'two', fromMs: T0 + fromMs, untilMs: T0 + fromMs + 2000 },
  findings: [{ subject, state, found: 'as it is' }],
});

/** A node without the store for 6 s, reported as it was. */
const honest = (more: Partial<HealthCase> = {}): HealthCase => ({
  seen: { samples: samples('no_lease'), alerts: firing('LeaseLost', 'one', 12_000, 16_500) },
  troubles: [trouble('cut_hang')],
  dialled: [dial(5000, 200), dial(14_000, 503), dial(20_000, 200)],
  doctors: [doctor(2000, 'node one', 'ok'), doctor(13_000, 'node one', 'failed')],
  ...more,
});
const seenWith = (more: Partial<HealthCase['seen']>): HealthCase => honest({ seen: { ...honest().seen, ...more } });

describe('the account of reported health', () => {
  it('finds nothing wrong with a node that reports its trouble', () => {
    expect(healthProblems(honest())).toEqual([]);
  });

  it('allows a node that does not answer while it is paused', () => {
    const seen = { samples: samples('none'), alerts: firing('CallweaveDown', 'one', 11_000, 16_500) };
    expect(healthProblems(honest({ seen, troubles: [trouble('pause')], dialled: [] }))).toEqual([]);
  });

  it.each<[name: string, health: HealthCase, found: RegExp]>([
    [
      'a node that says ready without the store',
      seenWith({ samples: samples('ready') }),
      /one at .*: ready, \d+ ms after/,
    ],
    [
      'a refusal of a node that says ready',
      honest({ dialled: [dial(5000, 503)] }),
      /answers 503, and \/ready says ready/,
    ],
    [
      'a call taken by a node that says no',
      honest({ dialled: [dial(13_800, 200)] }),
      /answers 200, and \/ready says no_l/,
    ],
    [
      'an outage that nobody caused',
      honest({ troubles: [], dialled: [], doctors: [] }),
      /\/ready says no_lease, and nothing/,
    ],
    [
      'a /health that contradicts /ready',
      seenWith({ samples: samples('no_lease', ({ ready }) => (ready === 'ready' ? {} : healthOf('ready'))) }),
      /ready/,
    ],
    [
      'an alert without a cause',
      seenWith({ alerts: firing('RedisAway', 'two', 1000, 30_000) }),
      /RedisAway of two .* nothing/,
    ],
    [
      'an alert that does not end',
      seenWith({ alerts: firing('LeaseLost', 'one', 12_000, 30_000) }),
      /LeaseLost of one/,
    ],
    ['a missing alert', seenWith({ alerts: [] }), /^no alert for cut_hang of one/],
    [
      'a doctor that sees a lost node as well',
      honest({ doctors: [doctor(13_000, 'node one', 'ok')] }),
      /was in trouble/,
    ],
    [
      'a doctor that is afraid',
      honest({ doctors: [doctor(2000, 'node one', 'failed')] }),
      /about node one: failed.*nothing/,
    ],
  ])('finds the fault in %s', (_name, health, found) => {
    expect(healthProblems(health).join('\n')).toMatch(found);
  });

  it('allows a refusal within a failover that is over between two samples', () => {
    const failover = trouble('failover', 5100, 5150);
    expect(healthProblems(honest({ troubles: [trouble('cut_hang'), failover], dialled: [dial(5120, 503)] }))).toEqual(
      [],
    );
  });

  it('allows a lease that is lost while the node is held up, with its alert', () => {
    const heldUp = samples('no_lease', ({ node, fromMs }) => {
      if (node !== 'two') return {};
      if (fromMs === T0 + 20_000) return { untilMs: fromMs + 400 };
      return fromMs === T0 + 20_500 ? healthOf('no_lease') : {};
    });
    const alerts = [...firing('LeaseLost', 'one', 12_000, 16_500), ...firing('NotReady', 'two', 20_500, 21_500)];
    expect(healthProblems(honest({ seen: { samples: heldUp, alerts } }))).toEqual([]);
  });

  it('allows an alert at a moment at which the machine had no time for the next probe', () => {
    const without = samples('no_lease').filter(
      ({ node, fromMs }) => node !== 'two' || fromMs < T0 + 20_250 || fromMs > T0 + 20_600,
    );
    const alerts = [...firing('LeaseLost', 'one', 12_000, 16_500), ...firing('NotReady', 'two', 21_000, 21_500)];
    expect(healthProblems(honest({ seen: { samples: without, alerts } }))).toEqual([]);
    expect(healthProblems(honest({ seen: { samples: samples('no_lease'), alerts } }))).toEqual([
      expect.stringContaining('NotReady of two'),
    ]);
  });

  it('allows one sample in which a change falls between /ready and /health', () => {
    const once = samples('no_lease', ({ fromMs }) =>
      fromMs === T0 + 11_500 ? { health: { code: 200, status: 'ok' } } : {},
    );
    expect(healthProblems(seenWith({ samples: once }))).toEqual([]);
  });
});
