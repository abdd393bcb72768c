import { describe, expect, it } from 'vitest';
import { lastLeft, startSteps } from './scripted-call.ts';

const head = `vars:
  name: { type: string, default: nobody }
  count: { type: integer, default: 1, maximum: 9 }
  many: { type: array, items: { type: integer } }
  any: {}
input: { given: { type: string, default: Ann } }`;

/** An expression whose type is known only during the call, so that `check` cannot refuse it. */
const known = (value: string): string => `$lookup({ 'it': ${value} }, 'it')`;

const setting = (args: string) => startSteps(`  first: { set: ${args}, next: bye }`, { head });
const sets = (call: Awaited<ReturnType<typeof setting>>) =>
  call.journal().flatMap((entry) => (entry.kind === 'vars' ? [entry.set] : []));

describe('set', () => {
  it.each([
    ['{ name: Bob }', { name: 'Bob' }],
    ['{ name: "${ input.given }" }', { name: 'Ann' }],
    ['{ name: "Hi ${ input.given }!" }', { name: 'Hi Ann!' }],
    ['{ count: "${ vars.count + 1 }" }', { count: 2 }],
    ['{ count: 5, name: "${ $string(vars.count) }" }', { count: 5, name: '1' }],
    ['{ many: "${ [1, 2] }" }', { many: [1, 2] }],
    ['{ many: ["${ vars.count }", 7] }', { many: [1, 7] }],
    ['{ any: { a: "${ call.from }", b: [null, true] } }', { any: { a: '+33612345678', b: [null, true] } }],
    ['{ any: null }', { any: null }],
    ['{ count: 2, any: "${ input.given.missing }" }', { count: 2, any: null }],
    ['{ any: "$${ literally }" }', { any: '${ literally }' }],
  ])('sets the values of %s', async (args, expected) => {
    const call = await setting(args);
    expect(call.outcomes()).toEqual(['first:done', 'bye:done']);
    expect(sets(call)).toEqual([expected]);
  });

  it.each([
    [`{ name: "\${ ${known('5')} }" }`, 'name'],
    [`{ count: "\${ ${known("'many'")} }" }`, 'count'],
    [`{ count: "\${ ${known('10')} }" }`, 'count'],
    ['{ count: "${ vars.count / 2 }" }', 'count'],
    ['{ many: "${ [1, \'two\'] }" }', 'many'],
    // A missing value is not text, and must not pass silently.
    ['{ count: 2, name: "${ input.given.missing }" }', 'name'],
  ])('%s does not fit the declaration, and nothing is assigned', async (args, variable) => {
    const call = await setting(args);
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({
      outcome: 'error',
      fault: { code: 'invalid_variable', message: expect.stringContaining(variable) },
    });
    expect(sets(call)).toEqual([]);
  });

  it('assigns all or nothing', async () => {
    const call = await startSteps(
      `
  first: { set: { name: Bob, count: "\${ ${known('99')} }" }, exits: { done: bye, error: then } }
  then: { log: "\${ vars.name } \${ vars.count }", next: bye }`,
      { head },
    );
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({ message: 'nobody 1' });
  });

  it.each(['"${ $number(\'x\') }"', `"\${ 1 + ${known('true')} }"`, `"\${ ${known('vars.name')}() }"`])(
    'breaks on the expression %s',
    async (value) => {
      const call = await setting(`{ any: ${value} }`);
      expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
      expect(lastLeft(call)).toMatchObject({ step: 'broken' });
    },
  );
});

describe('set beside a verb', () => {
  const asking = (set: string, more = '') =>
    startSteps(
      `
  first:
    collect: { digits: { length: 2 }, attempts: 1, start_timeout: 5s }
    set: ${set}
    exits: { collected: then, exhausted: then }${more}
  then: { log: "\${ vars.name }", next: bye }`,
      { head },
    );

  it('assigns from the result of the step', async () => {
    const call = await asking('{ name: "${ result.digits }" }');
    await call.press('42');
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({ message: '42' });
  });

  it('assigns nothing after a negative outcome', async () => {
    const call = await asking('{ name: "${ result.digits }" }');
    await call.clock.advance(5_000);
    expect(call.outcomes()).toEqual(['first:exhausted.no_input', 'then:done', 'bye:done']);
    expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({ message: 'nobody' });
  });

  it('ends with an error when a value does not fit its variable', async () => {
    const call = await asking(`{ count: "\${ ${known('result.digits')} }" }`);
    await call.press('42');
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });

  it('ends with an error when a value is missing', async () => {
    const call = await asking('{ name: "${ result.nothing }" }');
    await call.press('42');
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });
});
