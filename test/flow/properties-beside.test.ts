/** Properties in a separate file: found next to the flow by all readers of flows, with positions in that file. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { checkFlow } from '../../src/proof/workbench/check.ts';
import type { JobContext } from '../../src/proof/workbench/jobs.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave, folderOf } from '../cli/command.ts';

const FLOW = `flow: shop
prompts: { again: Once more please. }
defaults: { input: { no_input: [again], no_match: [again] }, exits: { error: bye } }
properties: { callers are asked: { always: { visited: ask, before: charge } } }
start: ask
steps:
  ask: { menu: { prompt: "Press 1 to pay, 2 to leave.", choices: { pay: { dtmf: "1" }, leave: { dtmf: "2" } } }, exits: { pay: charge, leave: bye, exhausted: charge } }
  charge: { request: { post: "https://bank.example/charges", timeout: 3s, meanwhile: again }, exits: { ok: bye, failed: bye } }
  bye: { hangup: normal }
`;
const RULES = 'nobody pays without a word: { never: { requested: charge, before: ask.pay } }\n';
const SILENT = 'test: a silent caller\nflow: shop\nscript: [silence]\nmocks: { charge: ok }\n';

const loaded = (files: Record<string, string>) => {
  using folder = folderOf(files);
  const library = new FlowLibrary(verbs).load(folder.path);
  return {
    properties: Object.keys(library.get('shop')?.properties ?? {}),
    found: library.diagnostics().map(({ file, line, column, message }) => {
      return `${file.slice(folder.path.length + 1)}:${line}:${column} ${message}`;
    }),
    hash: library.get('shop')?.hash,
  };
};

test.each(['shop.properties.yaml', 'shop.properties.yml', 'shop.properties.json'])('are found in %s', (name) => {
  const rules = name.endsWith('json') ? JSON.stringify({ 'nobody pays': { never: { requested: 'charge' } } }) : RULES;
  const { properties, found } = loaded({ 'shop.flow.yaml': FLOW, [name]: rules });
  expect(found).toEqual([]);
  expect(properties).toEqual(['callers are asked', expect.stringContaining('nobody pays')]);
});

test('are those of the file with the same name, and change nothing of what calls do', () => {
  const alone = loaded({ 'shop.flow.yaml': FLOW });
  expect(loaded({ 'shop.flow.yaml': FLOW, 'door.properties.yaml': RULES })).toEqual(alone);
  expect(loaded({ 'shop.flow.yaml': FLOW, 'shop.properties.yaml': RULES }).hash).toBe(alone.hash);
});

test.each([
  [
    'callers are asked: { never: { visited: bye } }\n',
    '1:1 the property `callers are asked` stands in `shop.flow.yaml` too',
  ],
  ['# rules\nnobody pays: { never: { requested: chrage } }\n', '2:36 there is no step `chrage`'],
  ['nobody pays: { nevre: { requested: charge } }\n', '1:16 unknown key `nevre`'],
  ['- nobody pays\n', '1:1 properties are a map'],
  ['nobody pays: [\n', 'Flow sequence'],
  ['', 'the file is empty'],
])('reports faulty properties at their position: %j', (rules, message) => {
  const { properties, found } = loaded({ 'shop.flow.yaml': FLOW, 'shop.properties.yaml': rules });
  expect(found.join()).toContain('shop.properties.yaml:');
  expect(found.join()).toContain(message);
  expect(properties).toEqual([]);
});

test('does not follow a link to another place', () => {
  using folder = folderOf({ 'flows/shop.flow.yaml': FLOW, 'secret.yaml': RULES });
  mkdirSync(join(folder.path, 'flows'), { recursive: true });
  symlinkSync(join(folder.path, 'secret.yaml'), join(folder.path, 'flows/shop.properties.yaml'));
  const library = new FlowLibrary(verbs).load(join(folder.path, 'flows'));
  expect(Object.keys(library.get('shop')!.properties)).toEqual(['callers are asked']);
});

test('applies properties in check, test and explore', async () => {
  const files = { 'shop.flow.yaml': FLOW, 'shop.properties.yaml': RULES, 'shop.test.yaml': SILENT };
  using folder = folderOf(files);
  const explored = await callweave(['explore', 'shop.flow.yaml'], { cwd: folder.path });
  expect(explored.out).toContain('the property "nobody pays without a word" does not hold');
  const tested = await callweave(['test', '.'], { cwd: folder.path });
  expect(tested).toMatchObject({ code: 1, out: expect.stringContaining('nobody pays without a word') });

  using wrong = folderOf({ ...files, 'shop.properties.yaml': RULES.replace('ask.pay', 'ask.pya') });
  const checked = await callweave(['check', 'shop.flow.yaml'], { cwd: wrong.path });
  expect(checked.code).toBe(1);
  expect(`${checked.out}${checked.err}`).toMatch(/shop\.properties\.yaml:1:\d+.*the step `ask` has no outcome `pya`/s);
  expect((await callweave(['explore', 'shop.flow.yaml'], { cwd: wrong.path })).code).toBe(1);
});

test('shows their mistakes at the beginning of the flow in the studio', () => {
  using folder = folderOf({ 'shop.flow.yaml': FLOW, 'shop.properties.yaml': '\nnobody pays: { never: {} }\n' });
  const context = { compileOptions: {}, throwIfOvertaken() {} } as unknown as JobContext;
  const { diagnostics } = checkFlow({ file: join(folder.path, 'shop.flow.yaml'), text: FLOW }, context);
  expect(diagnostics).toMatchObject([
    { line: 1, column: 1, message: expect.stringMatching(/^shop\.properties\.yaml:2: /), severity: 'error' },
  ]);
});
