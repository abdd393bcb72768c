/** `callweave explore`: its output and files, its exit codes, and its errors for unusable flows and options. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callweave, folderOf } from './command.ts';

const SOUND = `flow: door
start: ask
prompts: { question: In or out? }
defaults: { input: { attempts: 1, start_timeout: 4s, no_input: [question], no_match: [question] }, exits: { error: bye } }
steps:
  ask:
    menu: { prompt: question, choices: { in: { dtmf: "1" }, out: { dtmf: "2" } } }
    exits: { in: welcome, out: bye, exhausted: bye }
  welcome: { play: Come in., next: bye }
  bye: { hangup: normal }
`;
const ENDLESS = SOUND.replace('exhausted: bye', 'exhausted: ask');
/** Continues with a larger number each time. */
const COUNTS = `flow: door
start: ask
vars: { count: { type: integer, default: 0 } }
prompts: { question: Press 1. }
defaults: { input: { attempts: 1, start_timeout: 4s, no_input: [question], no_match: [question] }, exits: { error: bye } }
steps:
  ask: { menu: { prompt: question, choices: { one: { dtmf: "1" } } }, exits: { one: count, exhausted: bye } }
  count: { set: { count: "\${ vars.count + 1 }" }, next: judge }
  judge: { branch: [{ when: "vars.count * vars.count = 2", next: never }, { else: ask }] }
  never: { play: That cannot be., next: bye }
  bye: { hangup: normal }
`;

async function explore(flow: string, ...options: string[]) {
  using folder = folderOf({ 'door.flow.yaml': flow });
  return await callweave(['explore', 'door.flow.yaml', ...options], { cwd: folder.path });
}

test('reports the steps reached in a flow without a mistake, and exits with 0', async () => {
  const { code, out } = await explore(SOUND);
  expect(out).toMatch(/^door {2}5 of 5 outcomes reached, in \d+ calls and 1 state\n$/);
  expect(code).toBe(0);
});

test('reports a finding with its position, path and test, and exits with 1', async () => {
  const { code, out } = await explore(ENDLESS);
  expect(out).toContain('door.flow.yaml:6:3 endless a silent caller goes round from ask back to it without end\n');
  expect(out).toContain('  after: at once\n    test: ');
  expect(code).toBe(1);
});

test('--write: writes tests that fail in `callweave test`, and pass after the flow is corrected', async () => {
  using folder = folderOf({ 'door.flow.yaml': ENDLESS, 'mended/door.flow.yaml': SOUND });
  const { out } = await callweave(['explore', 'door.flow.yaml', '--write', 'found'], { cwd: folder.path });
  const [file] = readdirSync(join(folder.path, 'found'));
  expect(file).toBe('door.endless-ask.test.yaml');
  expect(out).toContain('test: found/door.endless-ask.test.yaml\n');
  const text = readFileSync(join(folder.path, 'found', file!), 'utf8');
  expect(text).toContain('# Found by callweave explore: a silent caller goes round from ask back to it without end.');
  const played = await callweave(['test', 'found'], { cwd: folder.path });
  expect(played.code).toBe(1);

  using mended = folderOf({ 'door.flow.yaml': SOUND, [`found/${file}`]: text });
  expect((await callweave(['test', 'found'], { cwd: mended.path })).code).toBe(0);
});

test('--write: keeps existing files, writes the same file once, and reports when it cannot write', async () => {
  using folder = folderOf({
    'door.flow.yaml': ENDLESS,
    'found/door.endless-ask.test.yaml': '# mine\n',
    taken: 'a file',
  });
  const written = (): string[] => readdirSync(join(folder.path, 'found')).toSorted();
  for (let round = 0; round < 2; round++) {
    await callweave(['explore', 'door.flow.yaml', '--write', 'found'], { cwd: folder.path });
    expect(written()).toEqual(['door.endless-ask-2.test.yaml', 'door.endless-ask.test.yaml']);
  }
  expect(readFileSync(join(folder.path, 'found/door.endless-ask.test.yaml'), 'utf8')).toBe('# mine\n');
  const { code, err } = await callweave(['explore', 'door.flow.yaml', '--write', 'taken'], { cwd: folder.path });
  expect(err).toContain('the test cannot be written: ');
  expect(code).toBe(1);
});

test('--json: prints findings, outcomes with their tests and the written files', async () => {
  const { code, json } = await explore(ENDLESS, '--write', 'found', '--json');
  expect(json()).toMatchObject({
    ...{ flow: 'door', file: 'door.flow.yaml', total: 5, missing: [], bounded: [] },
    findings: [{ kind: 'endless', step: 'ask', form: { test: expect.any(String), flow: 'door' } }],
    outcomes: expect.arrayContaining([expect.objectContaining({ step: 'ask', outcome: 'in' })]),
    written: ['found/door.endless-ask.test.yaml'],
  });
  expect(code).toBe(1);
});

test('limits a number that grows without end, and reports the limit', async () => {
  const { code, out } = await explore(COUNTS, '--runs', '100');
  expect(out).toContain('search incomplete: the maximum number of calls was reached (--runs)');
  expect(out).toContain('not reached: judge: case.1 (not everything was tried)');
  expect(code).toBe(0);
  expect((await explore(COUNTS, '--depth', '4')).out).toContain('calls with more choices were cut off (--depth)');
});

test.each([
  [
    'a flow with a mistake',
    [],
    SOUND.replace('in: welcome', 'in: wellcome'),
    1,
    [/door\.flow\.yaml:8:\d+.*wellcome/, 'welcome'],
  ],
  [
    'an unknown step in a property',
    [],
    SOUND.replace('start: ask', 'properties: { all are greeted: { never: { visited: welcom } } }\nstart: ask'),
    1,
    [/door\.flow\.yaml:2:\d+.*there is no step `?welcom`?/, 'did you mean'],
  ],
  [
    'an unknown outcome in a property',
    [],
    SOUND.replace(
      'start: ask',
      'properties: { all are greeted: { never: { visited: bye, before: ask.inn } } }\nstart: ask',
    ),
    1,
    [/door\.flow\.yaml:2:\d+.*has no outcome `?inn`?/],
  ],
  ['a text that is not a flow', [], 'start: [', 1, [/door\.flow\.yaml:1/]],
  ['--time that is not a duration', ['--time', 'soon'], SOUND, 2, ['--time soon is not a duration', 'such as 30s']],
  ['--dead-air of nothing', ['--dead-air', '0s'], SOUND, 2, ['--dead-air 0s is not a duration']],
  ['--runs that is not a number', ['--runs', 'many'], SOUND, 2, ['--runs']],
  ['--depth of nothing', ['--depth', '0'], SOUND, 2, ['--depth']],
] as [string, string[], string, number, (string | RegExp)[]][])(
  'reports a fault with its exit code: %s',
  async (_name, options, flow, status, expected) => {
    const { code, out, err } = await explore(flow, ...options);
    for (const each of expected) expect(out + err).toMatch(each);
    expect(code).toBe(status);
  },
);

test('reports a file that does not exist', async () => {
  const { code, err } = await callweave(['explore', 'nowhere.flow.yaml']);
  expect(err).toContain('nowhere.flow.yaml');
  expect(code).toBe(2);
});

const BY_CHANCE = `flow: door
start: pick
defaults: { exits: { error: bye } }
steps:
  pick: { split: { sticky: false, arms: { often: 70, seldom: 30 } }, exits: { often: first, seldom: second } }
  first: { play: You are the first., next: bye }
  second: { play: You are the second., next: bye }
  bye: { hangup: normal }
`;

test('tries several random seeds, and with --seed only that one', async () => {
  expect((await explore(BY_CHANCE)).out).toContain('4 of 4 outcomes reached');
  expect((await explore(BY_CHANCE, '--seed', '1')).out).toContain('not reached: pick: ');
});
