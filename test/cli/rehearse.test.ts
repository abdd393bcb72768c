import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { callweave, callweaveProcess, folderOf, ROOT } from './command.ts';

const SURVEY = `flow: survey
input: { name: { type: string, default: you } }
vars: { answer: { type: string, default: none } }
output: { answer: "\${ vars.answer }" }
start: ask
steps:
  ask:
    menu: { prompt: "Is it \${ input.name }?", choices: { right: { dtmf: "1" }, wrong: { dtmf: "2" } }, no_input: [Say that again.], no_match: [Say that again.] }
    set: { answer: "\${ result.choice }" }
    exits: { right: bye, wrong: bye, exhausted: bye, error: bye }
  bye: { hangup: normal }
`;
const BROADCAST = {
  application_name: 'survey',
  from: '1000',
  flow: 'survey.flow.yaml',
  call_param: { number_of_retries: 2, interval_between_retries: 60 },
};
const CALLEES = `groups:
  - { name: people, share: 3, after: 5s, presses: [{ "1": 2, "2": 1 }] }
  - { name: nobody, share: 1, does: no_answer }
  - { name: line, share: 1, does: busy }
`;
const TABLE = 'phone,name\n+33600000001,Ada\n+33600000002,Bob\n';

const campaign = (files: Record<string, string> = {}) =>
  folderOf({
    'broadcast.json': JSON.stringify(BROADCAST),
    'survey.flow.yaml': SURVEY,
    'callees.yaml': CALLEES,
    'contacts.csv': TABLE,
    ...files,
  });

const reportSchema = JSON.parse(
  readFileSync(join(ROOT, 'schemas/api/responses/broadcast-report.schema.json'), 'utf8'),
) as JsonObject;

describe('callweave rehearse', () => {
  test('prints results, attempts, concurrent calls, outputs and the duration', async () => {
    using folder = campaign();
    const { code, out, err } = await callweave(
      ['rehearse', 'broadcast.json', '--callees', 'callees.yaml', '--numbers', '200'],
      { cwd: folder.path },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const told = out.replace(/ in [\d.]+ seconds, .*$/m, ' in no time');
    expect(told.split('\n')).toEqual([
      'survey  broadcast-1  completed after 5 min 11 s',
      '',
      'result      numbers',
      'success         187  94 %',
      'Busy              8   4 %',
      'No Answer         5   3 %',
      'altogether      200',
      '',
      '187 successful, 13 failed',
      '309 calls made: once 118, twice 55, 3 times 27',
      'connected for 3 s on average, half for 3 s or less, the longest for 4 s; 7 min 52 s altogether',
      'at most 94 concurrent calls',
      'output: answer right 120; answer wrong 67',
      'rehearsed with seed 1: 5 min 11 s in no time',
      '',
    ]);
  });

  test('takes no more calls at once than the service is configured for', async () => {
    const config =
      'limits: { calls: 7 }\nbroadcasts: { max_concurrent: 20 }\nnumbers: [{ number: "1000", flow: survey }]\nflows_directory: .\n';
    using folder = campaign({ 'callweave.yaml': config });
    const args = ['rehearse', 'broadcast.json', '--callees', 'callees.yaml', '--numbers', '50', '-c', 'callweave.yaml'];
    const { out } = await callweave(args, { cwd: folder.path });
    expect(out).toContain('\nat most 7 concurrent calls\n');
  });

  test('--json: prints the report of the API, with identical bytes for the same seed', async () => {
    using folder = campaign();
    const run = (...more: string[]) =>
      callweave(['rehearse', 'broadcast.json', '--callees', 'callees.yaml', '--numbers', '30', '--json', ...more], {
        cwd: folder.path,
      });
    const first = await run();
    expect(compileCheck(reportSchema)(first.json())).toBeUndefined();
    expect(first.json()).toMatchObject({
      app_instance: 'broadcast-1',
      application_name: 'survey',
      state: 'completed',
      created: '2026-03-02T08:30:00.000Z',
      totals: { numbers: 30, disconnected: 30 },
    });
    expect((await run()).out).toBe(first.out);
    expect((await run('--seed', '2')).out).not.toBe(first.out);
    const page = (await run('--limit', '2')).json() as { result_set: unknown[]; next?: string };
    expect([page.result_set.length, typeof page.next]).toEqual([2, 'string']);
    expect((await run('--at', '2026-05-01T10:00:00+02:00')).json()).toMatchObject({
      created: '2026-05-01T08:00:00.000Z',
    });
  });

  test('calls the numbers of a table with their input; with a YAML file and the usual callees', async () => {
    using folder = campaign({ 'b.yaml': 'application_name: b\nfrom: "1000"\nflow: survey.flow.yaml\n' });
    const { json, err } = await callweave(['rehearse', 'b.yaml', '-n', 'contacts.csv', '--json'], { cwd: folder.path });
    expect(err).toBe('');
    expect(json()).toMatchObject({
      totals: { numbers: 2 },
      result_set: [{ dialed_number: '+33600000001' }, { dialed_number: '+33600000002' }],
    });
  });

  test('--trace: prints the events of the calls to one number', async () => {
    using folder = campaign();
    const args = ['rehearse', 'broadcast.json', '--numbers', 'contacts.csv', '--callees', 'callees.yaml'];
    const { out } = await callweave([...args, '--trace', '+33600000002'], { cwd: folder.path });
    expect(out).toContain('outbound call from 1000 to +33600000002: flow survey');
    expect(out).toContain('ask: menu');
    expect(out).not.toContain('to +33600000001');
    const none = await callweave([...args, '--trace', '1'], { cwd: folder.path });
    expect(none.out).toContain('no call to 1');
  });

  test('uses the flows and numbers of the configuration', async () => {
    const config = 'numbers: [{ number: "1000" }]\nflows_directory: .\n';
    using folder = campaign({
      'callweave.yaml': config,
      'named.json': JSON.stringify({ ...BROADCAST, flow: 'survey' }),
      'other.json': JSON.stringify({ ...BROADCAST, from: '2000' }),
    });
    const run = (file: string) => callweave(['rehearse', file, '--numbers', '3', '--json'], { cwd: folder.path });
    expect((await run('named.json')).json()).toMatchObject({ totals: { numbers: 3 } });
    const refused = await run('other.json');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('callweave: 2000 is not a number of this project');
  });

  test.each([
    [
      'callees that are wrong',
      ['broadcast.json', '--numbers', '3', '--callees', 'bad.yaml'],
      1,
      /bad\.yaml:2:11 error wrong-value: must be one of answer, busy/,
    ],
    [
      'callees that are not there',
      ['broadcast.json', '--numbers', '3', '--callees', 'no.yaml'],
      2,
      /cannot read no\.yaml/,
    ],
    ['nobody to call', ['broadcast.json'], 2, /contains no numbers to call/],
    ['a broadcast that is none', ['wrong.json', '--numbers', '3'], 1, /callweave: .*from/],
    ['a flow that is not there', ['unknown.json', '--numbers', '3'], 1, /callweave: there is no flow nowhere/],
    [
      'a flow that is misspelt',
      ['misspelt.json', '--numbers', '3'],
      1,
      /no flow broadcast-cal\n {2}hint: did you mean bro/,
    ],
    ['a flow that does not compile', ['inline.json', '--numbers', '3'], 1, /callweave: at \/steps: /],
    [
      'input that the flow does not take',
      ['broadcast.json', '--numbers', 'ages.csv'],
      1,
      /line 2: \+331: there is no input age/,
    ],
    ['a seed that is none', ['broadcast.json', '--numbers', '3', '--seed', 'x'], 2, /--seed x is not a whole number/],
    ['a moment that is none', ['broadcast.json', '--numbers', '3', '--at', 'soon'], 2, /soon is not a date and time/],
    ['too many numbers', ['broadcast.json', '--numbers', '100001'], 1, /100,?000/],
    [
      'a folder of flows that is not there',
      ['broadcast.json', '--numbers', '3', '--flows', 'none'],
      2,
      /folder not found: none/,
    ],
    [
      'a trace for programs',
      ['broadcast.json', '--numbers', '3', '--trace', '1', '--json'],
      2,
      /--trace and --json exclude each other/,
    ],
  ])('rejects %s: a message, and a status', async (_, args, status, message) => {
    using folder = campaign({
      'bad.yaml': 'groups:\n  - does: bussy\n',
      'wrong.json': JSON.stringify({ ...BROADCAST, from: undefined }),
      'unknown.json': JSON.stringify({ ...BROADCAST, flow: 'nowhere' }),
      'misspelt.json': JSON.stringify({ ...BROADCAST, flow: 'broadcast-cal' }),
      'inline.json': JSON.stringify({ ...BROADCAST, flow: { flow: 'x', start: 'nowhere', steps: {} } }),
      'ages.csv': 'phone,age\n+331,7\n',
    });
    const { code, err } = await callweave(['rehearse', ...args], { cwd: folder.path });
    expect(err).toMatch(message);
    expect(code).toBe(status);
  });

  test('runs as a process with a small heap', async () => {
    using folder = campaign();
    const args = ['rehearse', 'broadcast.json', '--callees', 'callees.yaml', '--numbers', '5', '--json'];
    const { code, json } = await callweaveProcess(args, { cwd: folder.path });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ state: 'completed', totals: { numbers: 5 } });
  });
});
