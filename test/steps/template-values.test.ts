/** Values of templates with another type than expected: prompts and destinations. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { startCall, type TestCall } from '../runtime/test-call.ts';
import { checkedSteps, startSteps } from './scripted-call.ts';
import { startLegs } from './scripted-legs.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/field/${name}.flow.yaml`, import.meta.url), 'utf8');
const fromField = (name: string) => startCall(fixture(name), { ports: { steps: checkedSteps } });

/** Texts of the last play. */
const heard = (call: TestCall): string[] =>
  call.lastPlay().audio.map((item) => (item.type === 'speech' ? item.text : item.type));

const answered = async (call: TestCall): Promise<TestCall> => {
  await call.tell({ type: 'answered' });
  return call;
};

describe('a template at a place for a prompt', () => {
  it('speaks a number as text', async () => {
    const call = await answered(await fromField('01-docs-number-prompt'));
    expect(heard(call)).toEqual(['Days until delivery', '2']);
  });

  it('speaks a single word', async () => {
    const call = await answered(await fromField('02-one-word-prompt'));
    expect(heard(call)).toEqual(['Hello there', 'Ann']);
  });

  it('speaks the words of a menu of a list', async () => {
    const call = await answered(await fromField('33-each-one-word'));
    expect(heard(call)).toEqual(['Which one is it', 'Ann', 'Bob']);
  });

  it.each([
    ['de', '"Es sind ${ vars.n } Euro"', ['Es sind 2,5 Euro']],
    ['de', '["Es sind", "${ vars.n }"]', ['Es sind', '2,5']],
    ['de', '{ text: "${ vars.n }" }', ['2,5']],
    ['de', '"${ vars.whole }"', ['33144550000']],
    ['en', '"It is ${ vars.n }"', ['It is 2.5']],
    ['en', '["It is", "${ vars.late }", "${ vars.nothing }", "${ vars.empty }"]', ['It is', 'true']],
    ['en', "\"${ ['Ann', 'Bob Lee', 3] }\"", ['Ann', 'Bob Lee', '3']],
    ['en', '"${ vars.name }"', ['hello']],
    ['en', '"${ vars.which }"', ['Hello there.']],
    ['en', "\"${ vars.late ? 'hello' : 'bye_now' }\"", ['Hello there.']],
    ['en', '"hel${ vars.part }"', ['Hello there.']],
    ['en', '"${ \'hel\' & vars.part }"', ['Hello there.']],
    ['en', '"${ vars.n }€"', ['2.5€']],
  ])('turns in %s the value %s into the prompts %j', async (locale, prompt, expected) => {
    const head = `
prompts: { hello: Hello there., bye_now: Bye for now. }
defaults: { locale: ${locale}, exits: { error: broken } }
vars:
  n: { type: number, default: 2.5 }
  whole: { type: integer, default: 33144550000 }
  late: { type: boolean, default: true }
  name: { type: string, default: hello }
  which: { type: string, enum: [hello, bye_now], default: hello }
  part: { type: string, default: lo }
  nothing: { type: string }
  empty: { type: string, default: "" }`;
    const call = await answered(await startSteps(`  first: { play: ${prompt}, next: bye }`, { head }));
    expect(heard(call)).toEqual(expected);
  });

  it('is heard by the party that answers, as a whisper', async () => {
    const head = 'vars: { name: { type: string, default: Ann } }';
    const { party } = await startLegs(
      '  first: { bridge: { to: "+441", whisper: "${ vars.name }" }, exits: { completed: bye, failed: bye } }',
      { head },
    );
    await party('+441').answers();
    expect(party('+441').hears).toBe('Ann');
  });
});

describe('a number that a template gives', () => {
  it('is dialled, and is seconds where a duration stands', async () => {
    const { dials, party } = await startLegs(
      `  first: { bridge: { to: "\${ vars.agent }" }, exits: { completed: bye, failed: second } }
  second: { bridge: { to: "+33144550000", ring_timeout: "\${ vars.wait }" }, exits: { completed: bye, failed: bye } }`,
      { head: 'vars: { agent: { type: integer, default: 33144550000 }, wait: { type: integer, default: 20 } }' },
    );
    await party('33144550000').ends(17);
    expect(dials.map(({ to, ringTimeoutMs }) => [to, ringTimeoutMs])).toEqual([
      ['33144550000', 30_000],
      ['+33144550000', 20_000],
    ]);
  });

  it('is found right by `check`', () => {
    expect(compileFlow(fixture('31-number-to-bridge'), 'a.flow.yaml', verbs).diagnostics).toEqual([]);
  });
});

describe('a list of one item that a template gives', () => {
  const setBy = async (value: string, schema: string) => {
    const head = `vars: { ids: { ${schema} }, orders: { type: array, default: [{ id: "7" }] } }`;
    const call = await startSteps(
      `  first: { set: { ids: "\${ ${value} }" }, next: second }\n  second: { log: { message: x, fields: { ids: "\${ vars.ids }" } }, next: bye }`,
      { head },
    );
    const logged = call.journal().find(({ kind }) => kind === 'log') as unknown as { fields: JsonObject } | undefined;
    return logged?.fields['ids'];
  };

  it('is a list for a variable that is declared as one', async () => {
    const call = await answered(await fromField('03-singleton-list'));
    expect(heard(call)).toEqual(['There are 1 of them.']);
  });

  it.each([
    ['vars.orders.id', 'type: array', ['7']],
    ["vars.orders[id = '8'].id", 'type: array', []],
    ['vars.orders.id', 'type: [array, string]', '7'],
    ['vars.orders.id', 'type: string', '7'],
    ["{ 'a': vars.orders.id }", 'type: object, properties: { a: { type: array } }', { a: ['7'] }],
  ])('turns %s for %s into %j', async (value, schema, expected) => {
    expect(await setBy(value, schema)).toEqual(expected);
  });
});
