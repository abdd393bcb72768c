/** Trials of flows by the API: simulated calls, their tests, replays of real calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { administered } from './admin-client.ts';
import { NUMBERS, openRig } from './rigs.ts';

const menu = (first: string): string => `flow: menu
prompts: { ask: Which one? }
start: ask
defaults: { exits: { error: $end } }
steps:
  ask:
    menu: { prompt: ask, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: one, two: two, exhausted: $end }
  one: { play: { text: "${first}" }, next: $end }
  two: { play: { text: "The second." }, next: $end }
`;
const TEST = `test: the first choice
flow: menu
script: [{ hear: ask }, { press: "1" }, { hear: The first }]
expect: { path: [ask, one] }
`;
const FLOWS = { menu: menu('The first.') };

describe('a simulated call', () => {
  it('runs the sent text, saves nothing, and returns the state of the call', async () => {
    const { admin } = await administered({ flows: FLOWS });
    const script = [{ press: '1' }];
    const play = (more: JsonObject) =>
      admin('POST', '/flows/simulate', { name: 'menu', script, until: 'end', ...more });
    const saved = await play({});
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({ state: 'ended', heard: [{ name: 'ask' }, { text: 'The first.' }] });
    const tried = await play({ text: menu('Another one.') });
    expect(tried.body).toMatchObject({ heard: [{ name: 'ask' }, { text: 'Another one.' }] });
    expect((await play({})).body).toEqual(saved.body);
  });

  it('rejects invalid script lines and flows with errors, with their position', async () => {
    const { admin } = await administered({ flows: FLOWS });
    const play = (more: JsonObject) => admin('POST', '/flows/simulate', { name: 'menu', ...more });
    const wrong = await play({ script: [{ press: 'x' }] });
    expect(wrong.status).toBe(422);
    expect(JSON.stringify(wrong.body)).toContain('/script/0');
    const broken = await play({ text: menu('The first.').replace('start: ask', 'start: nowhere') });
    expect(broken.status).toBe(422);
    expect((broken.body['diagnostics'] as JsonObject[])[0]).toMatchObject({ file: 'menu.flow.yaml', line: 3 });
    expect((await play({ name: 'nothing' })).status).toBe(404);
    expect((await play({ web: true })).status).toBe(400);
  });
});

describe('the tests of a flow', () => {
  it('plays tests against the saved or the sent text, with paths and counts', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    writeFileSync(join(rig.directory, 'menu.test.yaml'), TEST);
    const run = (more: JsonObject = {}) => admin('POST', '/flows/menu/tests/run', more);
    const passed = await run();
    expect(passed.status).toBe(200);
    expect(passed.body).toMatchObject({
      reports: [
        {
          file: 'menu.test.yaml',
          name: 'the first choice',
          ok: true,
          path: [{ step: 'ask', outcome: 'one' }, { step: 'one' }],
        },
      ],
      coverage: { steps: { ask: 1, one: 1 }, exits: { 'ask one': 1 } },
    });
    const failed = await run({ text: menu('The first.').replace('one: one', 'one: two') });
    expect(failed.body).toMatchObject({
      reports: [
        { ok: false, expected_path: ['ask', 'one'], path: [{ step: 'ask' }, { step: 'two' }], failures: [{ line: 3 }] },
      ],
    });
    const unsaved = await run({ tests: { 'menu.test.yaml': TEST.replace('path: [ask, one]', 'path: [ask]') } });
    expect(unsaved.body).toMatchObject({ reports: [{ ok: false, failures: [{ line: 4, what: 'the path' }] }] });
    expect((await run({ filter: 'nothing' })).body).toMatchObject({ reports: [] });
    expect((await run({ tests: { 'x.test.yaml': 'test: x' } })).body).toMatchObject({
      reports: [{ ok: true }, { file: 'x.test.yaml', ok: false, diagnostics: [{ severity: 'error' }] }],
    });
  });
});

describe('a replay', () => {
  it('reports which recent calls would take another path now, and from which step', async () => {
    const { rig, admin } = await administered({
      config: 'numbers: [{ number: "1001", flow: menu }]\n',
      flows: FLOWS,
    });
    for (const key of ['1', '2']) {
      const caller = rig.call('1001');
      await rig.pass(3000);
      caller.press(key);
      await rig.pass(10_000);
    }
    const replay = async (more: JsonObject = {}) => (await admin('POST', '/flows/menu/replay', more)).body;
    expect(await replay()).toMatchObject({ results: [{ same: true, same_version: true }, { same: true }] });
    const { results } = await replay({ text: menu('The first.').replace('two: two', 'two: one') });
    expect(results).toMatchObject([
      { same: false, first_difference: { level: 'routes', step: 'ask', line: 6 } },
      { same: true },
    ]);
    const [{ voice_id }] = results as [{ voice_id: string }];
    expect(await replay({ calls: [voice_id] })).toMatchObject({ results: [{ voice_id, same: true }] });
    expect(await replay({ calls: 1 })).toMatchObject({ results: [{ voice_id }] });
    expect((await admin('POST', '/flows/menu/replay', { calls: ['nobody'] })).status).toBe(404);
  });
});

describe('a call', () => {
  it('is converted to a test that passes, without the number of the caller', async () => {
    const { rig, admin } = await administered({ config: 'numbers: [{ number: "1001", flow: menu }]\n', flows: FLOWS });
    const caller = rig.call('1001', '+4930123456');
    await rig.pass(5000);
    caller.press('2');
    await rig.pass(10_000);
    const { results } = (await admin('POST', '/flows/menu/replay', {})).body as { results: JsonObject[] };
    const order = { voice_id: results[0]!['voice_id'], test: 'the second choice' };
    const { status, body } = await admin('POST', '/flows/menu/tests/take-over', order);
    expect(status).toBe(200);
    expect(body).toMatchObject({ to_fill: [], lacks: [], report: { ok: true, name: 'the second choice' } });
    expect(body['text']).toContain('press: "2"');
    expect(body['text']).not.toContain('4930123456');
    const run = await admin('POST', '/flows/menu/tests/run', { tests: { 'x.test.yaml': body['text'] } });
    expect(run.body).toMatchObject({ reports: [{ ok: true }], coverage: { exits: { 'ask two': 1 } } });
  });

  it('finds the shortest path to a step that a test knows', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    writeFileSync(join(rig.directory, 'menu.test.yaml'), TEST);
    const way = async (step: string) => (await admin('POST', '/flows/menu/way', { step })).body;
    const found = await way('one');
    expect(found).toMatchObject({
      found: true,
      file: 'menu.test.yaml',
      form: { script: [{ hear: 'ask' }, { press: '1' }] },
    });
    const there = await admin('POST', '/flows/simulate', {
      name: 'menu',
      breakpoints: ['one'],
      ...(found['form'] as JsonObject),
    });
    expect(there.body).toMatchObject({ stopped_at: { step: 'one' } });
    expect(await way('two')).toEqual({ found: false });
    expect(await way('nowhere')).toEqual({ found: false });
  });

  it('finds a path to an exit that no test takes, by trying actions of a caller', async () => {
    const { rig, admin } = await administered({ flows: FLOWS });
    writeFileSync(join(rig.directory, 'menu.test.yaml'), TEST);
    const search = async (more: JsonObject) => (await admin('POST', '/flows/menu/way', { search: true, ...more })).body;
    const found = await search({ step: 'ask', outcomes: ['two'] });
    expect(found).toMatchObject({ found: true, form: { script: [{ press: '2' }] } });
    expect(found).not.toHaveProperty('file');
    const played = await admin('POST', '/flows/simulate', {
      name: 'menu',
      until: 'quiet',
      ...(found['form'] as JsonObject),
    });
    expect(played.body).toMatchObject({ heard: [{ name: 'ask' }, { text: 'The second.' }] });
    expect(await search({ step: 'two' })).toMatchObject({ found: true });
    const none = await search({ step: 'one', outcomes: ['error'] });
    expect(none).toMatchObject({ found: false, tried: expect.any(Number) });
    const broken = await admin('POST', '/flows/menu/way', { step: 'ask', outcomes: [] });
    expect(broken.status).toBe(400);
  });
});

describe('access without credentials', () => {
  it('returns 404 without a configured administrator, and 401 without credentials', async () => {
    const paths = [
      '/flows/simulate',
      '/flows/menu/tests/run',
      '/flows/menu/replay',
      '/flows/menu/tests/take-over',
      '/flows/menu/way',
    ];
    const closed = await openRig({ config: NUMBERS });
    const { rig } = await administered();
    for (const path of paths) {
      expect((await closed.request('POST', `/admin/v1${path}`, {})).status, path).toBe(404);
      for (const options of [{}, { as: false as const }]) {
        expect((await rig.request('POST', `/admin/v1${path}`, {}, options)).status, path).toBe(401);
      }
    }
  });
});
