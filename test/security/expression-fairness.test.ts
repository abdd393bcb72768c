/**
 * Expressions of one project that compute for long: another project's calls do not wait for them. Time is counted in
 * steps.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type CpuLease, type CpuScheduler, createCpuScheduler } from '../../src/language/flow/cpu-scheduler.ts';
import { compileExpression, evaluate } from '../../src/language/flow/expression.ts';
import { ApiRig } from '../api/rig.ts';
import { startCall } from '../runtime/test-call.ts';

const SLICE_MS = 10;
const BUDGET_MS = 500;

/** A machine on which each step of any work takes a millisecond, and time passes while it is idle. */
class Machine {
  nowMs = 0;
  turns = 0;
  /** Maximum work in one turn of the event loop, in milliseconds. */
  longestTurnMs = 0;
  readonly shares: CpuScheduler;
  readonly #turnsWanted: (() => void)[] = [];
  readonly #timers: { atMs: number; run: () => void }[] = [];
  #turnBeganMs = 0;

  constructor() {
    this.shares = createCpuScheduler({
      sliceMs: SLICE_MS,
      budgetMs: BUDGET_MS,
      nowMs: () => this.nowMs,
      nextTurn: (run) => void this.#turnsWanted.push(run),
      after: (delayMs, run) => void this.#timers.push({ atMs: this.nowMs + delayMs, run }),
    });
  }

  /** Starts work of this many steps, and resolves with the time at its end. */
  async work(key: string, steps: number): Promise<number> {
    const entered = this.shares.acquire(key);
    const share: CpuLease = entered instanceof Promise ? await entered : entered;
    for (let step = 0; step < steps; step++) {
      const pause = share.yieldSlice();
      if (pause) await pause;
      this.nowMs += 1;
    }
    share.release();
    return this.nowMs;
  }

  /** Turns the event loop until all work is done, or `isDone`. */
  async run(isDone: () => boolean = () => false): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      this.longestTurnMs = Math.max(this.longestTurnMs, this.nowMs - this.#turnBeganMs);
      if (isDone()) return;
      const turns = this.#turnsWanted.splice(0);
      if (turns.length === 0) {
        const next = this.#timers.sort((one, other) => one.atMs - other.atMs).shift();
        if (!next) return;
        this.nowMs = Math.max(this.nowMs, next.atMs);
        this.#turnBeganMs = this.nowMs;
        next.run();
        continue;
      }
      this.turns++;
      this.#turnBeganMs = this.nowMs;
      for (const turn of turns) turn();
    }
  }
}

describe('processor time of expressions', () => {
  it('is given to another project within two slices, however much work of one project waits', async () => {
    const machine = new Machine();
    for (let call = 0; call < 50; call++) void machine.work('greedy', 200);
    await machine.run(() => machine.nowMs >= 100);
    const beganMs = machine.nowMs;
    const doneMs = await Promise.race([machine.work('modest', 5), machine.run().then(() => Number.POSITIVE_INFINITY)]);
    expect(doneMs - beganMs).toBeLessThanOrEqual(5 + 2 * SLICE_MS);
  });

  it('is limited to half a second per second for a project, which delays the rest of its work', async () => {
    const machine = new Machine();
    const done = Promise.all(Array.from({ length: 10 }, () => machine.work('greedy', 200)));
    await machine.run(() => machine.nowMs >= 1000);
    await machine.run();
    const ends = await done;
    // Two seconds of work at half a second each second.
    expect(Math.max(...ends)).toBeGreaterThanOrEqual(3000 + BUDGET_MS);
    expect(Math.max(...ends)).toBeLessThanOrEqual(3000 + BUDGET_MS + 2 * SLICE_MS);
  });

  it('lets the event loop turn after each slice', async () => {
    const machine = new Machine();
    for (const key of ['a', 'b', 'c']) for (let call = 0; call < 20; call++) void machine.work(key, 30);
    await machine.run();
    expect(machine.longestTurnMs).toBeLessThanOrEqual(SLICE_MS);
    expect(machine.turns).toBeGreaterThanOrEqual((3 * 20 * 30) / SLICE_MS);
  });

  it('alternates between the projects that wait', async () => {
    const machine = new Machine();
    const order: string[] = [];
    for (const key of ['a', 'a', 'a', 'b', 'c']) void machine.work(key, SLICE_MS).then(() => order.push(key));
    await machine.run();
    expect(order.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
  });

  it('costs small pieces of work no turn', async () => {
    const machine = new Machine();
    for (let call = 0; call < 9; call++) {
      const share = machine.shares.acquire('a') as CpuLease;
      machine.nowMs += 1;
      share.release();
    }
    expect(machine.turns).toBe(0);
    expect(machine.shares.acquire('a')).not.toBeInstanceOf(Promise);
  });

  it('is not used for work that was cancelled while it waited', async () => {
    const machine = new Machine();
    const first = machine.shares.acquire('a') as CpuLease;
    machine.nowMs += SLICE_MS;
    expect(first.yieldSlice()).toBeInstanceOf(Promise);
    first.release();
    expect(await Promise.race([machine.work('b', 3), machine.run().then(() => undefined)])).toBe(SLICE_MS + 3);
  });
});

describe('an expression', () => {
  const LONG = '$sum([1..300].($ * $))';

  it('gives the same result in slices as at once', async () => {
    const expression = compileExpression(LONG);
    if ('error' in expression) throw new Error(expression.error.message);
    let nowMs = 0;
    let turns = 0;
    // Each look at the clock takes a tenth of a millisecond.
    const shares = createCpuScheduler({
      sliceMs: SLICE_MS,
      nowMs: () => (nowMs += 0.01),
      nextTurn: (run) => {
        turns++;
        setImmediate(run);
      },
    });
    const context = { nowMs: 0, random: () => 0.5, acquireCpu: () => shares.acquire('a') };
    expect(await evaluate(expression, { input: {}, call: {}, vars: {}, steps: {}, env: {} }, context)).toBe(9_045_050);
    expect(turns).toBeGreaterThan(2);
  });

  it('reports a long wait separately from the computation', async () => {
    const expression = compileExpression('$match("ab", /b/).match & $string($count([1..2000].($ * 2)))');
    if ('error' in expression) throw new Error(expression.error.message);
    let nowMs = 0;
    const shares = createCpuScheduler({
      nowMs: () => (nowMs += 0.005),
      nextTurn: (run) => {
        // As if others had used the processor for ten seconds.
        nowMs += 10_000;
        setImmediate(run);
      },
    });
    const context = { nowMs: 0, random: () => 0.5, acquireCpu: () => shares.acquire('a') };
    expect(await evaluate(expression, { input: {}, call: {}, vars: {}, steps: {}, env: {} }, context)).toBe('b2000');
    expect(nowMs).toBeGreaterThan(20_000);
  });
});

describe('calls of two projects', () => {
  let rig: ApiRig | undefined;
  afterEach(() => rig?.close());

  const flow = (expression: string): string => named('f', expression);
  const named = (name: string, expression: string): string =>
    `flow: ${name}\nvars: { n: { type: number, default: 0 } }\nstart: a\nsteps:\n  a: { answer: {}, next: b }\n  b: { set: { n: "\${ ${expression} }" }, next: c }\n  c: { hangup: normal }\n`;
  const GREEDY = flow('$sum([1..1200].($ * $))');
  const MODEST = flow('vars.n + 1');

  /** A clock that advances by 0.01 ms each time it is read, so that durations are counts. */
  function counted(): { shares: CpuScheduler; looks: () => number } {
    let count = 0;
    const nowMs = (): number => ++count / 100;
    const nextTurn = (run: () => void): void => void setImmediate(run);
    const after = (delayMs: number, run: () => void): void => {
      count += delayMs * 100;
      setImmediate(run);
    };
    return {
      shares: createCpuScheduler({ sliceMs: SLICE_MS, budgetMs: BUDGET_MS, nowMs, nextTurn, after }),
      looks: () => count,
    };
  }

  it.each([1, 20])('completes a call while %i calls of the other project compute', async (count) => {
    const { shares: cpuScheduler, looks } = counted();
    const begin = async (text: string, projectId: string) => {
      const call = await startCall(text, { answer: false, spec: { projectId }, ports: { cpuScheduler } });
      return call;
    };
    const greedy = [];
    for (let index = 0; index < count; index++) greedy.push(await begin(GREEDY, 'greedy'));
    const modest = await begin(MODEST, 'modest');
    const isDone = (call: typeof modest): boolean => call.commands.some(({ type }) => type === 'hangup');
    const answered = { type: 'leg', event: { type: 'answered' } } as const;
    for (const call of greedy) call.run.post(answered);
    // All of them compute by now.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(greedy.some(isDone)).toBe(false);
    const before = looks();
    modest.run.post(answered);
    let turns = 0;
    while (!isDone(modest)) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
      expect(turns).toBeLessThan(1000);
    }
    expect(turns).toBeLessThanOrEqual(10);
    expect((looks() - before) / 100).toBeLessThanOrEqual(3 * SLICE_MS);
    expect(greedy.every(isDone)).toBe(false);
    while (!greedy.every(isDone)) await new Promise((resolve) => setImmediate(resolve));
    for (const call of [...greedy, modest]) await call.hangUp();
  });

  it('serves projects with little computation before earlier ones with much, across the service', async () => {
    rig = await ApiRig.open({
      flows: { greedy: named('greedy', '$sum([1..6000].($ * $))'), modest: named('modest', '$sum([vars.n, 1])') },
      config: 'numbers: [{ number: "1000", flow: greedy }, { number: "3000", flow: modest, project: other }]\n',
    });
    const { calls: callStore } = rig.store;
    const commit = callStore.commit.bind(callStore);
    const order: string[] = [];
    callStore.commit = (write) => {
      if (write.entries.some((entry) => entry.kind === 'left' && entry.step === 'b'))
        order.push(write.record.projectId);
      return commit(write);
    };
    for (let call = 0; call < 12; call++) rig.call('1000');
    rig.call('3000');
    // Answered by then; the clock of calls stands still while they compute, however long that takes here.
    for (let step = 0; step < 20; step++) await rig.clock.advance(10);
    while (order.length < 13) await new Promise((resolve) => setImmediate(resolve));
    // Without turns it would be last. The number of others before it depends on the speed of this machine; the tests
    // above show the order of single turns, with counted time.
    expect(order.indexOf('other')).toBeLessThan(order.length - 1);
  });
});
