/** Broadcasts over HTTP with simulated calls: created, followed, controlled and stopped as documented. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { errorBody, toApiError } from '../../src/service/api/api-error.ts';
import { CallError } from '../../src/service/calls/call-error.ts';
import { BROADCAST, broadcastInTalk, CALLEE_NUMBERS, createBroadcast, reportOf, rowsOf } from './broadcast-rig.ts';
import { ApiRig, type ApiRigOptions, OTHER, SHOP, UNSPOKEN } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const HELLO = { text: 'Hello there', voice: 'female', language: 'en-US' };
const NO_RETRIES = { call_param: { number_of_retries: 0 } };
const ids = (id: unknown) => ({ app_instance: id, broadcast_id: id, appInstance: id });
/** One service for requests that change nothing in it. */
function shared(options: ApiRigOptions = {}): { readonly rig: ApiRig } {
  const kept = {} as { rig: ApiRig };
  beforeAll(async () => {
    kept.rig = await ApiRig.open({ config: NUMBERS, ...options });
  });
  afterAll(async () => {
    await kept.rig.close();
    expect(kept.rig.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });
  return kept;
}

const named = ({ body }: { body: JsonObject }) => String(body['playstate'] ?? body['state'] ?? body['event']);

describe('POST /broadcast', () => {
  it('returns the id under all its names, and the result of reading the list', async () => {
    const rig = await openRig();
    const body = await createBroadcast(rig, {
      owner_ref: 42,
      broadcast_numbers_array: ['+33 6 12', '33-612', '2000', { phone: '2000', name: 'Ada' }],
    });
    const id = body['app_instance'];
    expect(body).toEqual({
      ...ids(id),
      application_name: 'reminder',
      owner_ref: '42',
      state: 'initiated',
      status: 'initiated',
      numbers: 2,
      duplicates: 2,
      msg: 'ignored without a flow: name',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(id).toEqual(expect.any(String));
  });

  it('sends the response before the first event of the broadcast and of its calls', async () => {
    const rig = await openRig();
    const seen: string[] = [];
    rig.answerEvent = (told) => {
      seen.push(named(told));
      return { status: 200 };
    };
    const asked = createBroadcast(rig).then(() => seen.push('response'));
    await rig.pass(3000);
    await asked;
    expect(seen.slice(0, 3)).toEqual(['response', 'initiated', 'ringing']);
  });

  it('reports initiated, the calls with the broadcast they belong to, and broadcastcomplete', async () => {
    const rig = await openRig();
    const { app_instance: id } = await createBroadcast(rig, {
      owner_ref: 'r',
      broadcast_numbers_array: [CALLEE_NUMBERS.talks, CALLEE_NUMBERS.busy],
      ...NO_RETRIES,
    });
    await rig.pass(60_000);
    const told = rig.events();
    expect(told.map((one) => one['state'])).toEqual(
      expect.arrayContaining(['initiated', 'ringing', 'connected', 'disconnected', 'broadcastcomplete']),
    );
    for (const one of told) expect(one).toMatchObject({ ...ids(id), owner_ref: 'r' });
    expect(told[0]).toEqual({ ...ids(id), application_name: 'reminder', state: 'initiated', owner_ref: 'r' });
    expect(told.at(-1)).toEqual({
      ...ids(id),
      application_name: 'reminder',
      state: 'broadcastcomplete',
      resultset: { successfull_calls: 1, failed_calls: 1 },
      resultSet: { successfull_calls: 1, failed_calls: 1 },
      owner_ref: 'r',
    });
    expect(told.filter(({ voice_id: call }) => call !== undefined)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ state: 'connected', to: CALLEE_NUMBERS.talks }),
        expect.objectContaining({ state: 'disconnected', to: CALLEE_NUMBERS.busy, disconnect_reason: 'User Busy' }),
      ]),
    );
  });

  it('reports calls to call_handler_url, and the broadcast to event_url', async () => {
    const rig = await openRig();
    await createBroadcast(rig, { event_url: null, callhandler_url: rig.webhookUrl });
    await rig.pass(60_000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'disconnected']);
  });

  it('controls its calls by answers to their events, and ignores answers to events of the broadcast', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    rig.answerEvent = ({ body: { state } }) =>
      state === 'connected' || state === 'initiated'
        ? { status: 200, body: JSON.stringify({ play: HELLO }) }
        : { status: 200, body: '{"dance": true}' };
    await createBroadcast(rig, { broadcast_numbers: '2000', call_param: { idle_timeout: 1 } });
    await rig.pass(20_000);
    expect(rig.eventNames()).toEqual([
      'initiated',
      'ringing',
      'connected',
      'playfinished',
      'disconnected',
      'broadcastcomplete',
    ]);
  });

  it('passes the data of each number to its flow', async () => {
    const flow =
      'flow: remind\ninput: { name: { type: string } }\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: "Hello ${ input.name }", next: $end } }\n';
    const rig = await openRig({ flows: { remind: flow } });
    const numbers = JSON.stringify([
      { phone: CALLEE_NUMBERS.talks, name: 'Ada' },
      { phone: '2000', name: 'Grace' },
    ]);
    expect((await createBroadcast(rig, { flow: 'remind', broadcast_numbers_json: numbers }))['msg']).toBe('');
    await rig.pass(20_000);
    const heard = (to: string) => rig.farEnd(to).heard.map(({ item }) => (item.type === 'speech' ? item.text : ''));
    expect([heard(CALLEE_NUMBERS.talks), heard('2000')]).toEqual([['Hello Ada'], ['Hello Grace']]);
  });
});

describe('POST /broadcast with an invalid request', () => {
  const kept = shared();

  it.each<[string, JsonObject, number, JsonObject]>([
    ['a wrong CLI', { from: '5555' }, 400, { error_description: expect.stringContaining('5555') }],
    ["another project's CLI", { from: '3000' }, 400, { error_description: expect.stringContaining('3000') }],
    ['a CLI that is none', { from: 'sip:x@y' }, 400, {}],
    ['no numbers', { broadcast_numbers: [] }, 400, { error_description: 'the list of numbers is empty or missing' }],
    ['two lists', { broadcast_numbers_json: '["1"]', broadcast_numbers_array: ['1'] }, 400, {}],
    ['a text that is no list', { broadcast_numbers_json: '{}' }, 400, { hint: expect.any(String) }],
    [
      'numbers that nobody can call',
      { broadcast_numbers: ['1', '١٢٣', { phone: 'nobody' }] },
      400,
      {
        numbers: [
          { index: 1, value: '١٢٣', message: expect.any(String) },
          { index: 2, value: 'nobody', message: expect.any(String) },
        ],
      },
    ],
    ['an unknown flow', { flow: 'nobody-wrote-it' }, 404, { result: 6110 }],
    ['a flow that does not compile', { flow: { flow: 'x' } }, 422, { diagnostics: expect.any(Array) }],
    ['an unknown prompt', { action_on_connect: { play: { prompt_name: 'nothing' } } }, 400, {}],
    [
      'a voice that is not there',
      { action_on_connect: { play: { ...HELLO, language: UNSPOKEN } } },
      406,
      { result: 6117 },
    ],
    ['a message for machines that is not there', { amd: { on_machine: { play: { prompt_name: 'no' } } } }, 400, {}],
    [
      'an event_url inside',
      { event_url: 'http://10.0.0.1/' },
      400,
      { error_description: expect.stringMatching(/^event_url/) },
    ],
    [
      'a call_handler_url inside',
      { callhandler_url: 'http://169.254.169.254/' },
      400,
      { error_description: expect.stringMatching(/^call_handler_url/) },
    ],
    ['an unknown schedule', { call_param: { window: 'nobodys' } }, 422, {}],
  ])('refuses %s with the error body of broadcasts, and dials no number', async (_what, more, status, said) => {
    const { rig } = kept;
    const body = { application_name: 'reminder', from: '1000', event_url: rig.webhookUrl, ...more };
    const list = Object.keys(more).some((key) => key.startsWith('broadcast')) ? {} : { broadcast_numbers: ['2000'] };
    const answer = await rig.request('POST', BROADCAST, { ...body, ...list });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      application_name: 'reminder',
      state: 'failed',
      error_description: expect.any(String),
      timestamp: expect.any(String),
      ...said,
    });
    await rig.pass(1000);
    expect([rig.farEnds, rig.received]).toEqual([[], []]);
    expect((await rig.request('GET', BROADCAST)).body['broadcasts']).toEqual([]);
  });

  it('returns 401 without credentials, before it reads the body', async () => {
    const { rig } = kept;
    for (const body of ['{"broken', 'x'.repeat(11 * 2 ** 20)]) {
      const answer = await rig.request('POST', BROADCAST, body, { as: false });
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ state: 'failed', error_description: 'not authorized' });
    }
  });
});

describe('bodies of broadcasts', () => {
  const kept = shared();
  const broadcast = (numbers: unknown) => JSON.stringify({ from: '5555', broadcast_numbers: numbers });

  it('accepts bodies of up to 10 MiB, where other routes accept 1 MiB', async () => {
    const { rig } = kept;
    const numbers = Array.from({ length: 100_000 }, (_, index) => ({
      phone: `+336${String(index).padStart(8, '0')}`,
      name: `Customer ${index}`,
      note: 'x'.repeat(45),
    }));
    const text = broadcast(numbers);
    expect(text.length).toBeGreaterThan(9.9 * 2 ** 20);
    expect(text.length).toBeLessThan(10 * 2 ** 20);
    const taken = await rig.request('POST', BROADCAST, text);
    expect([taken.status, taken.body['error_description']]).toEqual([400, '5555 is not a number of this project']);
    const larger = await rig.request('POST', BROADCAST, text + ' '.repeat(2 ** 20));
    expect([larger.status, larger.body['state'], larger.headers.get('connection')]).toEqual([413, 'failed', 'close']);
    const elsewhere = JSON.stringify({ text: 'x'.repeat(1_100_000) });
    for (const path of [`${BROADCAST}/x`, `${BROADCAST}/x/play`, '/voice/v1/do-not-call', '/voice/v1/call']) {
      const { status } = await rig.request(path.endsWith('play') ? 'PUT' : 'POST', path, elsewhere);
      expect(status).toBe(413);
    }
  });

  it.each<[string, string]>([
    ['is broken', '{"from": "1000", "broadcast_numbers": ["1",'],
    ['is a list', '["1"]'],
    ['is deep', `{"from": "1000", "broadcast_numbers": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['is deep inside a text', broadcast(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    [
      'is deep where nobody looks',
      `{"from": "5555", "x": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "broadcast_numbers": ["1"]}`,
    ],
    ['is a maze', `{"from": "1000", "broadcast_numbers": [${'[],'.repeat(1_000_000)}[]]}`],
    ['has a list of lists', broadcast([[['1']]])],
    ['has its fields in its prototype', '{"__proto__": {"from": "1000", "broadcast_numbers": ["1"]}}'],
    ['has too many numbers', broadcast(Array.from({ length: 100_001 }, (_, index) => index))],
    ['names its prototype by other letters', '{"\\u005f_proto__": {"from": "1000", "broadcast_numbers": ["1"]}}'],
  ])('are refused when one %s', async (_what, text) => {
    const { rig } = kept;
    const { status, body } = await rig.request('POST', BROADCAST, text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ state: 'failed', error_description: expect.any(String) });
  });

  it('uses the last value of a key that occurs twice', async () => {
    const rig = await openRig();
    const text = '{"from": "5555", "broadcast_numbers": ["x"], "from": "1000", "broadcast_numbers": ["1", "2"]}';
    expect((await rig.request('POST', BROADCAST, text)).body).toMatchObject({ state: 'initiated', numbers: 2 });
  });

  it('reads at most two large bodies of a project at a time, without delaying other projects', async () => {
    const { rig } = kept;
    const slow = [1, 2].map(() => half(rig));
    await Promise.all(slow.map(({ begun }) => begun));
    const large = broadcast(['x'.repeat(2 ** 20)]);
    const third = await rig.request('POST', BROADCAST, large);
    expect([third.status, third.headers.get('retry-after'), third.body['state']]).toEqual([429, '1', 'failed']);
    expect((await rig.request('POST', BROADCAST, large, { as: OTHER })).status).toBe(400);
    expect((await rig.request('POST', BROADCAST, broadcast(['1']))).status).toBe(400);
    for (const { abandon } of slow) await abandon();
    await rig.settle();
    expect((await rig.request('POST', BROADCAST, large)).status).toBe(400);
  });

  /** Starts a request whose body is not completed. */
  function half(rig: ApiRig): { begun: Promise<void>; abandon(): Promise<void> } {
    const begins = request(rig.base + BROADCAST, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${SHOP.id}:${SHOP.key}`).toString('base64')}`,
        'content-type': 'application/json',
        'content-length': 2 * 2 ** 20,
        expect: '100-continue',
      },
    });
    begins.on('error', () => undefined);
    const begun = new Promise<void>((resolve) => {
      begins.once('continue', () => begins.write('{', () => resolve()));
    });
    begins.flushHeaders();
    const closed = new Promise<void>((resolve) => begins.once('close', resolve));
    return {
      begun,
      abandon() {
        begins.destroy();
        return closed;
      },
    };
  }
});

describe('GET /broadcast/{app_instance}', () => {
  it('shows the state and the result of each number', async () => {
    const rig = await openRig();
    const { app_instance: id } = await createBroadcast(rig, {
      owner_ref: 'r',
      broadcast_numbers_array: Object.values(CALLEE_NUMBERS),
      amd: true,
      call_param: { number_of_retries: 1, interval_between_retries: 30, ring_timeout: 20 },
    });
    await rig.pass(900);
    expect((await rowsOf(rig, String(id))).map(({ state }) => state)).toEqual([
      'ringing',
      'queued',
      'ringing',
      'disconnected',
      'connected',
    ]);
    await rig.pass(1500);
    const [talks, busy] = await rowsOf(rig, String(id));
    expect(talks).toMatchObject({ state: 'connected', attempts: 1, connected: expect.any(String) });
    expect(busy).toMatchObject({
      state: 'queued',
      attempts: 1,
      last_result: { code: 'failed', reason: 'Busy', cause: 17 },
    });
    expect(busy).not.toHaveProperty('result');
    await rig.pass(120_000);
    const { result_set: rows, totals, ...head } = await reportOf(rig, String(id));
    expect(head).toEqual({
      ...ids(id),
      application_name: 'reminder',
      owner_ref: 'r',
      state: 'completed',
      created: expect.any(String),
      started: expect.any(String),
      ended: expect.any(String),
      timestamp: expect.any(String),
    });
    const row = (phone: string, code: string, reason: string, attempts: number) =>
      expect.objectContaining({
        dialed_number: phone,
        state: 'disconnected',
        result: expect.objectContaining({ code, reason }),
        attempts,
        voice_id: expect.any(String),
        timestamp: expect.any(String),
      });
    expect(rows).toEqual([
      row(CALLEE_NUMBERS.talks, 'success', 'success', 1),
      row(CALLEE_NUMBERS.busy, 'failed', 'Busy', 2),
      row(CALLEE_NUMBERS.silent, 'failed', 'No Answer', 2),
      row(CALLEE_NUMBERS.declines, 'failed', 'Call Rejected', 1),
      row(CALLEE_NUMBERS.machine, 'failed', 'AMD', 1),
    ]);
    expect((rows as JsonObject[]).map(({ answered_by: who }) => who)).toEqual([
      expect.stringMatching(/human|unknown/),
      undefined,
      undefined,
      undefined,
      'machine',
    ]);
    expect((rows as JsonObject[])[0]).toMatchObject({ call_duration: expect.any(Number) });
    expect(totals).toEqual({
      numbers: 5,
      queued: 0,
      ringing: 0,
      connected: 0,
      disconnected: 5,
      success: 1,
      failed: 4,
      attempts: 7,
      reasons: { success: 1, Busy: 1, 'No Answer': 1, 'Call Rejected': 1, AMD: 1 },
    });
  });

  it('returns every number once, in the given order, in pages during the broadcast', async () => {
    const rig = await openRig({ callee: { does: 'answer', afterMs: 500, talkMs: 2000 } });
    const numbers = Array.from({ length: 1234 }, (_, index) => `+3361${String(index).padStart(7, '0')}`);
    const { app_instance: id } = await createBroadcast(rig, { broadcast_numbers_array: numbers, event_url: null });
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      await rig.pass(1000);
      const page = await reportOf(rig, String(id), `?limit=100${cursor}`);
      seen.push(...(page['result_set'] as JsonObject[]).map(({ dialed_number: phone }) => String(phone)));
      const { numbers: all, queued, ringing, connected, disconnected } = page['totals'] as Record<string, number>;
      expect([all, queued! + ringing! + connected! + disconnected!]).toEqual([1234, 1234]);
      if (page['next'] === undefined) break;
      cursor = `&cursor=${String(page['next'])}`;
    }
    expect(seen).toEqual(numbers);
    // The list is longer than one page.
    expect((await rowsOf(rig, String(id))).map(({ dialed_number: phone }) => phone)).toEqual(numbers);
    const [first, rest] = [
      await reportOf(rig, String(id), '?limit=700'),
      await reportOf(rig, String(id), `?cursor=${(await reportOf(rig, String(id), '?limit=700'))['next']}`),
    ].map((page) => page['result_set'] as JsonObject[]);
    expect([first!.length, rest!.length]).toEqual([700, 534]);
    await rig.request('DELETE', `${BROADCAST}/${id}`, { hangup: true });
    await rig.pass(5000);
  });

  it('filters by state, code, reason or number, and returns the totals alone on request', async () => {
    const rig = await openRig();
    const { app_instance: id } = await createBroadcast(rig, {
      broadcast_numbers_array: ['+33 6 20', ...Object.values(CALLEE_NUMBERS)],
      ...NO_RETRIES,
    });
    await rig.pass(100_000);
    const phones = async (query: string) => (await rowsOf(rig, String(id), query)).map((row) => row['dialed_number']);
    expect(await phones('?code=failed&state=disconnected')).toEqual([
      CALLEE_NUMBERS.busy,
      CALLEE_NUMBERS.silent,
      CALLEE_NUMBERS.declines,
    ]);
    expect(await phones('?code=SUCCESS')).toEqual(['+33 6 20', CALLEE_NUMBERS.talks, CALLEE_NUMBERS.machine]);
    expect(await phones('?reason=No%20Answer')).toEqual([CALLEE_NUMBERS.silent]);
    expect(await phones('?reason=no-such-reason')).toEqual([]);
    expect(await phones('?state=queued')).toEqual([]);
    for (const written of ['33620', '+33620', '%2B33-6.20', '33%20620']) {
      expect(await phones(`?number=${written}`)).toEqual(['+33 6 20']);
    }
    const { totals, ...rest } = await reportOf(rig, String(id), '?limit=0');
    expect(rest).toMatchObject({ result_set: [] });
    expect(rest).not.toHaveProperty('next');
    expect(totals).toMatchObject({ numbers: 6, disconnected: 6 });
  });
});

describe('a report', () => {
  const kept = shared();

  it.each([
    'limit=-1',
    'limit=10001',
    'limit=x',
    'limit=1e3',
    'cursor=nobodys',
    'cursor=%00',
    'state=over',
    'code=perhaps',
    'page=2',
  ])('?%s is refused, and says what is wrong', async (query) => {
    const { rig } = kept;
    const { app_instance: id } = await createBroadcast(rig);
    const { status, body } = await rig.request('GET', `${BROADCAST}/${id}?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ ...ids(id), state: 'failed', error_description: expect.any(String) });
  });

  it('has a Content-Length, however long it is', async () => {
    const { rig } = kept;
    const { app_instance: id } = await createBroadcast(rig);
    const { headers, text } = await rig.request('GET', `${BROADCAST}/${id}`);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('GET /broadcast', () => {
  it('lists broadcasts of the project, newest first, in pages', async () => {
    const rig = await openRig();
    const made: unknown[] = [];
    for (const application_name of ['one', 'two', 'three']) {
      made.unshift((await createBroadcast(rig, { application_name }))['app_instance']);
      await rig.pass(20_000);
    }
    const first = (await rig.request('GET', `${BROADCAST}?limit=2`)).body;
    const second = (await rig.request('GET', `${BROADCAST}?limit=2&cursor=${String(first['next'])}`)).body;
    const rows = [...(first['broadcasts'] as JsonObject[]), ...(second['broadcasts'] as JsonObject[])];
    expect(rows.map((row) => row['app_instance'])).toEqual(made);
    expect(rows[0]).toMatchObject({ ...ids(made[0]), application_name: 'three', state: 'completed', numbers: 1 });
    expect(second).not.toHaveProperty('next');
    expect((await rig.request('GET', BROADCAST, undefined, { as: OTHER })).body['broadcasts']).toEqual([]);
    expect((await rig.request('GET', `${BROADCAST}?limit=0`)).status).toBe(400);
  });
});

describe('DELETE /broadcast/{app_instance}', () => {
  const MANY = {
    broadcast_numbers_array: ['20001', '20011', '20021'],
    call_param: { max_concurrent: 1, idle_timeout: 600 },
  };

  it('dials no further numbers, lets live calls finish, and reports the end after them', async () => {
    const rig = await openRig();
    const { id } = await broadcastInTalk(rig, MANY);
    const { status, body } = await rig.request('DELETE', `${BROADCAST}/${id}`);
    expect([status, body]).toMatchObject([
      200,
      { ...ids(id), application_name: 'reminder', state: 'stopped', status: 'success', numbers: 3 },
    ]);
    await rig.pass(60_000);
    expect(rig.farEnds).toHaveLength(1);
    expect(rig.events().at(-1)).toMatchObject({
      state: 'broadcastcomplete',
      stopped: true,
      resultset: { successfull_calls: 1, failed_calls: 2 },
    });
    expect((await rowsOf(rig, id)).map(({ result }) => (result as JsonObject)['reason'])).toEqual([
      'success',
      'Broadcast Stopped',
      'Broadcast Stopped',
    ]);
  });

  it.each<[string, string, JsonObject | undefined]>([
    ['hangup: true', '', { hangup: true }],
    ['hangup: "true"', '', { hangup: 'true' }],
    ['?hangup=true', '?hangup=true', undefined],
  ])('hangs up calls in progress with %s, and responds before it reports that', async (_what, query, body) => {
    const rig = await openRig();
    const { id, call } = await broadcastInTalk(rig, MANY);
    const seen: string[] = [];
    rig.answerEvent = (told) => {
      seen.push(named(told));
      return { status: 200 };
    };
    const asked = rig
      .request('DELETE', `${BROADCAST}/${id}${query}`, body)
      .then(({ status }) => seen.push(String(status)));
    await rig.pass(1000);
    await asked;
    expect(seen[0]).toBe('200');
    expect([...seen].sort()).toEqual(['200', 'broadcastcomplete', 'disconnected']);
    expect(rig.events(call).at(-1)).toMatchObject({ state: 'disconnected' });
  });

  it('returns 200 with the state for a repeated stop, also after the end', async () => {
    const rig = await openRig();
    const { id } = await broadcastInTalk(rig, MANY);
    for (let time = 0; time < 3; time++) {
      const { status, body } = await rig.request(
        'DELETE',
        `${BROADCAST}/${id}`,
        time === 1 ? { hangup: true } : undefined,
      );
      expect([status, body['state']]).toEqual([200, 'stopped']);
      await rig.pass(1000);
    }
    const { app_instance: over } = await createBroadcast(rig);
    await rig.pass(30_000);
    const { status, body } = await rig.request('DELETE', `${BROADCAST}/${String(over)}`);
    expect([status, body['state']]).toEqual([200, 'completed']);
    expect(rig.eventNames().filter((word) => word === 'broadcastcomplete')).toHaveLength(2);
  });
});

describe('a call of a broadcast', () => {
  it.each<[string, (id: string, call: string) => [method: string, path: string, body: JsonObject]]>([
    [
      'PUT /call/{voice_id}/play',
      (id, call) => ['PUT', `${BROADCAST}/${id}/call/${call}/play`, { ...HELLO, prompt_ref: 'p' }],
    ],
    [
      '… wrapped',
      (id, call) => ['PUT', `${BROADCAST}/${id}/call/${call}/play`, { play: { ...HELLO, prompt_ref: 'p' } }],
    ],
    [
      'POST /call/{voice_id}/play',
      (id, call) => ['POST', `${BROADCAST}/${id}/call/${call}/play`, { ...HELLO, prompt_ref: 'p' }],
    ],
    ['PUT /play', (id, call) => ['PUT', `${BROADCAST}/${id}/play`, { ...HELLO, prompt_ref: 'p', voice_id: call }]],
    [
      '… wrapped',
      (id, call) => ['PUT', `${BROADCAST}/${id}/play/`, { voice_id: call, play: { ...HELLO, prompt_ref: 'p' } }],
    ],
    ['POST', (id, call) => ['POST', `${BROADCAST}/${id}`, { voice_id: call, play: { ...HELLO, prompt_ref: 'p' } }]],
  ])('%s plays to it: 202, and playfinished is reported', async (_what, asked) => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    const { status, body } = await rig.request(...asked(id, call));
    expect([status, body]).toMatchObject([
      202,
      { ...ids(id), voice_id: call, playstate: 'initiated', from: '1000', to: '2000', prompt_ref: 'p' },
    ]);
    await rig.pass(5000);
    expect(rig.events(call).at(-1)).toMatchObject({
      ...ids(id),
      voice_id: call,
      playstate: 'playfinished',
      play_id: body['play_id'],
      prompt_ref: 'p',
    });
  });

  it.each<[string, (id: string, call: string) => [method: string, path: string, body: JsonObject]]>([
    [
      'PUT /call/{voice_id}/connect',
      (id, call) => ['PUT', `${BROADCAST}/${id}/call/${call}/connect`, { from: '1000', to: '4000' }],
    ],
    ['POST', (id, call) => ['POST', `${BROADCAST}/${id}`, { voice_id: call, connect: { from: '1000', to: '4000' } }]],
  ])('%s bridges it: 202, and the states of the bridge are reported', async (_what, asked) => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    rig.callees['4000'] = { does: 'answer', ringsAfterMs: 100, afterMs: 500, talkMs: 1000 };
    const { status, body } = await rig.request(...asked(id, call));
    expect([status, body]).toMatchObject([
      202,
      { ...ids(id), voice_id: call, state: 'initiated', bridge_id: expect.any(String), from: '1000', to: '4000' },
    ]);
    await rig.pass(5000);
    expect(rig.events(call).map(({ state }) => state)).toEqual([
      'ringing',
      'connected',
      'bridging',
      'bridged',
      'bridge_disconnected',
    ]);
  });

  it('continues after a failed bridge, with the event bridge_failed', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    rig.callees['4000'] = { does: 'busy' };
    await rig.request('PUT', `${BROADCAST}/${id}/call/${call}/connect`, { from: '1000', to: '4000' });
    await rig.pass(2000);
    expect(rig.events(call).at(-1)).toMatchObject({
      ...ids(id),
      state: 'bridge_failed',
      bridge_id: expect.any(String),
      disconnect_reason: 'User Busy',
    });
    expect((await rowsOf(rig, id))[0]).toMatchObject({ state: 'connected' });
  });

  it('answers DELETE with 200 before it sends the event disconnected', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    const { status, body } = await rig.request('DELETE', `${BROADCAST}/${id}/call/${call}`);
    expect([status, body]).toMatchObject([200, { ...ids(id), voice_id: call, state: 'success' }]);
    await rig.pass(1000);
    expect(rig.events(call).at(-1)).toMatchObject({ state: 'disconnected', disconnect_reason: 'Normal Clearing' });
    expect((await rig.request('DELETE', `${BROADCAST}/${id}/call/${call}`)).status).toBe(409);
  });

  const kept = shared({ callee: { does: 'answer' } });

  it.each<[string, string, JsonObject, number, number]>([
    ['a bridged call', 'play', HELLO, 405, 6112],
    ['a voice that is not there', 'play', { ...HELLO, language: UNSPOKEN }, 406, 6117],
    ['a voice that breaks', 'play', { ...HELLO, text: 'broken' }, 503, 6107],
    ['nothing to say', 'play', {}, 400, 400],
    ['no from', 'connect', { to: '4000' }, 400, 400],
    ['a number of somebody else', 'connect', { from: '3000', to: '4000' }, 404, 6118],
    ['a way to nowhere', 'connect', { from: '1000', to: '4009' }, 404, 6110],
  ])(
    'fails for %s with the status of %s, in the error body of broadcasts',
    async (what, route, body, status, result) => {
      const { rig } = kept;
      rig.unreachable.add('4009');
      const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
      if (what === 'a bridged call') {
        await rig.request('PUT', `${BROADCAST}/${id}/call/${call}/connect`, { from: '1000', to: '4000' });
        await rig.pass(2000);
      }
      const answer = await rig.request('PUT', `${BROADCAST}/${id}/call/${call}/${route}`, body);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({
        ...ids(id),
        voice_id: call,
        state: 'failed',
        error_description: expect.any(String),
        description: answer.body['error_description'],
        result,
        ...(route === 'play' ? { playstate: 'failed' } : {}),
      });
    },
  );

  it('refuses a second prompt during the first with 408', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    const play = () => rig.request('PUT', `${BROADCAST}/${id}/call/${call}/play`, HELLO);
    expect([(await play()).status, (await play()).status]).toEqual([202, 408]);
    await rig.pass(5000);
  });

  it.each<[string, JsonObject]>([
    ['no call', { play: HELLO }],
    ['a call that is none', { voice_id: 17, play: HELLO }],
    ['no action', {}],
  ])('refuses a POST with %s', async (what, body) => {
    const { rig } = kept;
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    const { status } = await rig.request(
      'POST',
      `${BROADCAST}/${id}`,
      what === 'no action' ? { voice_id: call } : body,
    );
    expect(status).toBe(400);
  });
});

describe('an unknown broadcast or call', () => {
  const ROUTES: [method: string, path: (call: string) => string, body?: JsonObject][] = [
    ['GET', () => ''],
    ['GET', () => '?limit=0'],
    ['DELETE', () => ''],
    ['DELETE', () => '?hangup=true'],
    ['POST', () => '', { voice_id: 'CALL', play: HELLO }],
    ['PUT', () => '/play', { voice_id: 'CALL', ...HELLO }],
    ['PUT', (call) => `/call/${call}/play`, HELLO],
    ['PUT', (call) => `/call/${call}/connect`, { from: '1000', to: '4000' }],
    ['DELETE', (call) => `/call/${call}`],
  ];

  it('returns 404 on every route for a broadcast of another project, and leaves it unchanged', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id, call } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    for (const [method, path, body] of ROUTES) {
      const written = body && JSON.stringify(body).replace('CALL', call);
      const [theirs, nobodys] = await Promise.all(
        [id, 'no-such-broadcast'].map((one) =>
          rig.request(method, `${BROADCAST}/${one}${path(call)}`, written, { as: OTHER }),
        ),
      );
      expect([method, path(call), theirs!.status]).toEqual([method, path(call), 404]);
      expect(theirs!.body).toMatchObject({
        ...ids(id),
        state: 'failed',
        error_description: 'there is no such broadcast',
        result: 404,
        timestamp: expect.any(String),
      });
      expect({ ...theirs!.body, ...ids(''), timestamp: '' }).toEqual({ ...nobodys!.body, ...ids(''), timestamp: '' });
    }
    expect((await rowsOf(rig, id))[0]).toMatchObject({ state: 'connected' });
  });

  it('returns 404 for a call of another broadcast or project', async () => {
    const rig = await openRig({ callee: { does: 'answer' } });
    const { id } = await broadcastInTalk(rig, { broadcast_numbers: '2000' });
    const { call: ofAnother } = await broadcastInTalk(rig, { broadcast_numbers: '2001' });
    const alone = await rig.dial();
    for (const call of [ofAnother, alone, 'no-such-call']) {
      for (const [method, path, body] of ROUTES.slice(4)) {
        const written = body && JSON.stringify(body).replace('CALL', call);
        const answer = await rig.request(method, `${BROADCAST}/${id}${path(call)}`, written);
        expect(answer.status).toBe(404);
        expect(answer.body).toMatchObject({ ...ids(id), voice_id: call, state: 'failed' });
      }
    }
  });
});

describe('routes of broadcasts', () => {
  const kept = shared();

  it.each([
    ['PUT', '', 'GET, POST'],
    ['PUT', '/x', 'GET, POST, DELETE'],
    ['GET', '/x/play', 'PUT, POST'],
    ['GET', '/x/call/y', 'DELETE'],
    ['GET', '/x/call/y/play', 'PUT, POST'],
    ['DELETE', '/x/call/y/connect', 'PUT, POST'],
  ])('%s /broadcast%s: is answered with 405 and Allow', async (method, path, allow) => {
    const { rig } = kept;
    const { status, body, headers } = await rig.request(method, BROADCAST + path);
    expect([status, headers.get('allow'), body['state']]).toEqual([405, allow, 'failed']);
  });
});

describe('GET /call', () => {
  it('lists the calls of a broadcast, and whether a person or a machine answered', async () => {
    const rig = await openRig();
    await rig.dial();
    const { app_instance: id } = await createBroadcast(rig, {
      broadcast_numbers: [CALLEE_NUMBERS.machine, CALLEE_NUMBERS.busy],
      amd: true,
      ...NO_RETRIES,
    });
    await rig.pass(60_000);
    const { body } = await rig.request('GET', `/voice/v1/call?app_instance=${String(id)}`);
    expect(body['calls']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ app_instance: id, to: CALLEE_NUMBERS.machine, answered_by: 'machine' }),
        expect.objectContaining({ app_instance: id, to: CALLEE_NUMBERS.busy, disconnect_reason: 'User Busy' }),
      ]),
    );
    expect(body['calls']).toHaveLength(2);
    expect((await rig.request('GET', '/voice/v1/call?app_instance=nobodys')).body['calls']).toEqual([]);
    const all = (await rig.request('GET', '/voice/v1/call')).body['calls'] as JsonObject[];
    expect(all.filter((call) => 'app_instance' in call)).toHaveLength(2);
  });
});

describe('a list with only invalid numbers', () => {
  it('returns all invalid numbers, each value shortened', () => {
    const invalidNumbers = Array.from({ length: 100_000 }, (_, index) => ({
      index,
      value: 'x'.repeat(1000),
      message: 'must be a number',
    }));
    const error = new CallError('numbers_invalid', 'all are wrong', { invalidNumbers });
    const { numbers } = errorBody(toApiError(error), { format: 'broadcast' }, '');
    expect(numbers).toHaveLength(100_000);
    expect((numbers as JsonObject[])[99_999]).toEqual({
      index: 99_999,
      value: `${'x'.repeat(100)}…`,
      message: 'must be a number',
    });
  });
});
