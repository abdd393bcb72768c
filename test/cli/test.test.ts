import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { elementsOf, readXml } from '../../src/language/importers/read-xml.ts';
import { callweave, callweaveProcess, folderOf, ROOT, startCallweave } from './command.ts';

const FLOW = `flow: door
start: ask
steps:
  ask:
    menu: { prompt: question, choices: { in: { dtmf: "1" }, out: { dtmf: "2" } }, no_input: [question], no_match: [question] }
    exits: { in: welcome, out: bye, exhausted: bye, error: bye }
  welcome: { play: welcome, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
prompts: { question: In or out?, welcome: Welcome. }
`;
const IN = `test: who wants in is welcome
flow: door
script:
  - hear: question
  - press: "1"
  - hear: welcome
`;
const WRONG = `test: who wants out is welcome
flow: door
script:
  - hear: question
  - press: "2"
expect:
  path: [ask, welcome, bye]
`;

test('passing tests: status 0, and what no test covered', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN });
  const { code, out, err } = await callweave(['test', '.'], { cwd: folder.path });
  expect(out.replace(/\(.* seconds\)/, '(…)')).toBe(
    [
      'ok door.test.yaml who wants in is welcome',
      '',
      'coverage    steps  outcomes',
      'door          3/3       2/5',
      '  not covered: ask: out (line 4), ask: exhausted.no_input (line 4), ask: exhausted.no_match (line 4)',
      'write tests for reachable outcomes with `callweave test --generate`',
      '',
      '1 test passed, 0 failed (…)',
      '',
    ].join('\n'),
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

test('shows what a failing test expected and what happened, with the position, and exits with 1', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN, 'door.wrong.test.yaml': WRONG });
  const { code, out } = await callweave(['test', '.'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toContain('FAILED door.wrong.test.yaml who wants out is welcome\n  door.wrong.test.yaml:7:3 the path\n');
  expect(out).toContain('    expected: ask → welcome → bye\n    happened: ask → bye\n');
  expect(out).toMatch(/1 test passed, 1 failed/);
});

test('--json: prints results, coverage and the journals of failed tests', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN, 'door.wrong.test.yaml': WRONG });
  const ran = await callweave(['test', '.', '--json'], { cwd: folder.path });
  expect(ran.json()).toMatchObject({
    ok: false,
    passed: 1,
    failed: 1,
    tests: [
      { name: 'who wants in is welcome', file: 'door.test.yaml', ok: true, failures: [] },
      { ok: false, failures: [{ what: 'the path', place: { line: 7 } }], journal: expect.any(Array) },
    ],
    coverage: [{ flow: 'door', file: 'door.flow.yaml', steps: { total: 3, covered: 3 } }],
  });
});

test('--filter: selects tests, --cover demands coverage', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN, 'door.wrong.test.yaml': WRONG });
  const chosen = await callweave(['test', '.', '--filter', 'wants in'], { cwd: folder.path });
  expect(chosen.out).toMatch(/1 test passed, 0 failed/);
  const demanded = await callweave(['test', '.', '-f', 'wants in', '--cover', '90'], { cwd: folder.path });
  expect(demanded.out).toContain('door: 40 % of the outcomes are covered, 90 % are required');
  expect(demanded.code).toBe(1);
  expect((await callweave(['test', '.', '-f', 'nothing'], { cwd: folder.path })).code).toBe(2);
  expect((await callweave(['test', '.', '--cover', 'much'], { cwd: folder.path })).code).toBe(2);
});

test.each([
  ['a test with a mistake', IN.replace('press: "1"', 'press: 1'), /door\.test\.yaml:5:\d+ digit: .*in quotes/],
  [
    'a test of a flow that is not there',
    IN.replace('flow: door', 'flow: dor'),
    /door\.test\.yaml:2:\d+ unknown-flow: there is no flow dor/,
  ],
])('%s fails with position and hint', async (_, text, message) => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': text });
  const { code, out } = await callweave(['test', '.'], { cwd: folder.path });
  expect(out).toMatch(message);
  expect(code).toBe(1);
});

const CALLS = (name: string, called: string) => `flow: ${name}
start: ask
steps:
  ask: { subflow: ${called}, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const SAYS = (name: string, words: string) => `flow: ${name}
start: say
steps:
  say: { play: "${words}", exits: { done: $end, error: $end } }
`;
const HEARS = (flow: string, words: string) => `test: ${words} is heard
flow: ${flow}
script:
  - hear: ${words}
`;

test('finds subflows in the whole named folder, as check does', async () => {
  using folder = folderOf({
    'flows/shared/greeting.flow.yaml': SAYS('greeting', 'Good day.'),
    'flows/sales/sales.flow.yaml': CALLS('sales', 'greeting'),
    'flows/sales/sales.test.yaml': HEARS('sales', 'Good day'),
    'flows/sales/file.test.yaml': HEARS('sales.flow.yaml', 'Good day'),
  });
  const checked = await callweave(['check', 'flows'], { cwd: folder.path });
  expect(checked).toMatchObject({ code: 0, err: '' });
  const { code, out } = await callweave(['test', 'flows'], { cwd: folder.path });
  expect(out).toContain('2 tests passed, 0 failed');
  expect(code).toBe(0);
  // The folder of a named file is its own, for check and for test.
  expect((await callweave(['check', 'flows/sales/sales.flow.yaml'], { cwd: folder.path })).code).toBe(1);
  expect((await callweave(['test', 'flows/sales/sales.test.yaml'], { cwd: folder.path })).code).toBe(1);
});

test('lists the coverage of all flows of a named folder, and else only of the flows that the tests reach', async () => {
  using folder = folderOf({
    'sales.flow.yaml': CALLS('sales', 'greeting'),
    'greeting.flow.yaml': SAYS('greeting', 'Good day.'),
    'untested.flow.yaml': SAYS('untested', 'Nobody calls.'),
    'sales.test.yaml': HEARS('sales', 'Good day'),
    'untested.test.yaml': HEARS('untested', 'Nobody calls'),
  });
  const covered = async (...args: string[]): Promise<string[]> => {
    const ran = await callweave(['test', ...args, '--json'], { cwd: folder.path });
    return (ran.json() as { coverage: { flow: string }[] }).coverage.map(({ flow }) => flow);
  };
  expect(await covered('.')).toEqual(['greeting', 'sales', 'untested']);
  expect(await covered('sales.test.yaml')).toEqual(['greeting', 'sales']);
  expect(await covered('.', '--filter', 'Good day')).toEqual(['greeting', 'sales']);
  expect(await covered('untested.test.yaml')).toEqual(['untested']);
});

test('names the running program in messages and hints', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN });
  const file = join(ROOT, 'src/cli/language.ts');
  const language = (...args: string[]) => callweaveProcess(args, { cwd: folder.path, file });
  const [refused, tested] = await Promise.all([language('check', 'door.test.yaml'), language('test', '.')]);
  expect(refused.err).toBe(
    'callweave-language: door.test.yaml is a test\n  hint: callweave-language test door.test.yaml\n',
  );
  expect(tested.out).toContain('`callweave-language test --generate`');
  expect((await callweave(['check', 'door.test.yaml'], { cwd: folder.path })).err).toBe(
    'callweave: door.test.yaml is a test\n  hint: callweave test door.test.yaml\n',
  );
});

test('uses the flow in the folder of the test if two have the same name', async () => {
  using folder = folderOf({
    'a/main.flow.yaml': SAYS('main', 'This is a.'),
    'a/main.test.yaml': HEARS('main', 'This is a'),
    'b/main.flow.yaml': SAYS('main', 'This is b.'),
    'b/main.test.yaml': HEARS('main', 'This is b'),
  });
  const { out } = await callweave(['test', '.'], { cwd: folder.path });
  expect(out).toContain('2 tests passed, 0 failed');
});

test('results as XML for CI systems: a suite for each flow, and why something failed', async () => {
  const named = IN.replace('who wants in is welcome', 'in & <out> "quoted"');
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'a.test.yaml': named, 'b.test.yaml': WRONG });
  const { code } = await callweave(['test', '.', '--junit', 'results.xml'], { cwd: folder.path });
  expect(code).toBe(1);
  const text = readFileSync(join(folder.path, 'results.xml'), 'utf8');
  const read = readXml({ file: 'results.xml', text });
  if ('diagnostics' in read) throw new Error(JSON.stringify(read.diagnostics));
  expect(read.root).toMatchObject({ name: 'testsuites', attributes: { tests: '2', failures: '1' } });
  const [suite] = elementsOf(read.root);
  expect(suite!.attributes).toMatchObject({ name: 'door', tests: '2', failures: '1' });
  const [passed, failed] = elementsOf(suite!);
  expect(passed!.attributes).toMatchObject({ name: 'in & <out> "quoted"', classname: 'door', file: 'a.test.yaml' });
  expect(elementsOf(passed!)).toEqual([]);
  expect(elementsOf(failed!)[0]).toMatchObject({
    name: 'failure',
    attributes: { message: expect.stringContaining('path') },
  });
});

test('reports results that cannot be written, and fails', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN });
  const { code, err } = await callweave(['test', '.', '--junit', 'no/such/folder.xml'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(err).toContain('the results cannot be written');
});

test('--watch: runs tests when a file is saved, shows its mistakes, and ends on Ctrl-C', async () => {
  using folder = folderOf({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN });
  const command = startCallweave(['test', '.', '--watch'], { cwd: folder.path });
  const save = (text: string): void => writeFileSync(join(folder.path, 'door.test.yaml'), text);
  await command.until(/1 test passed, 0 failed.*waiting for changes/s);
  save(WRONG);
  await command.until(/0 tests passed, 1 failed.*waiting for changes/s);
  save(IN);
  await command.until(/1 test passed, 0 failed.*0 tests passed, 1 failed.*1 test passed, 0 failed.*waiting/s);
  expect(await command.interrupt()).toBe(0);
});
