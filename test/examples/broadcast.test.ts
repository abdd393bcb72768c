/** The campaign of 12-broadcast: rehearsed, and started on a service that can reach only the softphone. */
import { FlowLibrary, readBroadcast, verbs } from 'callweave';
import { loadCallees, rehearse } from 'callweave/testkit';
import { afterAll, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfigText } from '../../src/config.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { callweave, ROOT } from '../cli/command.ts';
import { createMemoryStore } from '../memory-store.ts';

const EXAMPLE = `${ROOT}/examples/12-broadcast`;
const CAMPAIGN = [`${EXAMPLE}/broadcast.json`, '--numbers', `${EXAMPLE}/contacts.csv`];
const KEY = 'key-of-the-example-0012';

afterAll(() => {
  vi.unstubAllEnvs();
});

async function openService() {
  const { config } = readConfigText(
    `
projects: [{ app_id: demo, app_key: ${KEY} }]
flows_directory: .
http: { port: 0 }
numbers: [{ number: "1000" }]
`,
    `${import.meta.dirname}/callweave.yaml`,
  );
  const engine = new SimulatedEngine({
    clock: systemClock,
    ids: randomIds,
    audio: { durationMs: () => 5 },
    dialled(callee) {
      callee.observe(({ type }) => {
        if (type === 'hears') callee.press('1', { toneMs: 1, gapMs: 1 });
      });
    },
  });
  const app = await createApp(config!, {
    store: createMemoryStore(),
    telephony: { engine, sounds: { refusal: () => undefined }, reaches: (to) => to.startsWith('sip:') },
  });
  const { http } = await app.start();
  vi.stubEnv('CALLWEAVE_APP_ID', 'demo');
  vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
  vi.stubEnv('CALLWEAVE_URL', `http://127.0.0.1:${http.port}`);
  return {
    [Symbol.asyncDispose]: () => {
      app.endCallsNow();
      return app.stop(0);
    },
  };
}

test('12-broadcast: calls the softphone, asks it, and records that it comes', async () => {
  await using _service = await openService();
  const { code, out, err } = await callweave(['broadcast', ...CAMPAIGN]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^No Route To Destination +11 {2}92 %$/m);
  const [, id = ''] = /^broadcast (\S+): 12 numbers$/m.exec(out) ?? [];
  const report = await callweave(['broadcast', 'report', id, '--json', '--code', 'success']);
  expect(report.json()).toMatchObject({
    state: 'completed',
    result_set: [{ dialed_number: 'sip:me@127.0.0.1:5070', answered_by: 'human', output: { answer: 'comes' } }],
  });
});

test('12-broadcast: calls every number in its rehearsal, with the same result each time', async () => {
  const rehearsed = () => callweave(['rehearse', ...CAMPAIGN, '--callees', `${EXAMPLE}/callees.yaml`, '--json']);
  const { code, json } = await rehearsed();
  expect(code).toBe(0);
  expect(json()).toMatchObject({ state: 'completed', totals: { numbers: 12, disconnected: 12 } });
  expect((await rehearsed()).json()).toMatchObject({ totals: (json() as { totals: object }).totals });
});

test('12-broadcast: allows a rehearsal in a custom test, as docs/rehearsal.md describes', async () => {
  const { order, callees } = readBroadcast({
    ...{ from: '1000', flow: 'reminder', broadcast_numbers_array: ['+33612345678', '+33612345679'] },
  });
  const { profiles } = loadCallees('groups: [{ presses: "1" }]', 'callees.yaml');
  const flows = new FlowLibrary(verbs).load(EXAMPLE).loadBuiltIn();
  const rehearsal = await rehearse({ order, numbers: callees, flows, ...(profiles ? { profiles } : {}) });
  expect(rehearsal.counts).toMatchObject({ numbers: 2, success: 2 });
  expect((await rehearsal.report({ limit: 100 })).rows.map(({ output }) => output)).toEqual([
    { answer: 'comes' },
    { answer: 'comes' },
  ]);
  await rehearsal.close();
});
