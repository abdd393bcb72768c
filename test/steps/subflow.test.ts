import { describe, expect, it } from 'vitest';
import { flowText, heard, lastLeft, startSteps } from './scripted-call.ts';

/** The main flow, which calls `inner` and logs its result. */
const main = (args: string, exits: string) => `
  first: { subflow: ${args}, exits: { ${exits} } }
  tell: { log: "\${ $string(steps.first) }", next: bye }
  other: { log: other, next: bye }
  gone: { notify: gone, next: bye }`;

const inner = (steps: string, head = '') => ({ inner: flowText(steps, head) });

const logged = (call: Awaited<ReturnType<typeof startSteps>>) =>
  call.journal().flatMap((entry) => (entry.kind === 'log' ? [entry.message] : []));

describe('subflow: outcomes', () => {
  it.each([
    ['return: known', 'known', 'null'],
    ['return: { outcome: known }', 'known', 'null'],
    ['return: { outcome: known, output: { a: "${ 1 + 1 }" } }', 'known', '{"a":2}'],
    ['return: ', 'done', 'null'],
  ])('returns the outcome of the step: %s', async (step, outcome, output) => {
    const call = await startSteps(main('{ flow: inner, outcomes: [known] }', 'known: tell, done: tell'), {
      flows: inner(`  first: { ${step} }`),
    });
    expect(call.outcomes()).toContain(`first:${outcome}`);
    expect(logged(call)).toEqual([output]);
  });

  it('is done when the flow ends without a return', async () => {
    const call = await startSteps(main('inner', 'done: tell'), {
      flows: inner('  first: { log: inside, next: $end }'),
    });
    expect(logged(call)).toEqual(['inside', 'null']);
  });

  it('has the output of the flow as result', async () => {
    const head = 'vars: { n: { type: integer, default: 6 } }\noutput: { n: "${ vars.n * 7 }" }';
    const call = await startSteps(main('inner', 'done: tell'), {
      flows: inner('  first: { log: inside, next: $end }', head),
    });
    expect(logged(call)).toEqual(['inside', '{"n":42}']);
  });

  it('prefers the returned value to the output of the flow', async () => {
    const head = 'output: { of: flow }';
    const call = await startSteps(main('{ flow: inner, outcomes: [known] }', 'known: tell, done: other'), {
      flows: inner('  first: { return: { outcome: known, output: { of: step } } }', head),
    });
    expect(logged(call)).toEqual(['{"of":"step"}']);
  });

  it('continues if the output cannot be evaluated', async () => {
    const head = 'output: { n: "${ $number(\'x\') }" }';
    const call = await startSteps(main('inner', 'done: tell'), {
      flows: inner('  first: { log: inside, next: $end }', head),
    });
    expect(logged(call)).toEqual(['inside', 'null']);
    expect(call.journal().find(({ kind }) => kind === 'diagnostic')).toMatchObject({ code: 'output' });
  });

  it('is an error without a route', async () => {
    const call = await startSteps(main('inner', 'done: tell'), { flows: inner('  first: { return: surprise }') });
    expect(call.journal().findLast((entry) => entry.kind === 'left' && entry.step === 'first')).toMatchObject({
      outcome: 'error',
      fault: { code: 'unrouted_outcome', message: expect.stringContaining('surprise') },
    });
    expect(call.outcomes().at(-1)).toBe('broken:done');
  });

  it('assigns from the output, whatever the outcome', async () => {
    for (const outcome of ['known', 'not_found', 'failed', 'silence']) {
      const call = await startSteps(
        `
  first:
    subflow: { flow: inner, outcomes: [${outcome}] }
    set: { name: "\${ result.name }" }
    exits: { ${outcome}: tell, done: other }
  tell: { log: "\${ vars.name }", next: bye }
  other: { log: other, next: bye }`,
        {
          head: 'vars: { name: { type: string, default: nobody } }',
          flows: inner(`  first: { return: { outcome: ${outcome}, output: { name: Ann } } }`),
        },
      );
      expect(logged(call)).toEqual(['Ann']);
    }
  });

  it.each([
    ['the outer one', 'output: { of: outer }', 'output: { of: inner }', { of: 'outer' }],
    ['the inner one where the outer puts out nothing', '', 'output: { of: inner }', { of: 'inner' }],
    ['the inner one where the outer hands it on', 'output: "${ steps.first }"', 'output: { of: 2 }', { of: 2 }],
    ['nobody where neither puts out anything', '', '', undefined],
  ])('keeps the output of a call that hangs up: %s', async (_, outer, head, output) => {
    const call = await startSteps(main('inner', 'done: tell'), {
      head: outer,
      flows: inner('  first: { hangup: normal }', head),
    });
    await call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' });
    await call.run.done;
    expect(call.run.record.output).toEqual(output);
    expect(call.outcomes()).toEqual(['first:done', 'first:hangup']);
  });

  it('keeps the output so far when the caller hangs up', async () => {
    const call = await startSteps(main('inner', 'done: tell'), {
      head: 'output: "${ steps.first }"',
      flows: inner(
        '  first: { set: { n: 7 }, next: waits }\n  waits: { wait_for: [never], exits: { never: $end } }',
        'vars: { n: { type: integer, default: 0 } }\noutput: { n: "${ vars.n }" }',
      ),
    });
    await call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' });
    await call.run.done;
    expect(call.run.record.output).toEqual({ n: 7 });
    expect(call.outcomes()).toEqual(['first:done', 'waits:hangup', 'first:hangup']);
  });

  it('keeps the output without a route for the outcome', async () => {
    const returns = 'return: { outcome: surprise, output: { n: 7 } }';
    const call = await startSteps(main('inner', 'done: tell'), {
      head: 'output: "${ steps.first }"',
      flows: inner(`  first: { ${returns} }`),
    });
    await call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' });
    await call.run.done;
    expect(call.run.record.output).toEqual({ n: 7 });
  });

  it('ends the call after a hang-up', async () => {
    const call = await startSteps(main('inner', 'done: tell'), { flows: inner('  first: { hangup: busy }') });
    expect(call.commands).toEqual([{ type: 'hangup', cause: 17 }]);
    expect(logged(call)).toEqual([]);
  });
});

describe('subflow: input', () => {
  const head = `input:
  name: { type: string, default: nobody }
  age: { type: integer }
vars: { own: { type: integer, default: 0 } }`;
  const said = '  first: { log: "${ input.name } ${ input.age } ${ vars.own } ${ $string(steps) }", next: $end }';

  it.each([
    ['inner', 'nobody  0 {}'],
    ['{ flow: inner, input: { name: Ann, age: "${ 40 + 2 }" } }', 'Ann 42 0 {}'],
    ['{ flow: inner, input: "${ { \'name\': call.to } }" }', '1000  0 {}'],
  ])('evaluates its arguments: %s', async (args, expected) => {
    const call = await startSteps(main(args, 'done: bye'), { flows: inner(said, head) });
    expect(logged(call)).toEqual([expected]);
  });

  it('has its own variables and results, new at each call', async () => {
    const call = await startSteps(
      `
  first: { subflow: inner, next: again }
  again: { repeat: { do: first, times: 1 }, exits: { limit: bye } }`,
      {
        flows: inner(
          '  first: { set: { own: "${ vars.own + 1 }" }, next: say }\n  say: { log: "own ${ vars.own }", next: $end }',
          head,
        ),
        head: 'vars: { own: { type: integer, default: 50 } }',
      },
    );
    expect(logged(call)).toEqual(['own 1', 'own 1']);
  });

  it.each([
    ['a name that no flow has', 'nobody', 'unknown_flow'],
    ['input of the wrong type', '{ flow: inner, input: { name: 5 } }', 'invalid_input'],
    ['input that is not declared', '{ flow: inner, input: { nom: Ann } }', 'invalid_input'],
  ])('%s is an error', async (_name, args, code) => {
    const call = await startSteps(main(args, 'done: bye'), { flows: inner(said, head) });
    expect(lastLeft(call)).toMatchObject({ step: 'broken' });
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ outcome: 'error', fault: { code } });
  });

  it('allows a nesting of twenty flows at most', async () => {
    const call = await startSteps('  first: { subflow: inner, next: bye }', {
      flows: inner('  first: { subflow: inner, exits: { done: $end, error: back } }\n  back: { return: done }'),
    });
    const depths = call.journal().flatMap((entry) => (entry.kind === 'entered' ? [entry.depth] : []));
    expect(Math.max(...depths)).toBe(19);
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ fault: { code: 'too_deep' } });
    expect(call.outcomes().at(-1)).toBe('bye:done');
  });
});

describe('subflow: an error inside', () => {
  const open = (name: string, steps: string) => `flow: ${name}\nstart: first\nsteps:\n${steps}\n`;
  const broken = open('inner', '  first: { log: "${ $number(\'x\') }", next: $end }');

  it('is an error of the step that called, with its reason', async () => {
    const call = await startSteps(main('inner', 'done: tell, error: other'), { flows: { inner: broken } });
    const [within, outside] = call.journal().flatMap((entry) => (entry.kind === 'left' ? [entry] : []));
    expect(within).toMatchObject({ outcome: 'error', fault: { code: 'expression-failed' } });
    expect(outside).toMatchObject({ step: 'first', outcome: 'error', fault: within!.fault });
    expect(logged(call)).toEqual(['other']);
  });

  it('passes through flows that do not route it', async () => {
    const between = open('between', '  first: { subflow: inner, exits: { done: $end, error: $end } }');
    const call = await startSteps(main('between', 'done: tell, error: other'), { flows: { between, inner: broken } });
    expect(call.outcomes()).toEqual(['first:error', 'first:error', 'first:error', 'other:done', 'bye:done']);
  });
});

describe('subflow: a caller who hangs up inside', () => {
  const waiting = (more = '') =>
    inner(`  first: { pause: 1h, exits: { done: bye${more} } }\n  note: { notify: inside, next: $end }`);

  it('is a hang-up of the step that called', async () => {
    const call = await startSteps(main('inner', 'done: tell, hangup: gone'), { flows: waiting() });
    await call.hangUp();
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:hangup', 'first:hangup', 'gone:done', 'bye:done']);
  });

  it('reaches the calling flow after the inner flow has handled it', async () => {
    const call = await startSteps(main('inner', 'done: tell, hangup: gone'), { flows: waiting(', hangup: note') });
    await call.hangUp();
    await call.run.done;
    expect(call.path()).toEqual(['first', 'first', 'note', 'gone', 'bye']);
    expect(call.outcomes()).toEqual(['first:hangup', 'note:done', 'first:hangup', 'gone:done', 'bye:done']);
  });

  it('ends the call when no flow routes it', async () => {
    const call = await startSteps(main('inner', 'done: tell'), { flows: waiting() });
    await call.hangUp();
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:hangup', 'first:hangup']);
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'hangup' });
  });
});

describe('subflow: interrupts of the flow outside', () => {
  it('leaves the inner flow, and stops its media', async () => {
    const call = await startSteps(main('inner', 'done: tell'), {
      head: 'events: { "dtmf.0": other }',
      flows: inner('  first: { answer: {}, next: music }\n  music: { play: { text: Music, repeat: 9 }, next: bye }'),
    });
    const { playId } = call.lastPlay();
    await call.press('0');
    expect(call.outcomes()).toEqual(['first:connected', 'music:$dtmf.0', 'first:$dtmf.0', 'other:done', 'bye:done']);
    expect(call.commands).toContainEqual({ type: 'stop_play', playId });
  });

  it('follows the interrupts of the inner flow', async () => {
    const call = await startSteps(main('inner', 'done: tell'), {
      head: 'events: { "dtmf.0": other }',
      flows: inner('  first: { pause: 1h, next: bye }\n  here: { return: done }', 'events: { "dtmf.0": here }'),
    });
    await call.press('0');
    expect(call.path()).toEqual(['first', 'first', 'here', 'tell', 'bye']);
    expect(heard(call)).toEqual([]);
  });
});
