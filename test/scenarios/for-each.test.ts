import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf, rehearse, succeeds } from './rehearse.ts';

const flow = (more = '', list = 'input.list') => `
flow: rounds
input: { list: { type: array } }
vars: { said: { default: nothing } }
output: { said: "\${ vars.said }" }
${more}
start: each
steps:
  each:
    for_each:
      list: "\${ ${list} }"
      flow: one
      input: { name: "\${ item.name }", number: "\${ index + 1 }" }
      outcomes: [stop]
    set: { said: "\${ result.outputs }" }
    exits: { done: over, empty: none, stop: stopped, error: broken }
  over: { play: "That is all", exits: { done: bye, error: broken } }
  none: { play: "There are none", exits: { done: bye, error: broken } }
  stopped: { play: "Stopped at \${ steps.each.item.name }, \${ steps.each.index }", exits: { done: bye, error: broken } }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
const one = `
flow: one
input: { name: { type: string }, number: { type: integer } }
output: "\${ input.name & '!' }"
start: ask
steps:
  ask:
    menu: { prompt: "\${ $string(input.number) & ' is ' & input.name }", attempts: 1, choices: { next: { dtmf: "1" }, stop: { dtmf: "2" } } }
    exits: { next: $end, stop: stop, exhausted: $end, error: $end }
  stop: { return: stop }
`;
const list = (...names: string[]) => `input: { list: [${names.map((name) => `{ name: ${name} }`)}] }`;
const flows = (text: string) => (name: string | object) => (name === 'one' ? flowOf(one) : flowOf(text));

describe('for_each', () => {
  it.each([
    [
      'every item',
      ['1', '1', '1'],
      ['1 is Ann', '2 is Bob', '3 is Cleo', 'That is all'],
      'done',
      ['Ann!', 'Bob!', 'Cleo!'],
    ],
    [
      'the items until one ends it',
      ['1', '2'],
      ['1 is Ann', '2 is Bob', 'Stopped at Bob, 1'],
      'stop',
      ['Ann!', 'Bob!'],
    ],
    ['the first alone', ['2'], ['1 is Ann', 'Stopped at Ann, 0'], 'stop', ['Ann!']],
  ])('runs a flow for %s, and replays it', async (_what, keys, heard, outcome, said) => {
    const script = heard.slice(0, keys.length).map((words, at) => `{ hear: ${words} }, { press: "${keys[at]}" }`);
    const { journal } = await succeeds(
      flow(),
      `${list('Ann', 'Bob', 'Cleo')}
script: [${script.join(', ')}]
expect:
  heard: ${JSON.stringify(heard)}
  outcomes: { each: ${outcome} }
  vars: { said: ${JSON.stringify(said)} }`,
      [one],
    );
    expect(await replayJournal(journal, flows(flow()))).toMatchObject({ ok: true });
  });

  it.each(['input: { list: [] }', 'input: {}'])('is empty with outcome empty: %s', async (input) => {
    await succeeds(
      flow(),
      `${input}\nexpect: { heard: [There are none], outcomes: { each: empty }, vars: { said: nothing } }`,
      [one],
    );
  });

  it('ends with a caller who hangs up inside', async () => {
    const script = 'script: [{ hear: 1 is Ann }, { press: "1" }, { hear: 2 is Bob }, hang_up]';
    const text = flow('events: { hangup: bye }');
    const { journal } = await succeeds(
      text,
      `${list('Ann', 'Bob', 'Cleo')}\n${script}\nexpect: { path: [each, bye], outcomes: { each: hangup }, never: { heard: 3 is Cleo } }`,
      [one],
    );
    expect(await replayJournal(journal, flows(text))).toMatchObject({ ok: true });
  });

  describe('a loop that ends early', () => {
    const early = (events: string, exits = 'error: broken') =>
      flow(`events: { ${events} }`)
        .replace('vars: { said: { default: nothing } }', 'vars: { said: {}, at: {}, name: {} }')
        .replace('set: { said: "${ result.outputs }" }\n', 'label: All\n')
        .replace('error: broken }\n  over:', `${exits} }\n  over:`)
        .replace(
          '  bye:',
          '  keep: { set: { said: "${ steps.each.outputs }", at: "${ steps.each.index }", name: "${ steps.each.item.name }" }, next: bye }\n  bye:',
        );
    const breaks = `
flow: one
input: { name: { type: string }, number: { type: integer } }
output: "\${ input.name & '!' }"
start: judge
steps:
  judge: { branch: [{ when: "input.number > 1", next: fails }, { else: $end }] }
  fails: { log: "\${ $error('no') }", next: $end }
`;
    it.each([
      ['a hang-up', early('hangup: keep'), one, '[{ press: "1" }, { hear: 2 is Bob }, hang_up]', ['Ann!', 'Bob!']],
      ['an event', early('dtmf.9: keep'), one, '[{ press: "1" }, { hear: 2 is Bob }, { press: "9" }]', ['Ann!']],
      ['an error', early('hangup: bye', 'error: keep'), breaks, '[]', ['Ann!']],
    ])('keeps outputs, item and index after %s', async (_what, text, inner, script, said) => {
      const vars = JSON.stringify({ said, at: 1, name: 'Bob' });
      const { journal } = await succeeds(
        text,
        `${list('Ann', 'Bob', 'Cleo')}\nscript: ${script}\nexpect: { path: [each, keep, bye], vars: ${vars} }`,
        [inner],
      );
      const find = (name: string | object) => flowOf(name === 'one' ? inner : text);
      expect(await replayJournal(journal, find)).toMatchObject({ ok: true });
    });
  });

  it('nests: a round may be a loop', async () => {
    const outer = `
flow: outer
start: all
steps:
  all: { for_each: { list: [[Ann, Bob], [Cleo]], flow: rounds, input: { list: "\${ $map(item, function($n) { { 'name': $n } })[] }" } }, exits: { done: bye, empty: bye, error: broken } }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;
    const inner = flow()
      .replace('next: bye', '')
      .replaceAll('{ done: bye, error: broken }', '{ done: $end, error: $end }');
    const { journal } = await succeeds(
      outer,
      'expect: { heard: [1 is Ann, 2 is Bob, That is all, 1 is Cleo, That is all], outcomes: { all: done } }',
      [one, inner],
    );
    const find = (name: string | object) => flowOf(name === 'one' ? one : name === 'rounds' ? inner : outer);
    expect(await replayJournal(journal, find)).toMatchObject({ ok: true });
  });

  it.each([
    ['a list of more than 200 items', `input: { list: [${'{ name: Ann }, '.repeat(201)}] }`, 'too_many_items'],
    ['input that the flow does not take', 'input: { list: [{ name: 5 }] }', 'invalid_input'],
  ])('is an error with %s', async (_what, input, code) => {
    const { ok, journal } = await rehearse(flow(), `${input}\nexpect: { outcomes: { each: error } }`, [one]);
    expect(ok).toBe(true);
    expect(journal.find((entry) => entry.kind === 'left')).toMatchObject({ fault: { code } });
  });

  it('finds in a replay that a round goes another way now', async () => {
    const { journal } = await succeeds(flow(), list('Ann', 'Bob'), [one]);
    const now = one.replace('exhausted: $end', 'exhausted: stop');
    const find = (name: string | object) => flowOf(name === 'one' ? now : flow());
    expect(await replayJournal(journal, find)).toMatchObject({ ok: false });
  });
});
