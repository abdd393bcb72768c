/** Rules for every request: authentication, limits, formats, and errors. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiRig, OTHER, SHOP } from './rig.ts';

let rig: ApiRig;
let call: string;

beforeAll(async () => {
  rig = await ApiRig.open({
    projects: `projects:
  - { app_id: ${SHOP.id}, app_key: ${SHOP.key}, max_calls: 10 }
  - { app_id: ${OTHER.id}, app_key: ${OTHER.key} }
`,
    config:
      'numbers: [{ number: "1000" }, { number: "1001" }, { number: "3000", project: other }]\nlimits: { calls: 10, inbound_reserve_percent: 0 }\n',
  });
  call = await rig.dial();
  await rig.pass(2000);
});
afterAll(async () => {
  await rig.close();
  expect(rig.logLines.filter(({ level }) => level === 'error')).toEqual([]);
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('sign-in', () => {
  it.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['an empty header', ''],
    ['another scheme', 'Bearer abc'],
    ['no credentials', 'Basic'],
    ['no base64', 'Basic ***'],
    ['no colon', basic('shop')],
    ['no id', basic(`:${SHOP.key}`)],
    ['a wrong key', basic('shop:wrong')],
    ['an empty key', basic('shop:')],
    ['an unknown project', basic(`nobody:${SHOP.key}`)],
    ["another's key", basic(`${SHOP.id}:${OTHER.key}`)],
    ['a key with more behind it', basic(`${SHOP.id}:${SHOP.key}x`)],
    ['a header without end', `Basic ${'A'.repeat(5000)}`],
  ])('returns 401 if it receives %s', async (_what, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const {
      status,
      body,
      headers: answered,
    } = await rig.request('GET', `/voice/v1/call/${call}`, undefined, { as: false, headers });
    expect(status).toBe(401);
    expect(body).toMatchObject({
      result: 401,
      msg: expect.any(String),
      state: 'failed',
      voice_id: '',
      from: '',
      to: '',
    });
    expect(answered.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('accepts the scheme in any case', async () => {
    const authorization = basic(`${SHOP.id}:${SHOP.key}`).replace('Basic', 'bAsIc');
    expect(
      (await rig.request('GET', `/voice/v1/call/${call}`, undefined, { as: false, headers: { authorization } })).status,
    ).toBe(200);
  });

  it('is checked before the body is read, with the errors of broadcasts on their routes', async () => {
    expect((await rig.request('POST', '/voice/v1/call', '{"broken', { as: false })).status).toBe(401);
    const { status, body } = await rig.request('POST', '/voice/v1/broadcast', {}, { as: false });
    expect(status).toBe(401);
    expect(body).toMatchObject({
      state: 'failed',
      error_description: expect.any(String),
      timestamp: expect.any(String),
    });
  });

  it.each([
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['PUT', '/play', { text: 'Hello there' }],
    ['POST', '/accept', undefined],
    ['POST', '/event', { event: 'x' }],
  ])('is the same for %s …%s of another project as of an unknown call', async (method, path, body) => {
    const theirs = await rig.request(method, `/voice/v1/call/${call}${path}`, body, { as: OTHER });
    const nobodys = await rig.request(method, `/voice/v1/call/no-such-call${path}`, body, { as: OTHER });
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, voice_id: '', timestamp: '' }).toEqual({ ...nobodys.body, voice_id: '', timestamp: '' });
  });

  it('does not show a number of another project as the caller', async () => {
    const { status, body } = await rig.request('POST', '/voice/v1/call', { from: '3000', to: '2000' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ result: 6118, state: 'failed', from: '3000', to: '2000' });
  });
});

describe('bodies', () => {
  it.each<[string, string, number, number]>([
    ['broken JSON', '{"from": "1000",', 400, 400],
    ['no object', '["1000"]', 400, 400],
    ['a text', '"1000"', 400, 400],
    ['a number', '17', 400, 400],
    ['nothing', '', 400, 400],
    ['no from', '{"to": "2000"}', 400, 400],
    ['no to', '{"from": "1000"}', 400, 400],
    ['a to of line breaks', '{"from": "1000", "to": "2000\\r\\nVia: x"}', 400, 400],
    ['an event_url that is none', '{"from": "1000", "to": "2000", "event_url": "ftp://x"}', 400, 400],
    ['an event_url inside', '{"from": "1000", "to": "2000", "event_url": "http://10.0.0.1/"}', 400, 400],
    ['an event_url of the cloud', '{"from": "1000", "to": "2000", "event_url": "http://169.254.169.254/"}', 400, 400],
    [
      'play and flow',
      '{"from": "1000", "to": "2000", "flow": "x", "action_on_connect": {"play": {"text": "x"}}}',
      400,
      400,
    ],
    ['input without a flow', '{"from": "1000", "to": "2000", "input": {}}', 400, 400],
    ['an unknown flow', '{"from": "1000", "to": "2000", "flow": "nobody-wrote-it"}', 404, 6110],
    [
      'input that the flow does not take',
      '{"from": "1000", "to": "2000", "flow": "inbound-webhook", "input": {"x": 1}}',
      422,
      422,
    ],
    [
      'input of a wrong type',
      '{"from": "1000", "to": "2000", "flow": "inbound-webhook", "input": {"auto_accept": 3}}',
      422,
      422,
    ],
    [
      'two actions',
      '{"from": "1000", "to": "2000", "action_on_connect": {"connect": {"to": "1"}, "room": {"room_id": "x"}}}',
      400,
      400,
    ],
    ['a to that is no number', '{"from": "1000", "to": "nobody"}', 400, 400],
    ['a to of too many digits', '{"from": "1000", "to": "+1234567890123456"}', 400, 400],
    ['a from that is no number', '{"from": "sip:me@here", "to": "2000"}', 400, 400],
    ['too much depth', `{"from": "1000", "to": "2000", "input": ${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, 400],
    ['a prototype', '{"__proto__": {"from": "1000", "to": "2000"}}', 400, 400],
  ])('are refused with %s', async (_what, text, status, result) => {
    const before = rig.farEnds.length;
    const answer = await rig.request('POST', '/voice/v1/call', text);
    expect([answer.status, answer.body['result']]).toEqual([status, result]);
    expect(answer.body).toMatchObject({ state: 'failed', msg: expect.any(String), voice_id: '' });
    await rig.settle();
    expect(rig.farEnds).toHaveLength(before);
  });

  it('returns a hint for broken bodies', async () => {
    const { body } = await rig.request('POST', '/voice/v1/call', "{'from': '1000'}");
    expect(body['hint']).toMatch(/position 1/);
  });

  it('refuses bodies above 1 MiB without reading them', async () => {
    const { status, body, headers } = await rig.request(
      'POST',
      '/voice/v1/call',
      JSON.stringify({ name: 'x'.repeat(1_100_000) }),
    );
    expect(status).toBe(413);
    expect(body).toMatchObject({ result: 413, state: 'failed' });
    expect(headers.get('connection')).toBe('close');
  });

  it.each([
    ['application/json', 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
  ])('with type %s: are answered with %i', async (type, status) => {
    const headers = { 'content-type': type };
    const body = { from: '1001', to: '2000' };
    const answer = await rig.request('POST', '/voice/v1/call', body, { headers });
    expect(answer.status).toBe(status);
    if (status === 200) await rig.request('DELETE', `/voice/v1/call/${answer.body['voice_id']}`);
    await rig.pass(1000);
  });

  it('accepts values of convertible types, and returns the documented type', async () => {
    const { status, body } = await rig.request('POST', '/voice/v1/call', {
      from: 1001,
      to: 2000,
      owner_ref: 42,
      name: null,
      event_url: '',
      auto_record: 'false',
      unheard_of: { x: 1 },
      action_on_connect: {
        play: {
          text: 'Hello there',
          prompt_name: '',
          voice: 'FEMALE',
          language: 'en-US',
          dtmf: 'True',
          start_timeout: '5',
        },
      },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'initiated', status: 'initiated', from: '1001', to: '2000', owner_ref: '42' });
    await rig.request('DELETE', `/voice/v1/call/${body['voice_id']}`);
    await rig.pass(1000);
  });
});

describe('routes', () => {
  it.each(['/voice/v1/call/', '/voice/v1/calls/', '/VOICE/v1/calls/', '/v1/call/', '/v1/calls/', '/V1/Call/'])(
    'finds the call by %s…, with and without a final slash',
    async (path) => {
      for (const end of ['', '/', '?x=1']) {
        expect(await rig.request('GET', `${path}${call}${end}`)).toMatchObject({
          status: 200,
          body: { voice_id: call, state: 'connected', direction: 'Outbound' },
        });
      }
    },
  );

  it('/v1/…: accepts another spelling of the paths of calls, with their errors', async () => {
    const dialled = await rig.request('POST', '/v1/call', { from: '1000', to: '2000' });
    expect([dialled.status, dialled.body['state']]).toEqual([200, 'initiated']);
    await rig.request('DELETE', `/v1/call/${dialled.body['voice_id']}`);
    await rig.pass(1000);
    const broadcast = await rig.request('POST', '/v1/broadcast', {});
    expect([broadcast.status, broadcast.body]).toEqual([
      400,
      expect.objectContaining({ error_description: expect.any(String) }),
    ]);
    expect((await rig.request('GET', '/v1/conference/nobody')).body['result']).toBe(404);
    expect((await rig.request('GET', '/v1/rooms/nobody')).body['result']).toBe(40001);
    expect((await rig.request('OPTIONS', '/v1/call')).body['methods']).toEqual(['GET', 'HEAD', 'POST', 'OPTIONS']);
    await rig.request('GET', '/v1/do-not-call/+33612345678');
    expect(JSON.stringify(rig.logLines)).not.toContain('33612345678');
  });

  it('POST /voice/v1/calls/{id}: plays for {"play": {}}', async () => {
    const { status, body } = await rig.request('POST', `/voice/v1/calls/${call}`, { play: { text: 'Hello there' } });
    expect([status, body['playstate']]).toEqual([200, 'initiated']);
    await rig.pass(3000);
    expect((await rig.request('POST', `/voice/v1/calls/${call}`, { dance: {} })).status).toBe(400);
    expect((await rig.request('POST', `/voice/v1/calls/${call}`, { connect: { to: '1' } })).status).toBe(400);
  });

  it.each<[string, string, number, string | null]>([
    ['GET', '/', 404, null],
    ['GET', '/voice', 404, null],
    ['GET', '/voice/v1', 404, null],
    ['GET', '/voice/v1/nothing', 404, null],
    ['GET', '/voice/v1/call/a/b/c', 404, null],
    ['GET', '/voice/v2/call/x', 404, null],
    ['POST', '/health', 405, 'GET'],
    ['PUT', '/voice/v1/call', 405, 'GET, POST'],
    ['PATCH', '/voice/v1/call/x', 405, 'GET, POST, DELETE'],
    ['GET', '/voice/v1/call/x/play', 405, 'PUT, POST, DELETE'],
    ['DELETE', '/voice/v1/call/x/play', 404, null],
    ['DELETE', '/voice/v1/call/x/accept', 405, 'POST, PUT'],
    ['OPTIONS', '/voice/v1/nothing', 404, null],
    ['OPTIONS', '/voice/v2/call', 404, null],
    ['POST', '/voice/v1/call/x/transfer', 405, 'PUT'],
    ['GET', '/voice/v1/call/x/connect', 405, 'PUT, POST'],
    ['PUT', '/voice/v1/call/x/connect', 400, null],
    ['PUT', '/voice/v1/call/x/transfer', 400, null],
    ['POST', '/voice/v1/call/x/forward', 405, 'PUT'],
    ['DELETE', '/voice/v1/call/x/hold', 405, 'POST, PUT'],
    ['POST', '/voice/v1/call/x/recording', 405, 'PUT'],
    ['PUT', '/voice/v1/call/x/recording', 404, null],
    ['POST', '/voice/v1/call/x/stream', 405, 'PUT, DELETE'],
    ['DELETE', '/voice/v1/call/x/stream', 404, null],
    ['PUT', '/voice/v1/recording/x', 405, 'GET, DELETE, HEAD'],
    ['GET', '/voice/v1/recording/x', 404, null],
    ['GET', '/voice/v1/recording/x/y', 404, null],
    ['DELETE', '/voice/v1/conference', 405, 'GET, POST'],
    ['POST', '/voice/v1/queue', 405, 'GET'],
    ['POST', '/voice/v1/conference', 400, null],
    ['PATCH', '/voice/v1/conference/x', 405, 'GET, POST, PUT, DELETE'],
    ['GET', '/voice/v1/conference/x', 404, null],
    ['POST', '/voice/v1/conference/x/y', 405, 'PUT'],
    ['PUT', '/voice/v1/conference/x/y', 404, null],
    ['GET', '/voice/v1/conference/x/participant/y', 405, 'PUT'],
    ['PUT', '/voice/v1/room/x/join', 405, 'POST'],
    ['POST', '/voice/v1/room/x/join', 400, null],
    ['POST', '/voice/v1/room/x/call/y/join', 405, 'PUT'],
    ['PUT', '/voice/v1/room/x/call/y/join', 404, null],
    ['GET', '/voice/v1/call/%zz', 400, null],
    ['GET', `/voice/v1/call/${'x'.repeat(4000)}`, 404, null],
  ])('%s %s: is answered with %i', async (method, path, status, allow) => {
    const answer = await rig.request(method, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ state: 'failed', msg: expect.any(String), timestamp: expect.any(String) });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['POST', '/voice/v1/broadcast', 400],
    ['PUT', '/voice/v1/broadcast/x/call/y/play', 404],
    ['DELETE', '/voice/v1/do-not-call/x', 404],
    ['PATCH', '/voice/v1/broadcast/x', 405],
  ])('uses for %s %s the error format of broadcasts', async (method, path, wanted) => {
    const { status, body } = await rig.request(method, path, {});
    expect(status).toBe(wanted);
    expect(body).toMatchObject({ state: 'failed', error_description: expect.any(String) });
    expect(body).not.toHaveProperty('msg');
  });

  it('sets the length, an id, and headers against caching and framing', async () => {
    for (const [method, path] of [
      ['GET', `/voice/v1/call/${call}`],
      ['GET', '/nowhere'],
      ['GET', '/health'],
    ] as const) {
      const { headers, text } = await rig.request(method, path);
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('x-request-id')).toBeTruthy();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('returns the request id of the client if it is valid', async () => {
    expect(
      (await rig.request('GET', '/health', undefined, { headers: { 'x-request-id': 'abc-1' } })).headers.get(
        'x-request-id',
      ),
    ).toBe('abc-1');
    expect(
      (await rig.request('GET', '/health', undefined, { headers: { 'x-request-id': 'a b"c' } })).headers.get(
        'x-request-id',
      ),
    ).not.toBe('a b"c');
  });

  it('reports health without credentials', async () => {
    expect(await rig.request('GET', '/health', undefined, { as: false })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  it('answers requests that are not HTTP with JSON, too', async () => {
    const { hostname, port } = new URL(rig.base);
    const text = await new Promise<string>((resolve) => {
      let got = '';
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (chunk) => {
        got += chunk.toString();
      });
      socket.on('close', () => resolve(got));
    });
    const [head, body] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(new RegExp(`content-length: ${body!.length}`));
    expect(JSON.parse(body!)).toMatchObject({ state: 'failed' });
  });
});

describe('limits', () => {
  it('allows a project 100 requests at once, then 50/s with 429 and Retry-After; other projects are not limited', async () => {
    await rig.pass(10_000);
    const path = '/voice/v1/call/nobody';
    const statuses = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, () => rig.request('GET', path)))).map(({ status }) => status);
    const first = await statuses(130);
    expect(first.filter((status) => status === 404)).toHaveLength(100);
    const { status, headers, body } = await rig.request('GET', path);
    expect([status, headers.get('retry-after'), body['result']]).toEqual([429, '1', 429]);
    expect((await rig.request('GET', path, undefined, { as: OTHER })).status).toBe(404);
    await rig.pass(1000);
    expect((await statuses(60)).filter((one) => one === 404)).toHaveLength(50);
    await rig.pass(10_000);
  });

  it('refuses calls above the configured limit', async () => {
    const calls = [];
    for (let count = rig.app.liveCalls; count < 10; count++) calls.push(await rig.dial());
    const { status, body } = await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' });
    expect([status, body['state']]).toEqual([503, 'failed']);
    for (const one of calls) await rig.request('DELETE', `/voice/v1/call/${one}`);
    await rig.pass(2000);
    expect(rig.app.liveCalls).toBe(1);
  });
});
