import { describe, expect, it } from 'vitest';
import { heard, lastLeft, startSteps } from './scripted-call.ts';

const vars =
  'vars: { open: { type: boolean, default: true }, name: { type: string, default: nobody }, n: { type: integer, default: 0 } }';
const logged = (call: Awaited<ReturnType<typeof startSteps>>) =>
  call.journal().flatMap((entry) => (entry.kind === 'log' ? [entry.message] : []));

describe('when', () => {
  it.each([
    ['vars.open', false],
    ['$not(vars.open)', true],
    ['vars.nothing', undefined],
    ['"vars.name = \'nobody\'"', false],
    ['input', true],
    ['true', false],
    ['false', true],
  ])('skips the step by its condition: %s', async (when, skipped) => {
    const call = startSteps(`  first: { log: said, when: ${when}, next: bye }`, { head: vars });
    if (skipped === undefined) return expect(call).rejects.toThrow('nothing');
    expect(logged(await call)).toEqual(skipped ? [] : ['said']);
    expect((await call).journal().some(({ kind }) => kind === 'skipped')).toBe(skipped);
    expect((await call).outcomes()).toEqual(['first:done', 'bye:done']);
  });

  it('skips a step as if it had succeeded, without any command to the call', async () => {
    const call = await startSteps(
      `
  first: { play: "Hello there", when: false, exits: { done: ask } }
  ask: { collect: { digits: { length: 2 } }, when: false, exits: { collected: bye, exhausted: broken } }`,
    );
    expect(call.outcomes()).toEqual(['first:done', 'ask:collected', 'bye:done']);
    expect(call.commands.map(({ type }) => type)).toEqual(['hangup']);
  });

  it('skips a step without changing what it assigned or found before', async () => {
    const call = await startSteps(
      `
  first:
    collect: { digits: { length: 2 } }
    when: vars.open
    set: { name: "\${ result.digits }", open: false }
    exits: { collected: tell, exhausted: broken }
  tell: { log: "\${ vars.name } \${ steps.first.digits }", next: again }
  again: { repeat: { do: first, times: 1 }, exits: { limit: bye } }`,
      { head: vars },
    );
    await call.press('42');
    expect(logged(call)).toEqual(['42 42', '42 42']);
    expect(call.outcomes()).not.toContain('first:error');
  });

  it('is an error if it fails', async () => {
    const call = await startSteps('  first: { log: said, when: "$number(vars.name) > 1", next: bye }', { head: vars });
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    expect(logged(call)).toEqual([]);
  });
});

describe('max_visits', () => {
  it('gives the outcome limit at the next visit', async () => {
    const call = await startSteps(`
  first: { log: again, max_visits: 3, exits: { done: first, limit: bye } }`);
    expect(call.outcomes()).toEqual(['first:done', 'first:done', 'first:done', 'first:limit', 'bye:done']);
    expect(logged(call)).toHaveLength(3);
  });

  it('does not change the result of the step', async () => {
    const call = await startSteps(`
  first: { collect: { digits: { length: 2 } }, max_visits: 1, exits: { collected: first, limit: tell, exhausted: broken } }
  tell: { log: "found \${ steps.first.digits }", next: bye }`);
    await call.press('42');
    expect(logged(call)).toEqual(['found 42']);
  });

  it('counts within one call of a flow', async () => {
    const call = await startSteps(
      `
  first: { subflow: inner, next: again }
  again: { repeat: { do: first, times: 2 }, exits: { limit: bye } }`,
      {
        flows: {
          inner:
            'flow: inner\nstart: first\nsteps:\n  first: { log: in, max_visits: 1, exits: { done: $end, limit: out } }\n  out: { log: out, next: $end }\n',
        },
      },
    );
    expect(logged(call)).toEqual(['in', 'in', 'in']);
  });
});

describe('exits', () => {
  const asked = (exits: string, head = '') =>
    startSteps(
      `  first: { collect: { digits: { length: 1 }, attempts: 1 }, ${exits} }\n  a: { log: a, next: bye }\n  b: { log: b, next: bye }`,
      { head },
    );

  it.each([
    ['exits: { collected: a, exhausted: b }', 'b'],
    ['exits: { collected: a, exhausted: a, exhausted.no_match: b }', 'b'],
    ['exits: { collected: a, exhausted: a, exhausted.no_input: b }', 'a'],
    ['next: a, exits: { exhausted: b }', 'b'],
  ])('prefers the longest matching prefix: %s', async (exits, target) => {
    const call = await asked(exits);
    await call.press('#');
    expect(call.path()[1]).toBe(target);
  });

  it('routes the success by next', async () => {
    const call = await asked('next: a, exits: { exhausted: b }');
    await call.press('1');
    expect(call.path()[1]).toBe('a');
  });

  it.each([
    ['exits: { collected: a }', 'b'],
    ['exits: { collected: a, exhausted: a }', 'a'],
    ['exits: { collected: a, exhausted.no_input: a }', 'b'],
  ])('%s: uses the defaults of the flow second', async (exits, target) => {
    const call = await asked(exits, 'defaults: { exits: { exhausted: b, error: broken } }');
    await call.press('#');
    expect(call.path()[1]).toBe(target);
  });

  it('ends the flow and the call with $end', async () => {
    const call = await startSteps('  first: { log: said, next: $end }');
    expect(call.commands).toEqual([{ type: 'hangup', cause: 16 }]);
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', reason: 'completed' });
  });

  it('ends the call with its reason if an error has no route', async () => {
    const call = await startSteps('  first: { log: "${ $number(\'x\') }", next: bye }', { head: 'defaults: {}' });
    expect(call.commands).toEqual([{ type: 'hangup', cause: 41 }]);
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ reason: 'fault', fault: { code: 'expression-failed' } });
  });

  it('ends the call if the error handler fails', async () => {
    const call = await startSteps(
      '  first: { log: "${ $number(\'x\') }", next: bye }\n  sorry: { log: "${ $number(\'y\') }", next: bye }',
      {
        head: 'defaults: { exits: { error: sorry } }',
      },
    );
    expect(call.path()).toEqual(['first', 'sorry']);
    expect(call.commands).toEqual([{ type: 'hangup', cause: 41 }]);
  });
});

describe('results', () => {
  it('are visible to later steps, under the name of their step', async () => {
    const call = await startSteps(`
  first: { menu: { choices: { one: { dtmf: "1" } } }, exits: { one: tell, exhausted: bye } }
  tell: { log: "\${ steps.first.choice } \${ steps.tell }", next: bye }`);
    await call.press('1');
    expect(logged(call)).toEqual(['one ']);
  });

  it('are not visible where secrets are', async () => {
    const call = await startSteps(
      `  first: { branch: [{ when: "$exists(steps.first)", next: broken }, { else: bye }] }`,
      {
        spec: { secrets: { token: 'tip-top-secret' } },
      },
    );
    expect(lastLeft(call)).toMatchObject({ step: 'bye' });
  });
});

describe('locale', () => {
  it('applies to all prompts of its step', async () => {
    const call = await startSteps(
      '  first: { menu: { prompt: q, choices: { one: { dtmf: "1" } }, no_match: [w] }, locale: fr-FR, exits: { one: bye, exhausted: bye } }',
      { head: 'prompts: { q: { en-US: Which?, fr-FR: Lequel ? }, w: { en-US: Wrong, fr-FR: Faux } }' },
    );
    await call.press('9');
    expect(call.commands.flatMap((each) => (each.type === 'play' ? each.audio : []))).toMatchObject([
      { text: 'Lequel ?', language: 'fr-FR', name: 'q' },
      { text: 'Faux', language: 'fr-FR', name: 'w' },
    ]);
    expect(heard(call)).toEqual(['q', 'w']);
  });
});
