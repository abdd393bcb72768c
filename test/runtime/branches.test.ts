/** Parallel flows of one call: several branches, one event at a time. */
import { describe, expect, it } from 'vitest';
import type { StepEvent } from '../../src/language/steps/step.ts';
import { checkJournal } from './journal-invariants.ts';
import {
  answered,
  ended,
  forever,
  hungUp,
  kinds,
  type Program,
  scripted,
  scriptedSteps,
  until,
} from './scripted-steps.ts';
import { startCall, type TestCall } from './test-call.ts';

/** A branch: runs the program `name`, then returns with the outcome `good`. */
const branchFlow = (name: string, more = ''): string => `
flow: ${name}
start: work
defaults: { exits: { error: bad, failed: bad } }
${more}
steps:
  work: { bridge: ${name}, exits: { completed: out } }
  out: { return: good }
  bad: { return: bad }
`;

const flows = {
  one: branchFlow('one'),
  two: branchFlow('two', 'events: { "dtmf.5": out, hangup: bad }'),
  endless: branchFlow('endless', 'limits: { max_steps: 3 }'),
};

/** Runs these beside each other until one returns, or all have. */
const parallel = (names: string[], until: 'first' | 'all', seen: StepEvent[] = []): Program =>
  async function* ({ startBranch }) {
    for (const name of names) {
      const fault = await startBranch(name, name, {});
      if (fault) return { outcome: 'error', fault };
    }
    for (let returned = 0; returned < (until === 'first' ? 1 : names.length); ) {
      const event = yield {};
      seen.push(event);
      if (event.type === 'branch_returned') returned++;
    }
    return { outcome: 'completed' };
  };

const key = (digit: string, did: string[] = []): Program =>
  async function* ({ step, leg }) {
    did.push(`${step} begins`);
    yield* until((event) => (event.type === 'digit' && event.digit === digit ? true : undefined), {
      digits: { claims: digit },
    });
    did.push(`${step} got ${digit}`);
    leg.play([]);
    return { outcome: 'completed' };
  };

const idle: Program = async function* () {
  return yield* forever();
};

const begin = (programs: Record<string, Program>, options: Parameters<typeof scripted>[1] = {}): Promise<TestCall> =>
  scripted(programs, { flows, ...options });

const returned = (seen: StepEvent[]) =>
  seen.flatMap((event) => (event.type === 'branch_returned' ? [`${event.branch} ${event.outcome}`] : []));

describe('branches', () => {
  it('runs in parallel with other branches and the step, each in its own time', async () => {
    const seen: StepEvent[] = [];
    const call = await begin({ first: parallel(['one', 'two'], 'all', seen), one: key('1'), two: key('2') });
    expect(kinds(call, 'entered').map(({ step, depth, branch }) => [step, depth, branch])).toEqual([
      ['first', 0, undefined],
      ['work', 1, '1.one'],
      ['work', 1, '1.two'],
    ]);
    expect(call.writes.at(-1)?.checkpoint.frames.map(({ flow, at }) => `${flow} ${at}`)).toEqual([
      'scripted first',
      'one work',
      'two work',
    ]);
    await call.press('1');
    expect(returned(seen)).toEqual(['one good']);
    await call.press('2');
    expect(returned(seen)).toEqual(['one good', 'two good']);
    expect(call.path().at(-1)).toBe('bye');
  });

  it('ends with the step run that started it', async () => {
    const call = await begin({ first: parallel(['one', 'two'], 'first'), one: key('1'), two: idle });
    await call.press('1');
    expect(call.outcomes()).toEqual(['work:completed', 'out:good', 'work:left', 'first:completed', 'bye:done']);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
  });

  it('returns once the step waits, if it never waits', async () => {
    const seen: StepEvent[] = [];
    const quick: Program = async function* () {
      yield* [];
      return { outcome: 'completed' };
    };
    await begin({ first: parallel(['one', 'two'], 'all', seen), one: quick, two: quick });
    expect(returned(seen)).toEqual(['one good', 'two good']);
  });

  it('offers digits to a waiting step first, then to the interrupts from the inside out', async () => {
    const seen: StepEvent[] = [];
    const call = await begin({ first: parallel(['one', 'two'], 'all', seen), one: idle, two: idle, second: idle });
    await call.press('5');
    expect(returned(seen)).toEqual(['two good']);
    expect(call.outcomes()).toContain('work:$dtmf.5');
    await call.press('9');
    expect(call.outcomes().slice(-2)).toEqual(['work:$dtmf.9', 'first:$dtmf.9']);
    expect(call.path().at(-1)).toBe('second');
  });

  it('are asked for interrupts only around the step that takes the key', async () => {
    const call = await begin({ first: parallel(['one', 'two'], 'all'), one: key('1'), two: idle, second: idle });
    await call.press('5');
    // `two` has an interrupt for 5, but `one` takes keys: 5 is not among those it claims, and still goes to it.
    expect(call.outcomes()).toEqual([]);
    await call.press('9');
    expect(call.path().at(-1)).toBe('second');
  });

  it('are left by the hang-up, all and from the inside out', async () => {
    const seen: StepEvent[] = [];
    const call = await begin({ first: parallel(['one', 'two'], 'all', seen), one: idle, two: idle });
    await call.hangUp();
    await call.run.done;
    expect(call.outcomes().slice(0, 3)).toEqual(['work:hangup', 'work:hangup', 'first:hangup']);
    expect(kinds(call, 'state').at(-1)).toMatchObject({ state: 'disconnected' });
    expect(call.run.record.state).toBe('disconnected');
  });

  it('routes a hang-up when the step that started it does not need the caller', async () => {
    const quiet = `
flow: quiet
start: work
events: { hangup: note }
steps:
  work: { bridge: quiet, exits: { completed: $end, failed: $end, error: $end } }
  note: { notify: { event: noted }, next: $end }
`;
    const call = await startCall(
      `
flow: main
start: both
events: { hangup: after }
steps:
  both: { parallel: { branches: { a: { flow: quiet }, b: { flow: quiet } }, until: all }, exits: { done: after, error: after } }
  after: { notify: { event: after }, next: $end }
`,
      { flows: { quiet }, ports: { steps: scriptedSteps({ quiet: idle }) } },
    );
    await call.hangUp();
    await call.run.done;
    const happened = call.journal().flatMap((entry) => {
      if (entry.kind === 'left') return [`${entry.step} ${entry.outcome}`];
      return entry.kind === 'state' ? [entry.state] : entry.kind === 'notified' ? [entry.event] : [];
    });
    expect(happened).toMatchInlineSnapshot(`
      [
        "incomingcall",
        "work hangup",
        "work hangup",
        "disconnected",
        "noted",
        "note done",
        "noted",
        "note done",
        "both done",
        "after",
        "after done",
      ]
    `);
    expect(checkJournal(call.journal(), { over: true })).toEqual([]);
  });

  it('hangs up its parties when it ends', async () => {
    const dialling: Program = async function* ({ dial }) {
      dial({ to: '1', ringTimeoutMs: 1 });
      return yield* forever();
    };
    const call = await begin({ first: parallel(['one', 'two'], 'first'), one: key('1'), two: dialling });
    await call.press('1');
    expect(call.sent.filter(({ leg }) => leg === 'leg-1').map(({ command }) => command.type)).toEqual(['hangup']);
    await call.tellParty('leg-1', hungUp);
    await call.tell(hungUp);
    await call.run.done;
  });

  it('delivers events to the step run that they are for', async () => {
    const heard: Record<string, StepEvent[]> = { one: [], two: [] };
    const playing = (name: string): Program =>
      async function* ({ leg, dial }) {
        leg.play([]);
        dial({ to: name, ringTimeoutMs: 1 });
        return yield* forever(heard[name]);
      };
    const call = await begin({ first: parallel(['one', 'two'], 'all'), one: playing('one'), two: playing('two') });
    await call.tell({ type: 'play_ended', playId: 'play-2', reason: 'finished', playedMs: 1 });
    await call.tellParty('leg-1', answered);
    expect(heard['one']).toMatchObject([{ type: 'party', party: 'leg-1' }]);
    expect(heard['two']).toMatchObject([{ type: 'play_ended', playId: 'play-2' }]);
    for (const leg of ['leg-1', 'leg-2']) await call.tellParty(leg, ended);
  });

  it('has deadlines of its own', async () => {
    const order: string[] = [];
    const pausing = (name: string, ms: number): Program =>
      async function* () {
        for (let n = 0; n < 2; n++) {
          yield { withinMs: ms };
          order.push(`${name} ${n}`);
        }
        return { outcome: 'completed' };
      };
    const seen: StepEvent[] = [];
    const call = await begin({
      first: parallel(['one', 'two'], 'all', seen),
      one: pausing('one', 300),
      two: pausing('two', 500),
    });
    await call.clock.advance(1_000);
    expect(order).toEqual(['one 0', 'two 0', 'one 1', 'two 1']);
    expect(returned(seen)).toEqual(['one good', 'two good']);
  });

  it.each([
    ['an unknown flow', ['none'], 'unknown_flow'],
    ['more flows than a call may have', Array.from({ length: 20 }, () => 'two'), 'too_deep'],
  ])('are refused for %s', async (_what, names, code) => {
    const call = await begin({ first: parallel(names, 'all'), two: idle });
    expect(kinds(call, 'left').find(({ step }) => step === 'first')).toMatchObject({
      outcome: 'error',
      fault: { code },
    });
  });

  it('counts for the limits of the enclosing flows, and not for parallel ones', async () => {
    const loop = `
flow: loop
start: work
limits: { max_steps: 3 }
steps:
  work: { bridge: loop, exits: { completed: work, failed: $end, error: $end } }
`;
    const tick: Program = async function* () {
      yield { withinMs: 10 };
      return { outcome: 'completed' };
    };
    const alone = await begin({ first: parallel(['loop'], 'all'), loop: tick }, { flows: { loop } });
    await alone.clock.advance(100);
    expect(kinds(alone, 'left').at(-1)).toMatchObject({ outcome: 'limit' });
    expect(kinds(alone, 'entered')).toHaveLength(5);
    const around = await begin(
      { first: parallel(['loop', 'again'], 'all'), loop: tick, again: tick },
      {
        flows: { loop: loop.replace('3', '50'), again: loop.replaceAll('loop', 'again').replace('3', '50') },
        head: 'limits: { max_steps: 20 }',
        steps:
          '\n  first: { bridge: first, exits: { completed: bye } }\n  missed: { log: missed, next: bye }\n  bye: { hangup: normal }\n  broken: { hangup: failure }',
      },
    );
    await around.clock.advance(1_000);
    expect(kinds(around, 'entered')).toHaveLength(21);
  });

  it('returns a failure to its step, or ends the whole call', async () => {
    const seen: StepEvent[] = [];
    const breaks: Program = async function* () {
      yield { withinMs: 1 };
      return { outcome: 'error', fault: { code: 'x', message: 'y', retryable: false } };
    };
    const call = await begin({ first: parallel(['one', 'two'], 'all', seen), one: breaks, two: idle });
    await call.clock.advance(1);
    expect(returned(seen)).toEqual(['one bad']);
    const quits: Program = async function* () {
      yield { withinMs: 1 };
      return { outcome: 'done', ends: 'call' };
    };
    const over = await begin({ first: parallel(['one', 'two'], 'all'), one: idle, two: quits });
    await over.clock.advance(1);
    expect(over.outcomes()).toEqual(['work:done', 'work:hangup', 'first:hangup']);
    expect(over.commands.at(-1)).toMatchObject({ type: 'hangup' });
  });

  it('are allowed to branch again', async () => {
    const seen: StepEvent[] = [];
    const inner = { ...flows, outer: branchFlow('outer') };
    const call = await begin(
      { first: parallel(['outer'], 'all', seen), outer: parallel(['one', 'two'], 'first'), one: key('1'), two: idle },
      { flows: inner },
    );
    expect(kinds(call, 'entered').map(({ depth, branch }) => `${depth} ${branch}`)).toEqual([
      '0 undefined',
      '1 1.outer',
      '2 2.one',
      '2 2.two',
    ]);
    await call.press('1');
    expect(returned(seen)).toEqual(['outer good']);
  });
});
