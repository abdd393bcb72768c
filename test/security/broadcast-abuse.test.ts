/** Broadcasts against malicious or curious users: one order stands for 100,000 calls. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { BROADCAST, broadcastInTalk, CALLEE_NUMBERS, createBroadcast, reportOf, rowsOf } from '../api/broadcast-rig.ts';
import { ApiRig, type ApiRigOptions, OTHER } from '../api/rig.ts';

const DO_NOT_CALL = '/voice/v1/do-not-call';

let rig: ApiRig;
const open = async (options: ApiRigOptions = {}) => {
  rig = await ApiRig.open({ ...options, config: NUMBERS + (options.config ?? '') });
};
afterEach(async () => {
  await rig.close();
});

const NUMBERS = `
numbers:
  - { number: "1000", project: shop }
  - { number: "3000", project: other }
`;

const order = (more: JsonObject): JsonObject => ({ from: '1000', broadcast_numbers_array: ['+33612345678'], ...more });

describe('logs of the do-not-call list', () => {
  beforeEach(() => open());

  it('never contains a number of the do-not-call list', async () => {
    const phone = '+33612345678';
    await rig.request('POST', DO_NOT_CALL, { numbers: [phone] });
    for (const written of [phone, '%2B33612345678', '33612345678']) {
      await rig.request('GET', `${DO_NOT_CALL}/${written}`);
      await rig.request('GET', `/VOICE/v1/Do-Not-Call/${written}/`);
    }
    await rig.request('DELETE', `${DO_NOT_CALL}/${phone}`);
    await rig.request('PUT', `${DO_NOT_CALL}/${phone}`);
    expect(rig.logLines.filter(({ message }) => message === 'api.answered').length).toBeGreaterThan(6);
    expect(JSON.stringify(rig.logLines)).not.toContain('33612345678');
  });
});

describe('data of the order', () => {
  const FLOWS = {
    survey: `
flow: survey
input: { pin: { type: string, sensitive: true }, name: { type: string, default: x }, text: { type: string, default: x } }
start: ask
steps:
  ask: { play: "Hello \${input.name}, your code is \${input.pin}", exits: { done: bye, error: bye } }
  bye: { hangup: {} }
`,
  };
  beforeEach(() => open({ flows: FLOWS }));

  it('leaves no sensitive value in journals, reports, events and logs, with detection too', async () => {
    const orders: JsonObject[] = [{}, { amd: { on_machine: { flow: 'survey', input: { pin: '77665544' } } } }];
    for (const more of orders) {
      const { app_instance: id } = await createBroadcast(rig, {
        flow: 'survey',
        input: { name: 'Ann', pin: '99887711' },
        broadcast_numbers_array: [
          { phone: CALLEE_NUMBERS.talks, pin: '55443322' },
          { phone: CALLEE_NUMBERS.machine, pin: '11223344' },
        ],
        ...more,
      });
      await rig.pass(120_000);
      const rows = await rowsOf(rig, String(id));
      expect(rows.map(({ state }) => state)).toEqual(['disconnected', 'disconnected']);
      const journals = await Promise.all(rows.map(({ voice_id: callId }) => rig.store.calls.journal(String(callId))));
      expect(journals.every((journal) => journal.length > 5)).toBe(true);
      const all = JSON.stringify([journals, rows, rig.received, rig.logLines]);
      for (const secret of ['55443322', '11223344', '99887711', '77665544']) expect(all).not.toContain(secret);
    }
  });

  it('is refused if a hundred thousand calls could not store it', async () => {
    const text = 'x'.repeat(40_000);
    const told = await rig.request('POST', BROADCAST, order({ flow: 'survey', input: { pin: '1', text } }));
    expect([told.status, told.body['result']]).toEqual([422, 422]);
    expect(told.body['error_description']).toMatch(/input.*larger than/);
    const machine = { on_machine: { flow: 'survey', input: { pin: '1', text } } };
    expect(
      (await rig.request('POST', BROADCAST, order({ flow: 'survey', input: { pin: '1' }, amd: machine }))).status,
    ).toBe(422);
    expect(
      (await rig.request('POST', BROADCAST, order({ flow: 'survey', input: { pin: '1', text: 'short' } }))).status,
    ).toBe(200);
  });
});

describe('a list inside a string', () => {
  beforeEach(() => open());

  it('has the same limit of brackets as a body, in any notation', async () => {
    const text = `[${'{},'.repeat(450_000)}1]`.replaceAll('{', '\\u007b');
    const { status, body } = await rig.request('POST', BROADCAST, `{"from": "1000", "broadcast_numbers": "${text}"}`);
    expect(status).toBe(400);
    expect(body['error_description']).toMatch(/too many lists and objects/);
  });
});

describe('property names of JavaScript objects', () => {
  beforeEach(() => open());

  it('are accepted as ordinary names', async () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
    const odd = `{${names.map((name) => `"${name}": 7`).join(', ')}}`;
    const body = `{"from": "1000", "call_param": ${odd}, "amd": ${odd}, "action_on_connect": ${odd}, "broadcast_numbers_array": [{"phone": "${CALLEE_NUMBERS.talks}", ${odd.slice(1)}], ${odd.slice(1)}`;
    const made = await rig.request('POST', BROADCAST, JSON.parse(body) as JsonObject);
    expect([200, 400]).toContain(made.status);
    for (const name of names) {
      for (const route of [`${BROADCAST}/${name}`, `${DO_NOT_CALL}/${name}`]) {
        expect((await rig.request('GET', route)).status).toBe(404);
      }
      expect((await rig.request('GET', `${BROADCAST}?${name}=1`)).status).toBe(400);
      const named = name === '__proto__' ? 'hasOwn' : name;
      expect((await rig.request('POST', BROADCAST, order({ flow: named }))).status).toBe(404);
      const window = order({ call_param: { window: name } });
      expect((await rig.request('POST', BROADCAST, window)).status).toBe(422);
    }
  });
});

describe('concurrent broadcasts of a project', () => {
  it('are limited also for simultaneous requests, and finished broadcasts free their slot', async () => {
    await open({ config: 'broadcasts: { project: { max_broadcasts: 3 } }' });
    const ask = () => rig.request('POST', BROADCAST, order({ broadcast_numbers_array: [CALLEE_NUMBERS.silent] }));
    const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 503, 503]);
    const refused = answers.find(({ status }) => status === 503)!.body;
    expect(refused).toMatchObject({ state: 'failed', result: 503 });
    expect(refused['error_description']).toMatch(/3 active broadcasts/);
    // Wrong credentials occupy no slot.
    const made = answers.find(({ status }) => status === 200)!.body;
    await rig.request('DELETE', `${BROADCAST}/${made['app_instance']}`);
    await rig.pass(120_000);
    expect((await rig.request('POST', BROADCAST, order({ broadcast_numbers_array: ['nobody'] }))).status).toBe(400);
    expect((await ask()).status).toBe(200);
  });
});

describe('a user of another project', () => {
  beforeEach(() => open());

  it('gets no data of a broadcast, and cannot change it', async () => {
    const { id, call } = await broadcastInTalk(rig);
    expect((await rig.request('POST', BROADCAST, order({}), { as: OTHER })).body['result']).toBe(6118);
    const { next } = await reportOf(rig, id, '?limit=1');
    const asks: [string, string, JsonObject?][] = [
      ['GET', `${BROADCAST}/${id}`],
      ['GET', `${BROADCAST}/${id}?limit=0`],
      ['GET', `${BROADCAST}/${id}?cursor=${String(next ?? 'PjE')}`],
      ['DELETE', `${BROADCAST}/${id}`],
      ['DELETE', `${BROADCAST}/${id}?hangup=true`],
      ['PUT', `${BROADCAST}/${id}/call/${call}/play`, { play: { text: 'x' } }],
      ['PUT', `${BROADCAST}/${id}/call/${call}/connect`, { connect: { to: '2' } }],
      ['DELETE', `${BROADCAST}/${id}/call/${call}`],
      ['PUT', `${BROADCAST}/${id}/play`, { voice_id: call, play: { text: 'x' } }],
      ['POST', `${BROADCAST}/${id}`, { voice_id: call, play: { text: 'x' } }],
    ];
    for (const [method, path, body] of asks) {
      const { status, text } = await rig.request(method, path, body, { as: OTHER });
      expect([method, path, status]).toEqual([method, path, 404]);
      expect(text).not.toContain(CALLEE_NUMBERS.talks);
    }
    const { body: list } = await rig.request('GET', BROADCAST, undefined, { as: OTHER });
    expect(list['broadcasts']).toEqual([]);
    const { text: after } = await rig.request('GET', `${BROADCAST}?cursor=${id}`, undefined, { as: OTHER });
    expect(after).not.toContain(id);
    const { text: calls } = await rig.request('GET', `/voice/v1/call?app_instance=${id}`, undefined, { as: OTHER });
    expect(calls).not.toContain(CALLEE_NUMBERS.talks);
    await rig.request('POST', DO_NOT_CALL, { number: '+33612345678' });
    expect((await rig.request('GET', `${DO_NOT_CALL}/33612345678`, undefined, { as: OTHER })).status).toBe(404);
    expect((await rig.request('DELETE', `${DO_NOT_CALL}/33612345678`, undefined, { as: OTHER })).status).toBe(404);
    expect((await reportOf(rig, id))['state']).toBe('running');
  });
});

describe('long lists', () => {
  it('are stored in chunks for the do-not-call list, all or none if one is invalid', async () => {
    await open();
    const add = rig.store.broadcasts.doNotCall.add;
    const pieces: number[] = [];
    rig.store.broadcasts.doNotCall.add = (projectId, keys, atMs) => {
      pieces.push(keys.length);
      return add(projectId, keys, atMs);
    };
    const numbers = Array.from({ length: 3500 }, (_, index) => `+3361${String(index).padStart(7, '0')}`);
    expect((await rig.request('POST', DO_NOT_CALL, { numbers: [...numbers, 'nobody'] })).body['numbers']).toEqual([
      expect.objectContaining({ index: 3500 }),
    ]);
    expect(pieces).toEqual([]);
    const again = [...numbers, ...numbers];
    expect((await rig.request('POST', DO_NOT_CALL, { numbers: again })).body['added']).toBe(3500);
    expect(pieces).toEqual([1000, 1000, 1000, 500]);
  });

  it('are read in chunks, without duplicates, for lists of broadcasts', async () => {
    await open({ config: 'limits: { request_burst: 1000 }' });
    const { broadcasts } = rig.store;
    const { list } = broadcasts;
    const pieces: number[] = [];
    broadcasts.list = (query) => {
      pieces.push(query.limit);
      return list(query);
    };
    const made: unknown[] = [];
    for (let at = 0; at < 45; at++)
      made.unshift((await rig.request('POST', BROADCAST, order({}))).body['app_instance']);
    const ids = ({ body }: { body: JsonObject }) =>
      (body['broadcasts'] as JsonObject[]).map(({ app_instance: id }) => id);
    const first = await rig.request('GET', `${BROADCAST}?limit=40`);
    expect(ids(first)).toEqual(made.slice(0, 40));
    expect(pieces).toEqual([20, 20, 1]);
    const next = await rig.request('GET', `${BROADCAST}?limit=5&cursor=${String(first.body['next'])}`);
    expect(ids(next)).toEqual(made.slice(40));
    expect(next.body['next']).toBeUndefined();
    expect(ids(await rig.request('GET', BROADCAST))).toEqual(made);
  });
});
