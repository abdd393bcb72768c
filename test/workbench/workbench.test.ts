/** The thread of the workbench: what it finds, that calls do not wait for it, and how its jobs end. */

import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { checkFlow } from '../../src/proof/workbench/check.ts';
import type { JobContext } from '../../src/proof/workbench/jobs.ts';
import {
  createWorkbench,
  threadOf,
  type Workbench,
  type WorkbenchOptions,
} from '../../src/proof/workbench/workbench.ts';
import { verbs } from '../../src/verbs/steps.ts';

const HUNG = { startThread: threadOf(new URL('./hung-worker.ts', import.meta.url)) };
const HELLO = 'flow: hello\nstart: say\nsteps: { say: { play: Hello there, exits: { error: $end }, next: $end } }\n';
const CALLER = 'flow: caller\nstart: sub\nsteps: { sub: { subflow: hello, exits: { error: $end }, next: $end } }\n';

const opened: Workbench[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

function open(more: Partial<WorkbenchOptions> = {}): { bench: Workbench; flows: FlowLibrary; schedules: string[] } {
  const schedules: string[] = [];
  const flows = new FlowLibrary(verbs, { schedules }).loadBuiltIn();
  const bench = createWorkbench({
    clock: systemClock,
    flows,
    names: { schedules, env: [], headers: [], promptRoots: [] },
    ...more,
  });
  opened.push(bench);
  return { bench, flows, schedules };
}

/** A flow that takes long to compile. */
function bigFlow(steps: number): string {
  const lines = Array.from(
    { length: steps },
    (_, at) =>
      `  s${at}: { menu: { prompt: "Number ${at}", choices: { a: { dtmf: "1" } } }, exits: { a: s${at + 1} } }`,
  );
  return `flow: big\nstart: s0\ndefaults: { exits: { exhausted: $end, error: $end } }\nsteps:\n${lines.join('\n')}\n  s${steps}: { hangup: }\n`;
}

describe('a check', () => {
  it('finds the version, the exits, and the mistakes with their places', async () => {
    const { bench } = open();
    expect(await bench.run('check', { file: '/flows/hello.flow.yaml', text: HELLO })).toMatchObject({
      diagnostics: [],
      name: 'hello',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      exits: { say: { done: '$end', error: '$end' } },
    });
    const broken = await bench.run('check', { file: 'x', text: HELLO.replace('next: $end', 'next: nowhere') });
    expect(broken.diagnostics).toMatchObject([{ code: 'unknown-target', file: 'x', line: 3 }]);
    expect(broken.hash).toBeUndefined();
  });

  it('judges dates by the clock of the service', async () => {
    const clock = new VirtualClock(Date.parse('2031-01-01T00:00:00Z'));
    const { bench } = open({ clock });
    const shop =
      'schedules: { shop: { timezone: Europe/Paris, open: [{ from: "09:00", to: "18:00" }], holidays: ["2030-12-25"] } }\n';
    const asked = 'at: { schedule: shop, exits: { open: say, closed: $end, holiday: $end } }, say: {';
    const text = shop + HELLO.replace('start: say', 'start: at').replace('say: {', asked);
    const { diagnostics } = await bench.run('check', { file: '/flows/hello.flow.yaml', text });
    expect(diagnostics).toMatchObject([{ code: 'past-holidays', line: 1 }]);
  });

  it('sees the flows and the schedules of the moment', async () => {
    const { bench, flows, schedules } = open();
    const check = async (text: string): Promise<string[]> =>
      (await bench.run('check', { file: 'x', text })).diagnostics.map(({ code }) => code);
    expect(await check(CALLER)).toEqual(['unknown-flow']);
    flows.take('/flows/hello.flow.yaml', HELLO);
    expect(await check(CALLER)).toEqual([]);
    flows.remove('/flows/hello.flow.yaml');
    expect(await check(CALLER)).toEqual(['unknown-flow']);
    const timed =
      'flow: timed\nstart: when\nsteps: { when: { schedule: office, exits: { open: $end, closed: $end, holiday: $end, error: $end } } }\n';
    expect(await check(timed)).toContain('unknown-schedule');
    schedules.push('office');
    expect(await check(timed)).not.toContain('unknown-schedule');
  });

  it('does not hold the event loop up', async () => {
    const { bench } = open({ clock: new VirtualClock() });
    await bench.run('check', { file: 'x', text: HELLO });
    const text = bigFlow(400);
    let turns = 0;
    let isDone = false;
    const checked = bench.run('check', { file: 'big', text }).finally(() => {
      isDone = true;
    });
    let longestMs = 0;
    while (!isDone) {
      const before = performance.eventLoopUtilization();
      await new Promise((resolve) => setImmediate(resolve));
      longestMs = Math.max(longestMs, performance.eventLoopUtilization(before).active);
      turns++;
    }
    expect((await checked).hash).toBeDefined();
    const { elapsed } = timed(() => new FlowLibrary(verbs).check('big', text));
    expect(turns).toBeGreaterThan(10);
    expect(longestMs).toBeLessThan(elapsed);
  });
});

it.skipIf(process.platform !== 'linux')('is done by a thread that gives way to calls', async () => {
  const { bench } = open();
  await bench.run('check', { file: 'x', text: HELLO });
  const threads = readdirSync('/proc/self/task').map((id) => {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/self/task/${id}/stat`, 'utf8'))!;
    return { name, nice: Number(rest!.split(' ')[16]) };
  });
  const nicest = threads.filter(({ name }) => name === 'workbench').map(({ nice }) => nice);
  const others = threads.filter(({ name }) => name !== 'workbench').map(({ nice }) => nice);
  expect(nicest.length).toBeGreaterThan(0);
  expect(Math.min(...nicest)).toBeGreaterThan(Math.max(...others));
});

function timed(work: () => unknown): { elapsed: number } {
  const before = performance.eventLoopUtilization();
  work();
  return { elapsed: performance.eventLoopUtilization(before).active };
}

describe('a job', () => {
  it('yields to a newer one of its session, and of no other', async () => {
    const { bench } = open();
    const job = { file: 'x', text: HELLO };
    const results = await Promise.allSettled([
      bench.run('check', job, { session: 'a' }),
      bench.run('check', job, { session: 'b' }),
      bench.run('check', job, { session: 'a' }),
      bench.run('check', job, { session: 'a' }),
      bench.run('check', job),
    ]);
    expect(results.map((one) => (one.status === 'rejected' ? one.reason.code : one.status))).toEqual([
      'superseded',
      'fulfilled',
      'superseded',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('stops early when a newer job of its session arrives, or when it is cancelled', async () => {
    // The virtual clock does not advance, so that no time limit ends the job.
    const { bench } = open({ ...HUNG, clock: new VirtualClock() });
    const [patient, good] = [
      { file: 'patient', text: '' },
      { file: 'good', text: '' },
    ];
    const overtaken = bench.run('check', patient, { session: 'a' });
    const newer = bench.run('check', good, { session: 'a' });
    await expect(overtaken).rejects.toMatchObject({ code: 'superseded' });
    expect(await newer).toEqual({ diagnostics: [] });

    const controller = new AbortController();
    const left = bench.run('check', patient, { signal: controller.signal });
    const other = bench.run('check', good);
    controller.abort();
    await expect(left).rejects.toMatchObject({ code: 'superseded' });
    expect(await other).toEqual({ diagnostics: [] });
  });

  it('stops between any two steps of the flow that it reads', () => {
    const steps = 50;
    const text = bigFlow(steps);
    const check = (most: number): number => {
      let looks = 0;
      const throwIfOvertaken = (): void => {
        if (++looks > most) throw new Error('overtaken');
      };
      const compileOptions = { throwIfOvertaken };
      const context: JobContext = {
        compileOptions,
        throwIfOvertaken,
        texts: new Map(),
        compiled: new Map(),
        tell: () => undefined,
      };
      if (most < Number.POSITIVE_INFINITY) expect(() => checkFlow({ file: 'big', text }, context)).toThrow('overtaken');
      else checkFlow({ file: 'big', text }, context);
      return looks;
    };
    const all = check(Number.POSITIVE_INFINITY);
    expect(all).toBeGreaterThan(steps);
    for (const most of [0, 1, steps, all - 1]) expect(check(most)).toBe(most + 1);
  });

  it('ends when it is cancelled', async () => {
    const { bench } = open();
    const controller = new AbortController();
    const first = bench.run('check', { file: 'x', text: HELLO });
    const left = bench.run('check', { file: 'x', text: HELLO }, { signal: controller.signal });
    controller.abort();
    await expect(left).rejects.toMatchObject({ code: 'superseded' });
    expect((await first).name).toBe('hello');
  });

  it('is ended if it hangs, and the next one runs in a new thread', async () => {
    const clock = new VirtualClock();
    const { bench } = open({ ...HUNG, clock });
    expect(await bench.run('check', { file: 'good', text: '' })).toEqual({ diagnostics: [] });
    const hung = bench.run('check', { file: 'endless', text: '' });
    const next = bench.run('check', { file: 'good', text: '' });
    const ended = expect(hung).rejects.toMatchObject({
      code: 'workbench_busy',
      message: expect.stringContaining('10 s'),
    });
    await clock.advance(10_000);
    await ended;
    expect(await next).toEqual({ diagnostics: [] });
  });

  it('fails alone if it breaks its thread', async () => {
    const { bench } = open(HUNG);
    const broken = bench.run('check', { file: 'bad', text: '' });
    const next = bench.run('check', { file: 'good', text: '' });
    await expect(broken).rejects.toMatchObject({ code: 'workbench_busy', message: expect.stringContaining('broken') });
    expect(await next).toEqual({ diagnostics: [] });
  });

  it('is refused when too many wait, and when the service stops', async () => {
    const { bench } = open({ ...HUNG, clock: new VirtualClock() });
    const hung = bench.run('check', { file: 'endless', text: '' });
    const waiting = Array.from({ length: 20 }, () => bench.run('check', { file: 'good', text: '' }));
    const all = Promise.allSettled([hung, ...waiting]);
    await expect(bench.run('check', { file: 'good', text: '' })).rejects.toMatchObject({ code: 'too_many_requests' });
    await bench.stop();
    expect((await all).map(({ status }) => status)).toEqual(Array(21).fill('rejected'));
    await expect(bench.run('check', { file: 'good', text: '' })).rejects.toMatchObject({ code: 'workbench_busy' });
  });
});
