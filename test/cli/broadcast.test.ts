/** `callweave broadcast` against a service in this process, whose callees are simulated and in a hurry. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfigText } from '../../src/config.ts';
import type { CalleePlan } from '../../src/media/telephony/simulated/far-end.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callweave, folderOf, ROOT } from './command.ts';

const KEY = 'key-of-the-broadcast-test';

/** By the last digit of a number. */
const PLANS: Readonly<Record<string, CalleePlan>> = {
  '7': { does: 'busy' },
  '8': { does: 'declined' },
};

let app: App;
let url: string;

beforeAll(async () => {
  const { config } = readConfigText(
    `
projects: [{ app_id: shop, app_key: ${KEY} }, { app_id: other, app_key: ${KEY}-2 }]
flows_directory: .
http: { port: 0 }
numbers: [{ number: "1000", project: shop }]
sip: { routes: [{ prefix: "+", uri: "sip:carrier.example" }] }
`,
    `${import.meta.dirname}/callweave.yaml`,
  );
  const engine = new SimulatedEngine({
    clock: systemClock,
    ids: randomIds,
    audio: { durationMs: () => 5 },
    callee: ({ to }) => PLANS[to.at(-1)!] ?? { does: 'answer' },
    // People press the key that their number ends with.
    dialled(callee, { to }) {
      callee.observe(({ type }) => {
        if (type === 'hears') callee.press(to.at(-1)!, { toneMs: 1, gapMs: 1 });
      });
    },
  });
  app = await createApp(config!, {
    store: createMemoryStore(),
    telephony: { engine, sounds: { refusal: () => undefined } },
  });
  const { http } = await app.start();
  url = `http://127.0.0.1:${http.port}`;
  vi.stubEnv('CALLWEAVE_APP_ID', 'shop');
  vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
  vi.stubEnv('CALLWEAVE_URL', url);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  app.endCallsNow();
  await app.stop(0);
});

const ORDER = `
application_name: reminder
from: "1000"
flow: ${ROOT}/examples/12-broadcast/reminder.flow.yaml
call_param: { calls_per_second: 1000, max_concurrent: 100, number_of_retries: 1, interval_between_retries: 0.01, ring_timeout: 1 }
`;

const TABLE = `phone,name,when
+33600000001,Ann,on Monday
+33600000002,Bob,on Tuesday
+33 6 00 00 00 01,Ann,again
+33600000007,Busy,
+33600000008,Rude,
`;

async function begin(args: string[] = [], { order = ORDER, table = TABLE } = {}) {
  using folder = folderOf({ 'order.yaml': order, 'contacts.csv': table });
  return await callweave(['broadcast', `${folder.path}/order.yaml`, '-n', `${folder.path}/contacts.csv`, ...args]);
}

const idIn = (out: string): string => /broadcast (\S+):/.exec(out)![1]!;

describe('a broadcast', () => {
  test('is started, watched and summarised', async () => {
    const { code, out, err } = await begin();
    expect(err).toBe('');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^broadcast \S+: 4 numbers, 1 listed more than once, each called once$/);
    expect(lines.some((line) => line.startsWith('completed: 100 % done, 4 of 4; 2 successful, 2 failed; '))).toBe(true);
    expect(out).toMatch(/^success +2 {2}50 %$/m);
    expect(out).toMatch(/^Busy +1 {2}25 %$/m);
    expect(out).toMatch(/^Call Rejected +1 {2}25 %$/m);
    expect(out).toContain('5 calls made: once 3, twice 1');
    expect(lines.at(-1)).toMatch(/^callweave broadcast report \S+ --code failed --csv$/);
  });

  test('is one JSON document with --json', async () => {
    const { code, json } = await begin(['--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ state: 'completed', totals: { numbers: 4, success: 2, attempts: 5 } });
  });

  test('gives each number its input, and the report its output', async () => {
    const id = idIn((await begin()).out);
    const { out } = await callweave(['broadcast', 'report', id, '--csv']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe(
      'dialed_number,state,code,reason,cause,attempts,answered_by,connected,call_duration,voice_id,output,timestamp',
    );
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^\+33600000001,disconnected,success,success,16,1,,.*,"\{""answer"":""comes""\}",/);
    expect(lines[3]).toMatch(/^\+33600000007,disconnected,failed,Busy,17,2,/);
    const { json } = await callweave(['broadcast', 'report', id, '--json']);
    expect(json()).toMatchObject({
      app_instance: id,
      totals: { numbers: 4 },
      result_set: [
        { dialed_number: '+33600000001', output: { answer: 'comes' } },
        { dialed_number: '+33600000002', output: { answer: 'cancels' } },
        { dialed_number: '+33600000007', result: { reason: 'Busy' } },
        { dialed_number: '+33600000008', result: { reason: 'Call Rejected' } },
      ],
    });
  });

  test('filters the results in its report', async () => {
    const id = idIn((await begin()).out);
    const failed = await callweave(['broadcast', 'report', id, '--csv', '--code', 'failed']);
    expect(failed.out.trimEnd().split('\n')).toHaveLength(3);
    const busy = await callweave(['broadcast', 'report', id, '--json', '--reason', 'Busy']);
    expect(busy.json()).toMatchObject({ result_set: [{ dialed_number: '+33600000007' }] });
    const one = await callweave(['broadcast', 'report', id, '--json', '--number', '+33600000002']);
    expect(one.json()).toMatchObject({ result_set: [{ dialed_number: '+33600000002' }] });
  });

  test('has its failed numbers as a table for another broadcast', async () => {
    const id = idIn((await begin()).out);
    const { out } = await callweave(['broadcast', 'report', id, '--csv', '--code', 'failed']);
    const whole = await callweave(['broadcast', 'report', id, '--code', 'failed']);
    expect([whole.code, whole.err]).toEqual([2, expect.stringContaining('hint: add --csv or --json')]);
    const again = await begin(['--columns', ''], { table: out });
    expect(again.out).toMatch(/^broadcast \S+: 2 numbers$/m);
  });
});

test('excludes callees who press the do-not-call key from the next broadcast', async () => {
  const table = 'phone\n+33600000003\n+33 6 00 00 01 09\n';
  const order = ORDER;
  await begin([], { table, order });
  const { json } = await callweave(['broadcast', 'report', idIn((await begin([], { table, order })).out), '--json']);
  expect(json()).toMatchObject({
    result_set: [{ result: { reason: 'success' } }, { attempts: 0, result: { reason: 'Do Not Call' } }],
  });
});

describe('a running broadcast', () => {
  const SLOW = ORDER.replace('calls_per_second: 1000', 'calls_per_second: 1');
  const MANY = `phone\n${Array.from({ length: 30 }, (_, index) => `+336000001${String(index).padStart(2, '0')}`).join('\n')}\n`;

  test('starts without waiting, and can be listed, stopped and watched', async () => {
    const begun = await begin(['--no-wait'], { order: SLOW, table: MANY });
    const id = idIn(begun.out);
    expect(begun.out).toContain(`\n  callweave broadcast watch ${id}\n  callweave broadcast stop ${id}\n`);
    const { out: list } = await callweave(['broadcast', 'list']);
    expect(list).toMatch(/^app_instance +name +state +numbers +created$/m);
    expect(list).toMatch(new RegExp(`^${id} +reminder +(initiated|running) +30 +20`, 'm'));
    const stopped = await callweave(['broadcast', 'stop', id, '--hang-up']);
    expect(stopped.code).toBe(0);
    expect(stopped.out).toMatch(
      new RegExp(`^${id} stopped: (no further numbers are dialled|the broadcast has ended)\n$`),
    );
    const watched = await callweave(['broadcast', 'watch', id]);
    expect(watched.code).toBe(1);
    expect(watched.out).toMatch(/^reminder {2}\S+ {2}stopped after /m);
    expect(watched.out).toMatch(/^Broadcast Stopped +\d+/m);
    const twice = await callweave(['broadcast', 'stop', id, '--json']);
    expect(twice.json()).toMatchObject({ app_instance: id, state: 'stopped' });
    expect((await callweave(['broadcast', 'stop', id])).out).toBe(`${id} stopped: the broadcast has ended\n`);
  });
});

describe('is refused', () => {
  test('rejects a calling number of another project', async () => {
    const { code, out, err } = await begin([], { order: ORDER.replace('"1000"', '"999"') });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('callweave: the service refuses: 999 is not a number of this project');
  });

  test('rejects input that the flow does not take, by line of the table', async () => {
    const { code, err } = await begin([], { table: 'phone,nickname\n\n+33600000001,A\n+33600000002,B\n' });
    expect(code).toBe(1);
    expect(err).toContain('contacts.csv: 2 lines cannot be used');
    expect(err).toMatch(/^ {2}line 3: \+33600000001: .*nickname/m);
    expect(err).toMatch(/^ {2}line 4: /m);
  });

  test('numbers in the file itself, by place, the first twenty', async () => {
    const numbers = Array.from({ length: 25 }, () => 'nobody');
    using folder = folderOf({ 'order.json': JSON.stringify({ from: '1000', broadcast_numbers_array: numbers }) });
    const { code, err } = await callweave(['broadcast', `${folder.path}/order.json`]);
    expect(code).toBe(1);
    expect(err).toMatch(/^ {2}number 1: nobody: must be a number/m);
    expect(err).toMatch(/^ {2}number 20: /m);
    expect(err).not.toMatch(/^ {2}number 21: /m);
    expect(err).toContain('  and 5 more numbers');
  });

  test('rejects a flow that does not compile, with the position', async () => {
    using folder = folderOf({
      'order.yaml': 'from: "1000"\nflow: broken.flow.yaml\nbroadcast_numbers: ["+33600000001"]\n',
      'broken.flow.yaml': 'flow: broken\nstart: bye\nsteps: { bye: { paly: hello } }\n',
    });
    const { code, err } = await callweave(['broadcast', `${folder.path}/order.yaml`]);
    expect(code).toBe(1);
    expect(err).toContain('there is no verb `paly`');
  });

  test.each([['watch'], ['stop'], ['report']])('rejects %s of an unknown broadcast', async (command) => {
    const { code, err } = await callweave(['broadcast', command, 'nothing']);
    expect(code).toBe(1);
    expect(err).toContain('callweave: the service refuses: there is no such broadcast');
  });
});

test('hides broadcasts of other projects', async () => {
  const id = idIn((await begin()).out);
  vi.stubEnv('CALLWEAVE_APP_ID', 'other');
  vi.stubEnv('CALLWEAVE_APP_KEY', `${KEY}-2`);
  try {
    expect((await callweave(['broadcast', 'report', id])).err).toContain('there is no such broadcast');
    expect((await callweave(['broadcast', 'list'])).out).toBe('no broadcasts\n');
  } finally {
    vi.stubEnv('CALLWEAVE_APP_ID', 'shop');
    vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
  }
});
