/** Statistics of a flow: counts by step and exit, of the calls of one project. */
import { expect, it } from 'vitest';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const MENU = `
flow: menu
start: ask
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  ask: { menu: { prompt: Press one or two, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: inner, two: bye } }
  inner: { subflow: hello, next: bye }
  bye: { hangup: normal }
`;
const HELLO = `
flow: hello
start: bye
defaults: { exits: { error: $end } }
steps:
  bye: { play: Hello there, next: $end }
`;
const CONFIG = `numbers:
  - { number: "1000", flow: menu }
  - { number: "3000", flow: menu, project: other }
`;
const PATH = '/voice/v1/flow/menu/figures';

async function withCalls(): Promise<ApiRig> {
  const rig = await openRig({ config: CONFIG, flows: { menu: MENU, hello: HELLO } });
  for (const [to, digit] of [
    ['1000', '1'],
    ['1000', '2'],
    ['1000', '2'],
    ['3000', '1'],
  ] as const) {
    const caller = rig.call(to);
    await rig.pass(1000);
    caller.press(digit);
    await rig.pass(29_000);
  }
  return rig;
}

it('counts steps and exits of the calls of the project', async () => {
  const rig = await withCalls();
  expect((await rig.request('GET', PATH)).body).toMatchObject({
    since: '2026-03-01T08:32:00.000Z',
    calls: 3,
    steps: { ask: 3, inner: 1, bye: 3 },
    exits: { 'ask one': 1, 'ask two': 2, 'bye done': 3 },
  });
  expect((await rig.request('GET', PATH, undefined, { as: OTHER })).body).toMatchObject({
    calls: 1,
    steps: { ask: 1 },
  });
  expect((await rig.request('GET', PATH, undefined, { as: false })).status).toBe(401);
});

it('counts a subflow, with its steps apart from those of the flow that calls it', async () => {
  const rig = await withCalls();
  const { body } = await rig.request('GET', '/voice/v1/flow/hello/figures');
  expect(body).toMatchObject({ calls: 1, steps: { bye: 1 }, exits: { 'bye done': 1 } });
});

it('counts from a given time, and for one version of the flow', async () => {
  const rig = await withCalls();
  expect((await rig.request('GET', `${PATH}?since=2026-03-02T08:31:00Z`)).body).toMatchObject({ calls: 1 });
  const hash = (await rig.store.calls.list({ projectId: 'shop', fromMs: 0, toMs: 9e15, limit: 1 }))[0]!.record.flowHash;
  expect((await rig.request('GET', `${PATH}?version=${hash}`)).body).toMatchObject({ calls: 3 });
  expect((await rig.request('GET', `${PATH}?version=f00d`)).body).toMatchObject({ calls: 0, steps: {}, exits: {} });
  expect((await rig.request('GET', `${PATH}?since=soon`)).status).toBe(400);
});
