/** Flows under `flows` on the command line: each is checked, covered, tested and mutated separately. */
import { expect, test } from 'vitest';
import { callweave, folderOf } from './command.ts';

const DOOR = `flow: door
prompts: { who: Who is calling? Press 1 for Ann., again: Sorry. Press 1 for Ann., bye: Goodbye. }
defaults: { exits: { error: bye } }
start: ask
steps:
  ask: { subflow: ask-name, exits: { ann: bye, nobody: leave } }
  bye: { play: bye, exits: { done: leave, error: leave } }
  leave: { hangup: normal }
flows:
  ask-name:
    start: ask
    steps:
      ask:
        menu: { prompt: who, choices: { ann: { dtmf: "1" } }, attempts: 2, no_input: again, no_match: again }
        exits: { ann: ann, exhausted: nobody, error: nobody }
      ann: { return: ann }
      nobody: { return: nobody }
`;
const FILES = {
  'door.flow.yaml': DOOR,
  'door.test.yaml':
    'test: ann\nflow: door\nscript: [{ hear: who }, { press: "1" }]\nexpect: { path: [ask, bye, leave], heard: [who, bye] }\n',
  'door.ask-name.test.yaml':
    'test: silent\nflow: door/ask-name\nscript: [{ hear: who }, silence, { hear: again }, silence]\nexpect: { path: [ask, nobody] }\n',
};

const run = async (...args: string[]) => {
  using folder = folderOf(FILES);
  return await callweave(args, { cwd: folder.path });
};

test('checks and names each of them', async () => {
  const { code, out } = await run('check', '.');
  expect([code, out]).toEqual([0, expect.stringContaining('door, 3 steps; door/ask-name, 3 steps\n2 flows, 0 errors')]);
  const { files } = JSON.parse((await run('check', '.', '--json')).out);
  expect(files).toMatchObject([{ flow: 'door', flows: ['door/ask-name'], diagnostics: [] }]);
});

test('reports the coverage of each flow', async () => {
  const { code, out } = await run('test', '.', '--json');
  expect(code).toBe(0);
  const { coverage } = JSON.parse(out);
  expect(coverage).toMatchObject([
    { flow: 'door', steps: { total: 3, covered: 3 } },
    { flow: 'door/ask-name', steps: { total: 3, covered: 3 }, outcomes: { total: 3, covered: 2 } },
  ]);
});

test('generates tests for each flow', async () => {
  const { out } = await run('test', '.', '--generate', '--dry-run', '--json');
  const { flows } = JSON.parse(out);
  const [door, local] = flows as { flow: string; tests: { file: string; text: string }[] }[];
  expect([door!.flow, local!.flow]).toEqual(['door', 'door/ask-name']);
  const [made] = local!.tests;
  expect(made).toMatchObject({ file: 'door.ask-name.ask.exhausted.no_match.test.yaml', outcome: 'exhausted.no_match' });
  expect(made!.text).toContain('flow: door/ask-name\n');
});

test('inserts mistakes into each flow at the right lines', async () => {
  const { out } = await run('test', '.', '--mutate', '--json');
  const { flows } = JSON.parse(out);
  const local = (flows as { flow: string; killed: number; survivors: { line: number }[] }[])[1]!;
  expect(local.flow).toBe('door/ask-name');
  expect(local.killed).toBeGreaterThan(2);
  expect(local.survivors.length).toBeGreaterThan(0);
  expect(local.survivors.every(({ line }) => line > 9)).toBe(true);
});

test('follows a call through local flows, and explores their outcomes', async () => {
  using folder = folderOf(FILES);
  const called = await callweave(['call', 'door.flow.yaml'], { cwd: folder.path, input: '1\n' });
  expect(called.out).toContain('Goodbye.');
  const { code, out } = await callweave(['explore', 'door.flow.yaml', '--json'], { cwd: folder.path });
  expect([code, JSON.parse(out)]).toMatchObject([0, { findings: [], missing: [] }]);
});
