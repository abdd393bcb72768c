/** Tests that follow a local flow whose steps take the place of a step: their exact bytes, and that they pass as before. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { inlineStep } from '../../../src/language/flow/text/inline-flow.ts';
import { inlineInTest } from '../../../src/language/flow/text/inline-in-test.ts';
import { LANGUAGE, play } from './extracted-calls.ts';

const FILE = join(import.meta.dirname, 'shop.flow.yaml');
const FLOW = `flow: shop
vars: { kind: { type: string, default: "" } }
defaults: { exits: { error: end } }
start: hello
steps:
  hello: { play: Welcome to the shop., next: ask }
  ask:
    subflow: ask_kind
    set: { kind: "\${ result.kind }" }
    exits: { known: hours, unknown: end }
  hours: { subflow: say_hours, next: end }
  say: { play: Never said., next: end }
  end: { hangup: normal }
flows:
  ask_kind:
    defaults: { exits: { error: other } }
    start: choose
    steps:
      choose:
        menu: { prompt: Press 1 for bread., choices: { bread: { dtmf: "1" } } }
        exits: { bread: say, exhausted: other }
      say: { play: Bread it is., next: found }
      found: { return: { outcome: known, output: { kind: bread } } }
      other: { return: { outcome: unknown, output: { kind: none } } }
  say_hours:
    defaults: { exits: { error: $end } }
    start: hours_of
    steps:
      hours_of: { play: From nine to five., next: $end }
`;
const TEST = `flow: shop
test: bread # the usual
script: [{ hear: Press 1 }, { press: "1" }]
expect:
  path: [hello, ask, shop/ask_kind/choose, shop/ask_kind/say, shop/ask_kind/found, hours, shop/say_hours/hours_of, end]
  outcomes: { ask: known, choose: bread }
  visits: { ask: 1 }
  vars: { kind: bread }
  never: { visited: [say_hours] }
`;
const SHORT = TEST.replace(/path: .*/, 'path: [hello, ask, hours, end]');

async function inlined(flow: string, test: string, step: string) {
  const made = inlineStep(flow, { step, language: LANGUAGE });
  if (isRefusal(made)) throw new Error(made.refused);
  const before = await play({ file: FILE }, flow, { file: 'a.test.yaml', text: test });
  const visited = before.journal.flatMap((entry) =>
    entry.kind === 'entered' ? [{ step: entry.step, ...(entry.flow !== 'shop' && { flow: entry.flow }) }] : [],
  );
  const edits = inlineInTest(test, 'a', { flow: 'shop', made: made.names, visited: { a: visited } }, LANGUAGE.verbs);
  if (isRefusal(edits)) throw new Error(edits.refused);
  return { flow: applyEdits(flow, made.edits), test: applyEdits(test, edits), before };
}

describe('a test of a flow with an inlined step', () => {
  it.each([
    [
      'names the steps by their new names',
      TEST,
      '[hello, choose, ask_say, found, hours, shop/say_hours/hours_of, end]',
    ],
    ['lists the new steps where it left them out', SHORT, '[hello, choose, ask_say, found, hours, end]'],
  ])('changes so that it %s, and passes as before', async (_what, test, path) => {
    const made = await inlined(FLOW, test.replace(/ {2}never: .*\n/, ''), 'ask');
    expect(made.before.ok).toBe(true);
    expect(made.test).toBe(
      test
        .replace(/ {2}never: .*\n/, '')
        .replace(/path: .*/, `path: ${path}`)
        .replace('outcomes: { ask: known, choose: bread }', 'outcomes: { choose: bread }')
        .replace('  visits: { ask: 1 }\n', ''),
    );
    const after = await play({ file: FILE }, made.flow, { file: 'a.test.yaml', text: made.test });
    expect(after.failures).toEqual([]);
  });

  it('forgets a return that is gone, and passes as before after a second step was inlined', async () => {
    const test = SHORT.replace(/ {2}never: .*\n/, '');
    const first = await inlined(FLOW, test, 'ask');
    const second = await inlined(first.flow, first.test, 'hours');
    expect(second.test).toContain('path: [hello, choose, ask_say, found, hours_of, end]');
    expect((await play({ file: FILE }, second.flow, { file: 'a.test.yaml', text: second.test })).failures).toEqual([]);
  });

  it('names the first step in place of the one that is gone where it must never be visited', () => {
    const made = inlineStep(FLOW, { step: 'ask', language: LANGUAGE });
    if (isRefusal(made)) throw new Error(made.refused);
    const text = 'flow: shop\nexpect: { never: { visited: [ask, shop/ask_kind/say] } }\n';
    const edits = inlineInTest(text, 'a', { flow: 'shop', made: made.names, visited: {} }, LANGUAGE.verbs);
    expect(isRefusal(edits) ? edits : applyEdits(text, edits)).toBe(
      text.replace('[ask, shop/ask_kind/say]', '[choose, ask_say]'),
    );
  });

  it('stays as it is if it is of another flow', () => {
    const made = inlineStep(FLOW, { step: 'ask', language: LANGUAGE });
    const names = isRefusal(made) ? undefined : made.names;
    const text = TEST.replace('flow: shop', 'flow: door');
    expect(inlineInTest(text, 'a', { flow: 'shop', made: names!, visited: {} }, LANGUAGE.verbs)).toEqual([]);
  });
});
