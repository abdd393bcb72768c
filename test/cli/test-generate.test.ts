import { copyFileSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { callweave, folderOf, ROOT } from './command.ts';

interface Generated {
  flows: {
    flow: string;
    tests: { file: string; step: string; outcome: string; text?: string }[];
    unreached: { step: string; outcome: string }[];
  }[];
}
interface Tested {
  ok: boolean;
  passed: number;
  coverage: { outcomes: { total: number; covered: number } }[];
}

const DOOR = `flow: door
start: ask
prompts: { question: In or out?, welcome: Come in. }
vars: { who: { type: string } }
steps:
  ask:
    collect: { prompt: question, digits: { length: 2 }, no_input: [question], no_match: [question] }
    set: { who: "\${ result.digits }" }
    exits: { collected: report, exhausted: bye, error: bye }
  report:
    request: { post: "http://door.example/", body: { who: "\${ vars.who }" } }
    exits: { ok: welcome, not_found: bye, failed: bye, error: bye }
  welcome: { play: welcome, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const SILENT = `test: a silent caller
flow: door
script: [{ hear: question }, silence, silence, silence]
`;

test('writes a test for each outcome that none covers, with what is heard and requested; a second time, nothing', async () => {
  using folder = folderOf({ 'door.flow.yaml': DOOR, 'door.test.yaml': SILENT, 'door.ask.collected.test.yaml': SILENT });
  const generate = (...options: string[]) => callweave(['test', '--generate', '.', ...options], { cwd: folder.path });
  const planned = await generate('--dry-run');
  expect(planned.out).toContain('test: "report leaves by not_found: press');
  expect(readdirSync(folder.path)).toHaveLength(3);

  const { flows } = (await generate('--json')).json() as Generated;
  const outcomes = flows[0]!.tests.map(({ step, outcome }) => `${step} ${outcome}`);
  expect(outcomes).toContain('report failed.timeout');
  expect(outcomes).not.toContain('ask exhausted.no_input');
  // A file that is there stays as it is.
  expect(readFileSync(join(folder.path, 'door.ask.collected.test.yaml'), 'utf8')).toBe(SILENT);
  const text = readFileSync(join(folder.path, 'door.welcome.done.test.yaml'), 'utf8');
  expect(text).toContain('heard: [ question, welcome ]');
  expect(text).toMatch(
    /requests: \[ \{ step: report, method: POST, url: http:\/\/door.example\/, body: \{ who: "\d\d" \} \} \]/,
  );

  expect((await generate()).out).toContain('door: 0 tests written');
  const tested = (await callweave(['test', '.', '--json'], { cwd: folder.path })).json() as Tested;
  expect(tested).toMatchObject({ ok: true, passed: 2 + flows[0]!.tests.length });
  // Another variable in the body is noticed.
  const changed = DOOR.replace('{ who: "${ vars.who }" }', '{ who: "${ call.from }" }');
  using other = folderOf({ 'door.flow.yaml': changed, 'door.test.yaml': text });
  expect((await callweave(['test', '.'], { cwd: other.path })).out).toContain('FAILED door.test.yaml');
});

const SHOWN = globSync(`${ROOT}/flows/*.flow.yaml`);

test('generates a passing test for each reachable outcome of the shipped flows', async () => {
  using folder = folderOf({});
  for (const file of SHOWN) copyFileSync(file, join(folder.path, basename(file)));
  const { flows } = (await callweave(['test', '--generate', '.', '--json'], { cwd: folder.path })).json() as Generated;
  expect(flows).toHaveLength(SHOWN.length);
  // An apology is heard when we fail, which a caller cannot cause; of an answer, any is valid that is not refused by `returns`.
  const unreached = flows.flatMap(({ flow, unreached: each }) =>
    each.map(({ step, outcome }) => `${flow} ${step} ${outcome}`),
  );
  expect(unreached.filter((each) => !/ apologise done$| failed\.invalid$/.test(each))).toEqual([]);
  const { ok, passed, coverage } = (await callweave(['test', '.', '--json'], { cwd: folder.path })).json() as Tested;
  const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
  expect({ ok, passed }).toEqual({ ok: true, passed: sum(flows.map(({ tests }) => tests.length)) });
  const [covered, total] = [
    coverage.map(({ outcomes }) => outcomes.covered),
    coverage.map(({ outcomes }) => outcomes.total),
  ];
  expect(sum(covered)).toBe(sum(total) - unreached.length);
}, 120_000);

const SHOP = `flow: shop
start: ring
prompts: { moment: One moment please., sorry: Sorry that we missed your call. }
steps:
  ring:
    bridge: { to: ["user:anna", "user:ben"] }
    exits: { completed: bye, failed: mobile, error: bye }
  mobile:
    bridge: { to: "+33612000001" }
    exits: { completed: bye, failed: write, error: bye }
  write:
    message: { to: "\${ call.from }", text: We missed your call., meanwhile: moment }
    exits: { sent: sorry, refused: sorry, error: sorry }
  sorry: { play: sorry, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

test('compares messages, and reaches the outcome in the name of each test', async () => {
  using folder = folderOf({ 'shop.flow.yaml': SHOP });
  const { flows } = (await callweave(['test', '--generate', '.', '--json'], { cwd: folder.path })).json() as Generated;
  expect(flows[0]!.unreached).toEqual([]);
  for (const { file, step, outcome } of flows[0]!.tests) {
    const text = readFileSync(join(folder.path, file), 'utf8');
    expect(text).toContain(`outcomes: { ${step}: ${outcome} }`);
    expect(text.includes('messages:')).toBe(/path: .*write/.test(text));
  }
});
