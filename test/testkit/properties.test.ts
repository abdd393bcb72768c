/** Properties on one call: what breaks them, and in which words. `test/explore/planted.ts` has them in flows. */
import { expect, test } from 'vitest';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';

const flowWith = (property: string) => `flow: shop
defaults: { exits: { error: bye } }
properties: { it holds: ${property} }
start: ask
steps:
  ask: { menu: { prompt: Press 1., choices: { pay: { dtmf: "1" } } }, exits: { pay: charge, exhausted: bye } }
  charge:
    request: { post: "https://bank.example/charges", body: { amount: 12, card: { last: "42" } }, timeout: 9s, meanwhile: "One moment." }
    exits: { ok: agent, failed: bye }
  agent: { bridge: { to: "user:anna" }, exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

async function failuresOf(property: string, reply: object = { status: 200, after: '4s' }): Promise<string[]> {
  const { flow, diagnostics } = compileFlow(flowWith(property), 'shop.flow.yaml', verbs);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const mocks = { charge: reply, bridge: { 'user:anna': { talk: '5s' } } };
  const form = { test: 'a call', flow: 'shop', mocks, script: [{ press: '1' }] } as never;
  const { scenario } = scenarioFrom(form, 'shop.test.yaml');
  const { failures } = await playScenario(scenario!, flow!);
  return failures.map(({ expected, actual }) => `${expected}: ${actual}`);
}

test.each([
  ['{ never: { requested: charge } }', 'never a request of charge: it happened'],
  ['{ never: { requested: charge, before: ask.pay } }', undefined],
  ['{ never: { requested: charge, after: charge.ok } }', undefined],
  ['{ never: { requested: { method: GET } } }', undefined],
  ['{ never: { requested: { url: /charges, step: agent } } }', undefined],
  ['{ never: { requested: { body: { amount: 13 } } } }', undefined],
  [
    '{ never: { requested: { method: POST, url: bank.example, body: { card: { last: "42" } } } } }',
    'never a POST request to bank.example with {"card":{"last":"42"}}: it happened',
  ],
  ['{ never: { dialled: "user:" } }', 'never dialled user:: it happened'],
  ['{ never: { dialled: "user:ben" } }', undefined],
  ['{ always: { requested: charge, before: agent } }', undefined],
  ['{ always: { dialled: "user:", before: charge } }', 'always dialled user: before charge: charge came first'],
  ['{ always: { dialled: "user:", after: charge, within: 5s } }', undefined],
  [
    '{ always: { dialled: "user:", after: charge, within: 3s } }',
    'always dialled user: after charge within 3s: it did not happen within 3s',
  ],
])('checks the property %s', async (property, broken) => {
  expect(await failuresOf(property)).toEqual(broken === undefined ? [] : [expect.stringContaining(broken)]);
});

test('reports a call without the required event, and one that ends before it', async () => {
  const late = '{ always: { dialled: "user:", after: ask.pay, within: 5s } }';
  expect(await failuresOf(late, { timeout: true })).toEqual([expect.stringContaining('did not happen within 5s')]);
  expect(await failuresOf(late, { status: 500 })).toEqual([expect.stringContaining('the call ended before')]);
});

test.each([
  ['{ always: { visited: agent, before: charge, within: 5s } }', 'within goes with after'],
  ['{ never: { requested: chrage } }', 'there is no step `chrage`'],
  ['{ never: { requested: { step: chrage } } }', 'there is no step `chrage`'],
  ['{ never: { requested: { uri: /charges } } }', 'uri'],
  ['{ within: { reaches: agent } }', 'within has reaches, and keys or time'],
])('rejects the property %s', (property, message) => {
  const { flow, diagnostics } = compileFlow(flowWith(property), 'shop.flow.yaml', verbs);
  expect(flow).toBeUndefined();
  expect(diagnostics.map(({ message: said, hint }) => `${said} ${hint}`).join()).toContain(message);
});
