import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { forgetLibraries } from '../../src/cli/flow-files.ts';
import { callweave, callweaveProcess, folderOf } from './command.ts';

const GOOD = `flow: good
start: greet
steps:
  greet: { play: "Hello there.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const BAD = `flow: bad
start: greet
steps:
  greet: { pley: "Hello there.", next: bye }
  bye: { hangup: normal }
`;
const UNROUTED = `flow: unrouted
start: greet
steps:
  greet: { play: "Hello there.", next: by }
  bye: { hangup: normal }
`;

afterEach(() => {
  vi.useRealTimers();
});

test('accepts a valid flow with status 0', async () => {
  using folder = folderOf({ 'good.flow.yaml': GOOD });
  const { code, out, err } = await callweave(['check', '.'], { cwd: folder.path });
  expect(out).toBe('ok good.flow.yaml: good, 2 steps\n1 flow, 0 errors, 0 warnings\n');
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

test('--diagram: prints every route', async () => {
  using folder = folderOf({ 'good.flow.yaml': GOOD, 'bad.flow.yaml': BAD });
  const { code, out } = await callweave(['check', '--diagram', 'good.flow.yaml'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(out).toMatch(/^flowchart TD\n/);
  expect(out).toContain('greet -->|done| bye');
  const wrong = await callweave(['check', '--diagram', 'bad.flow.yaml'], { cwd: folder.path });
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('there is no verb `pley`') });
});

test('--machine: prints the flow as JSON for visualisers, --paths the shortest path to each step', async () => {
  using folder = folderOf({ 'good.flow.yaml': GOOD });
  const machine = await callweave(['check', '--machine', 'good.flow.yaml'], { cwd: folder.path });
  expect(machine.code).toBe(0);
  const definition = JSON.parse(machine.out);
  expect(definition).toMatchObject({ id: 'good', states: expect.any(Object) });
  expect(Object.keys(definition.states)).toEqual(expect.arrayContaining(['greet', 'bye']));
  const paths = await callweave(['check', '--paths', 'good.flow.yaml'], { cwd: folder.path });
  expect(paths).toMatchObject({ code: 0, out: 'good:\n  greet: the start\n  bye: greet done\n' });
});

test('shows the part of a long line that has the mistake', async () => {
  const words = (count: number) => 'word '.repeat(count);
  const long = GOOD.replace('"Hello there."', `["${words(60)}.", nowhere, "${words(60)}."]`);
  using folder = folderOf({ 'long.flow.yaml': long });
  const { out } = await callweave(['check', '.'], { cwd: folder.path });
  const [line = '', mark = ''] = out.split('\n').slice(1, 3);
  expect(line).toMatch(/^ {2}4 \| ….*…$/);
  expect(line.length).toBeLessThan(170);
  expect(line.slice(mark.indexOf('^'), mark.indexOf('^') + 7)).toBe('nowhere');
});

test('shows a mistake with its position, the line and a hint, without colours', async () => {
  using folder = folderOf({ 'good.flow.yaml': GOOD, 'bad.flow.yaml': BAD });
  const { code, out } = await callweaveProcess(['check', '.'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toBe(
    [
      'bad.flow.yaml:4:12 error unknown-verb: there is no verb `pley`',
      '  4 |   greet: { pley: "Hello there.", next: bye }',
      '    |            ^',
      '  hint: did you mean play?',
      'ok good.flow.yaml: good, 2 steps',
      '2 flows, 1 error, 0 warnings',
      '',
    ].join('\n'),
  );
});

test('reports an unknown target with a hint', async () => {
  using folder = folderOf({ 'unrouted.flow.yaml': UNROUTED });
  const { code, out } = await callweave(['check', 'unrouted.flow.yaml'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toMatch(/unrouted\.flow\.yaml:4:\d+ error unknown-target: there is no step `by`/);
  expect(out).toContain('hint: did you mean bye?');
});

test('--json: prints one document with the same positions', async () => {
  using folder = folderOf({ 'bad.flow.yaml': BAD });
  const ran = await callweave(['check', '--json', 'bad.flow.yaml'], { cwd: folder.path });
  expect(ran.code).toBe(1);
  expect(ran.json()).toEqual({
    ok: false,
    errors: 1,
    warnings: 0,
    files: [
      {
        file: 'bad.flow.yaml',
        flow: null,
        hash: null,
        diagnostics: [
          {
            severity: 'error',
            code: 'unknown-verb',
            message: 'there is no verb `pley`',
            file: 'bad.flow.yaml',
            line: 4,
            column: 12,
            hint: 'did you mean play?',
            fix: { line: 4, column: 12, endLine: 4, endColumn: 16, text: 'play' },
          },
        ],
      },
    ],
  });
});

test.each([
  ['broken YAML', 'flow: x\nstart: a\nsteps:\n  a: { play: hi\n', /broken\.flow\.yaml:\d+:\d+ error yaml-syntax/],
  ['an empty file', '', /broken\.flow\.yaml:1:1 error empty/],
  ['a bare #', 'flow: x\nstart: a\nsteps:\n  a: { send_digits: # }\n', /error yaml-comment: .*\n(.*\n)*? {2}hint: /],
  ['a word that YAML readers disagree about', 'flow: x\nstart: on\nsteps: {}\n', /2:8 error yaml-word/],
])('%s is a diagnostic, not a crash', async (_, text, message) => {
  using folder = folderOf({ 'broken.flow.yaml': text });
  const { code, out, err } = await callweave(['check', 'broken.flow.yaml'], { cwd: folder.path });
  expect(out).toMatch(message);
  expect({ code, err }).toEqual({ code: 1, err: '' });
});

test('warnings pass without --strict', async () => {
  const warned = GOOD.replace('  bye:', '  nobody: { play: "Never heard.", exits: { done: bye, error: bye } }\n  bye:');
  using folder = folderOf({ 'warned.flow.yaml': warned });
  const lenient = await callweave(['check', '.'], { cwd: folder.path });
  expect(lenient.out).toContain('warning unreachable-step');
  expect(lenient.code).toBe(0);
  expect((await callweave(['check', '--strict', '.'], { cwd: folder.path })).code).toBe(1);
});

test('ignores other files unless they are named', async () => {
  using folder = folderOf({
    'good.flow.yaml': GOOD,
    'package.json': '{ "name": "mine", "scripts": { "start": "callweave start" } }',
    'compose.yaml': 'services: {}\n',
    'settings.json': '{ "flow": "good" }',
  });
  const all = await callweave(['check', '.'], { cwd: folder.path });
  expect(all).toMatchObject({ code: 0, out: 'ok good.flow.yaml: good, 2 steps\n1 flow, 0 errors, 0 warnings\n' });
  for (const other of ['package.json', 'compose.yaml']) {
    const named = await callweave(['check', other], { cwd: folder.path });
    const hint = 'a flow has the keys flow, start and steps; to convert a flow of another system, use callweave import';
    expect(named).toMatchObject({ code: 2, out: '', err: `callweave: ${other} is not a flow\n  hint: ${hint}\n` });
  }
  const begun = await callweave(['check', 'settings.json'], { cwd: folder.path });
  expect(begun).toMatchObject({ code: 1, out: expect.stringContaining('settings.json:1:1 error missing-key') });
});

test('messages quote names: a step may be called a', async () => {
  const flow = 'flow: is\nstart: a\nsteps:\n  a: { pause: 1s, next: the }\n  the: { hangup: normal, nxt: a }\n';
  using folder = folderOf({ 'is.flow.yaml': flow.replace('next: the', 'next: they') });
  const { out } = await callweave(['check', '.'], { cwd: folder.path });
  expect(out).toContain('error unknown-target: there is no step `they`\n');
  expect(out).toContain('error unknown-key: unknown key `nxt`\n');
});

test('prints and counts equal findings of a file once, with all positions', async () => {
  const flow =
    'flow: many\nstart: one\nsteps:\n  one: { play: "Hello there.", next: two }\n  two: { play: "Good bye.", next: three }\n  three: { play: "Really not.", next: bye }\n  bye: { hangup: normal }\n';
  using folder = folderOf({ 'many.flow.yaml': flow });
  const { code, out } = await callweave(['check', '.'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toBe(
    [
      'many.flow.yaml:4:3 error unrouted-outcome: nothing routes the outcome `error`',
      '  4 |   one: { play: "Hello there.", next: two }',
      '    |   ^',
      '  also at 5:3, 6:3',
      '  hint: add exits: { error: … } here, or for all steps under defaults',
      '1 flow, 1 error, 0 warnings',
      '',
    ].join('\n'),
  );
  const asJson = await callweave(['check', '--json', '.'], { cwd: folder.path });
  const also = [
    { line: 5, column: 3 },
    { line: 6, column: 3 },
  ];
  expect(asJson.json()).toMatchObject({
    errors: 1,
    files: [{ diagnostics: [{ code: 'unrouted-outcome', line: 4, also }] }],
  });
});

const HANDS_OVER = `flow: mine
start: greet
steps:
  greet: { play: "Hello there.", exits: { done: control, error: bye } }
  control: { subflow: rest-control, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

test('lets flows of a folder call the built-in flows', async () => {
  using folder = folderOf({
    'flows/mine.flow.yaml': HANDS_OVER,
    'flows/mine.test.yaml': `test: REST goes on where the flow ends
flow: mine
script: [{ hear: Hello }, { wait: 2s }, { command: { play: { prompt: Good morning } } }, { hear: Good morning }, hang_up]
expect: { path: [greet, control] }
`,
  });
  for (const path of ['flows', 'flows/mine.flow.yaml']) {
    const { code, out } = await callweave(['check', path], { cwd: folder.path });
    expect(out).toBe('ok flows/mine.flow.yaml: mine, 3 steps\n1 flow, 0 errors, 0 warnings\n');
    expect(code).toBe(0);
  }
  expect(await callweave(['test', 'flows'], { cwd: folder.path })).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 test passed'),
  });
});

test('--fix: makes the obvious repairs, and reports what is left', async () => {
  using folder = folderOf({
    'bad.flow.yaml': BAD.replace('next: bye }', 'exits: { doen: bye, error: bye } }'),
    'open.flow.yaml': UNROUTED,
  });
  const { code, out } = await callweave(['check', '--fix', '.'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toContain('2 findings repaired');
  const text = readFileSync(join(folder.path, 'open.flow.yaml'), 'utf8');
  expect(text).toBe(UNROUTED.replace('next: by }', 'next: bye }'));
  // Its outcome is looked at when its verb is right.
  const again = await callweave(['check', '--fix', 'bad.flow.yaml'], { cwd: folder.path });
  expect(again).toMatchObject({
    code: 0,
    out: 'ok bad.flow.yaml: bad, 2 steps\n1 finding repaired\n1 flow, 0 errors, 0 warnings\n',
  });
});

test('-c: checks the names that flows use of the configuration', async () => {
  using folder = folderOf({
    'ring.flow.yaml': GOOD.replace('{ play: "Hello there.", exits', '{ bridge: "user:ana", exits').replace(
      'done: bye, error: bye',
      'completed: bye, failed: bye, error: bye',
    ),
    'callweave.yaml': 'sip: { users: [{ name: anna, password: long-enough-to-be-one }] }\n',
  });
  const paths = ['check', 'ring.flow.yaml'];
  expect(await callweave(paths, { cwd: folder.path })).toMatchObject({ code: 0, out: expect.stringMatching(/^ok/) });
  const { code, out } = await callweave([...paths, '-c', 'callweave.yaml', '--strict'], { cwd: folder.path });
  expect(out).toContain('ring.flow.yaml:4:20 warning unknown-user: the configuration has no user `ana`');
  expect(code).toBe(1);
});

test('-c: reports a header that the configuration does not keep; a suppressed one needs no configuration', async () => {
  const read = GOOD.replace('"Hello there."', '"Hello ${ call.headers.plan }."');
  using folder = folderOf({
    'plan.flow.yaml': read,
    'kept.flow.yaml': read.replace('good', 'kept').replace('.plan', '.department'),
    'silenced.flow.yaml': read
      .replace('good', 'silenced')
      .replace('greet: {', 'greet: { check: { unread-header: to come },'),
    'callweave.yaml': 'sip: { headers: { read: [Department] } }\n',
  });
  const { out } = await callweave(['check', '.', '-c', 'callweave.yaml'], { cwd: folder.path });
  expect(out).toContain('plan.flow.yaml:4:28 warning unread-header: the SIP header `plan` is not read\n');
  expect(out).toContain('3 flows, 0 errors, 1 warning\n');
  expect((await callweave(['check', '.'], { cwd: folder.path })).out).toContain('3 flows, 0 errors, 0 warnings\n');
});

test('checks holidays against today, and sounds against all flows of the folder', async () => {
  const shop =
    'schedules: { shop: { timezone: Europe/Paris, open: [{ from: "09:00", to: "18:00" }], holidays: ["2030-12-25"] } }\n';
  const asks = GOOD.replace('start: greet', 'start: at').replace(
    'steps:\n',
    'steps:\n  at: { schedule: shop, exits: { open: greet, closed: greet, holiday: greet } }\n',
  );
  using folder = folderOf({ 'flows/shop.flow.yaml': shop + asks, 'flows/prompts/jingle.wav': '' });
  const warned = async (path: string, today: string): Promise<string[]> => {
    forgetLibraries();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(today) });
    const { out } = await callweave(['check', path], { cwd: folder.path });
    return [...out.matchAll(/warning ([a-z-]+)/g)].map(([, code]) => code!);
  };
  expect(await warned('flows', '2030-12-25T12:00:00Z')).toEqual(['unused-sound']);
  expect(await warned('flows', '2030-12-26T12:00:00Z')).toEqual(['past-holidays', 'unused-sound']);
  expect(await warned('flows/shop.flow.yaml', '2030-12-26T12:00:00Z')).toEqual(['past-holidays']);
});
