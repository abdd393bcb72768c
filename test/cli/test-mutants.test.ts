import { expect, test } from 'vitest';
import { callweave, folderOf } from './command.ts';

const FLOW = `flow: door
start: ask
prompts: { question: In or out?, welcome: Come in. }
vars: { caller: { type: string } }
steps:
  ask:
    menu: { prompt: question, choices: { in: { dtmf: "1" }, out: { dtmf: "2" } }, start_timeout: 4s, attempts: 2, no_input: [question], no_match: [question] }
    set: { caller: "\${ call.from }" }
    exits: { in: report, out: bye, exhausted: bye, error: bye }
  report:
    request: { post: "http://door.example/", body: { who: "\${ vars.caller }" } }
    exits: { ok: welcome, not_found: bye, failed: bye, error: bye }
  welcome: { play: welcome, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const IN = `test: the door opens
flow: door
mocks: { report: { status: 200 } }
script:
  - hear: question
  - press: "1"
  - hear: welcome
`;

interface Survivor {
  line: number;
  kind: string;
  before: string;
  after: string;
  hint: string;
}
interface Result {
  ok: boolean;
  flows: { flow: string; share: number; killed: number; survived: number; refused: number; survivors: Survivor[] }[];
}

const mutate = async (files: Record<string, string>, ...options: string[]) => {
  using folder = folderOf(files);
  return await callweave(['test', '--mutate', '.', ...options], { cwd: folder.path });
};
const survivorsOf = (result: { json(): unknown }): Survivor[] => (result.json() as Result).flows[0]!.survivors;

test('names mistakes that no test detects, with position, change, and a remedy', async () => {
  const { code, out } = await mutate({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN });
  expect(code).toBe(0);
  expect(out).toMatch(
    /^door\.flow\.yaml {2}\d+ %: \d+ mutants, \d+ killed, \d+ survived \(\d+ more refused by check, /,
  );
  expect(out).toContain('door.flow.yaml:7:98 ask: start_timeout: 4s → 8s\n      `quiet` or `duration` of a call');

  // Mutations of prompts and of the path of the test are noticed.
  expect(out).not.toContain('in: report, out: bye →');
  expect(out).not.toContain('dtmf: 1 →');
});

test('notices mutations of everything that a test compares: request bodies, durations, words', async () => {
  const before = survivorsOf(await mutate({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN }, '--json'));
  const checked = `${IN}expect:
  requests: [{ step: report, method: POST, body: { who: "+33612345678" } }]
call: { from: "+33612345678", to: "1000" }
`;
  const silent = `test: a silent caller is asked twice
flow: door
script: [{ hear: In or out }, silence, { hear: In or out }, silence]
expect: { duration: 9.428s }
`;
  const after = survivorsOf(
    await mutate({ 'door.flow.yaml': FLOW, 'a.test.yaml': checked, 'b.test.yaml': silent }, '--json'),
  );
  const names = (survivors: Survivor[]): string[] => survivors.map((each) => `${each.before} → ${each.after}`);
  const gone = names(before).filter((name) => !names(after).includes(name));
  expect(gone).toContain('caller: ${ call.from } → caller: ${ call.to }');
  expect(gone).toContain('start_timeout: 4s → start_timeout: 8s');
  expect(gone).toContain('attempts: 2 → attempts: 3');
  expect(gone).toContain('question: In or out? → question: Somebody wrote other words here.');
  expect(gone).toContain('post → put');
});

test('--require: decides the exit status; the same seed draws the same mistakes', async () => {
  const files = { 'door.flow.yaml': FLOW, 'door.test.yaml': IN };
  const required = await mutate(files, '--require', '90', '--limit', '12');
  expect(required.code).toBe(1);
  expect(required.out).toMatch(/door: tests detect \d+ % of the mutants, 90 % are required/);
  const drawn = async (seed: string) =>
    (await mutate(files, '--limit', '12', '--seed', seed, '--json')).json() as Result;
  const [once, again, other] = [await drawn('5'), await drawn('5'), await drawn('6')];
  const counts = ({ flows: [flow] }: Result) => flow!.survivors.map(({ before, after }) => before + after);
  expect(counts(again)).toEqual(counts(once));
  expect(counts(other)).not.toEqual(counts(once));
  expect((await mutate(files, '--require', 'most')).code).toBe(2);
});

test('--except: leaves out kinds of mistakes, and refuses unknown ones', async () => {
  const files = { 'door.flow.yaml': FLOW, 'door.test.yaml': IN };
  const kinds = (survivors: Survivor[]): Set<string> => new Set(survivors.map(({ kind }) => kind));
  expect(kinds(survivorsOf(await mutate(files, '--json')))).toContain('duration');
  const left = kinds(survivorsOf(await mutate(files, '--json', '--except', 'duration,text')));
  expect(left).not.toContain('duration');
  expect(left.size).toBeGreaterThan(0);
  const unknown = await mutate(files, '--except', 'words');
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('--except');
});

test('names a flow without a test, and stops at a test that fails', async () => {
  const other = FLOW.replace('flow: door', 'flow: gate');
  const { out } = await mutate(
    { 'door.flow.yaml': FLOW, 'door.test.yaml': IN, 'gate.flow.yaml': other },
    '--limit',
    '2',
  );
  expect(out).toContain('gate.flow.yaml  0 %: ');
  expect(out).toContain('no test runs this flow');
  const failing = await mutate({ 'door.flow.yaml': FLOW, 'door.test.yaml': IN.replace('"1"', '"2"') });
  expect(failing.code).toBe(1);
  expect(failing.err).toContain('tests must pass before a mutation test: door.test.yaml');
});
