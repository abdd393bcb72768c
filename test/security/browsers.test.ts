/** Pages of other origins in the browser of an API user, and permitted applications in browsers. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';
import { ADMIN, TOKEN } from '../api/admin-client.ts';
import { schemaViolation } from '../api/response-schemas.ts';
import { ApiRig, SHOP } from '../api/rig.ts';
import { NUMBERS } from '../api/rigs.ts';

const APP = 'https://app.example';
const PUBLIC = 'https://calls.example';
const BASIC = `Basic ${Buffer.from(`${SHOP.id}:${SHOP.key}`).toString('base64')}`;

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({ config: NUMBERS + ADMIN, http: `public_url: "${PUBLIC}/voice", cors_origins: ["${APP}"]` });
});
afterAll(() => rig.close());

interface Asked {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Unlike `fetch`, it sends headers that only browsers may set. */
function send({ method, path, headers = {}, body }: Asked) {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const authorization = path.startsWith('/admin') ? `Bearer ${TOKEN}` : BASIC;
  return new Promise<{ status: number; headers: Record<string, string>; body: Record<string, unknown> }>(
    (resolve, reject) => {
      const asked = request(
        rig.base + path,
        { method, headers: { authorization, ...length, ...headers } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => {
            const status = response.statusCode ?? 0;
            const isJson = /json/.test(response.headers['content-type'] ?? '');
            const told = !isJson ? {} : (JSON.parse(text) as Record<string, unknown>);
            const wrong = !isJson ? undefined : schemaViolation(method, path, status, told as never);
            if (wrong !== undefined) reject(new Error(wrong));
            else resolve({ status, headers: response.headers as Record<string, string>, body: told });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body);
    },
  );
}

const JSON_TYPE = { 'content-type': 'application/json' };
const DIAL = { method: 'POST', path: '/voice/v1/call', body: '{"from":"1000","to":"2000"}' };
const PROJECT = { method: 'POST', path: '/admin/v1/projects', body: '{"name":"Evil"}' };
const dialled = (): number => rig.farEnds.length;

describe('a request that changes data', () => {
  it.each([
    ['text/plain', DIAL],
    ['application/x-www-form-urlencoded', DIAL],
    ['multipart/form-data; boundary=x', DIAL],
    ['application/jsonx', DIAL],
    ['audio/wav', DIAL],
    [undefined, DIAL],
    ['text/plain', { ...DIAL, path: '/voice/v1/broadcast' }],
    ['text/plain', { ...DIAL, method: 'DELETE', path: '/voice/v1/call/x' }],
    ['text/plain', PROJECT],
    ['audio/wav', PROJECT],
    [undefined, PROJECT],
    ['text/plain', { ...PROJECT, method: 'PATCH', path: '/admin/v1/projects/shop' }],
    ['text/plain', { ...PROJECT, method: 'PUT', path: '/admin/v1/prompts/a/default' }],
  ])('is refused with a body of type %s: %j', async (type, asked) => {
    const before = dialled();
    const { status, body } = await send({ ...asked, headers: type === undefined ? {} : { 'content-type': type } });
    expect([status, body['result']]).toEqual([415, 415]);
    expect(body['hint']).toBe('send the header Content-Type: application/json');
    expect(dialled()).toBe(before);
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8;x=y',
  ])('is accepted with a body of type %s', async (type) => {
    expect((await send({ ...DIAL, headers: { 'content-type': type } })).status).toBe(200);
  });

  it.each<Record<string, string>>([
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ])('is executed without a body, whatever its content type: %j', async (type) => {
    const call = await rig.dial();
    const asked = { method: 'DELETE', path: `/voice/v1/call/${call}` };
    expect((await send({ ...asked, headers: { ...type, 'content-length': '0' } })).status).toBe(200);
  });

  it.each<[Record<string, string>]>([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: `${APP}.evil.example` }],
    [{ origin: 'http://app.example' }],
    [{ origin: `${APP}:8443` }],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'something new' }],
  ])('is refused for a page with %j', async (headers) => {
    const before = dialled();
    for (const asked of [DIAL, { ...DIAL, path: '/voice/v1/broadcast' }, PROJECT]) {
      const answer = await send({ ...asked, headers: { ...JSON_TYPE, ...headers } });
      expect([answer.status, answer.body['result']]).toEqual([403, 403]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    for (const [method, path] of [
      ['DELETE', '/voice/v1/call/x'],
      ['PUT', '/voice/v1/call/x/accept'],
      ['PATCH', '/admin/v1/projects/shop'],
    ] as const) {
      expect((await send({ method, path, headers })).status).toBe(403);
    }
    expect(dialled()).toBe(before);
    expect((await send({ method: 'GET', path: '/voice/v1/call', headers })).status).toBe(200);
  });

  it('is refused for a foreign page before its credentials are checked', async () => {
    const headers = { ...JSON_TYPE, authorization: 'Basic wrong', origin: 'https://evil.example' };
    expect((await send({ ...DIAL, headers })).status).toBe(403);
  });

  it('is accepted for a page of this service, and for programs', async () => {
    const host = new URL(rig.base).host;
    const own: Record<string, string>[] = [
      {},
      { origin: rig.base },
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      { origin: `https://${host}` },
      { origin: PUBLIC },
      { origin: 'https://named.example', host: 'named.example:443' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of own) {
      const { status } = await send({ ...DIAL, headers: { ...JSON_TYPE, ...headers } });
      expect([headers, status]).toEqual([headers, 200]);
    }
  });
});

describe('a browser application of an origin in http.cors_origins', () => {
  const from = { origin: APP, 'sec-fetch-site': 'cross-site' };

  it('calls out, and may read the answer and Retry-After', async () => {
    const { status, headers } = await send({ ...DIAL, headers: { ...JSON_TYPE, ...from } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'Origin' });
    expect(headers['access-control-expose-headers']).toMatch(/\bRetry-After\b/);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('is allowed to read errors, too', async () => {
    const wrong = await send({ ...DIAL, headers: { ...from, authorization: 'Basic wrong' } });
    expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([401, APP]);
    const lost = await send({ method: 'GET', path: '/nowhere', headers: from });
    expect([lost.status, lost.headers['access-control-allow-origin']]).toEqual([404, APP]);
  });

  it.each(['/voice/v1/call', '/voice/v1/call/x/play', '/admin/v1/projects', '/health'])(
    'learns by a preflight without credentials what it may send to %s',
    async (path) => {
      const asks = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
      const { status, headers } = await send({
        method: 'OPTIONS',
        path,
        headers: { ...from, ...asks, authorization: '' },
      });
      expect(status).toBe(204);
      expect(headers).toMatchObject({ 'access-control-allow-origin': APP });
      expect(headers['vary']).toMatch(/\bOrigin\b/);
      expect(headers['access-control-allow-methods']?.split(', ')).toEqual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
      expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Content-Type.*Idempotency-Key/);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it('is distinguished from one of another origin, which gets no CORS headers', async () => {
    for (const origin of ['https://evil.example', 'null', `${APP}/`, '*']) {
      const asks = { origin, 'access-control-request-method': 'PUT' };
      const { status, headers } = await send({ method: 'OPTIONS', path: '/voice/v1/call', headers: asks });
      expect(status).not.toBe(204);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers['vary']).toBe('Origin');
    }
  });
});

describe('http.cors_origins', () => {
  const read = (origins: string) =>
    readConfigText(`flows_directory: .\nhttp:\n  cors_origins:\n    - ${origins}\n`, '/nowhere/callweave.yaml');

  it('is empty by default: no origin is allowed', () => {
    expect(readConfigText('flows_directory: .\n', '/nowhere/callweave.yaml').config?.http.corsOrigins).toEqual([]);
    expect(read('"https://a.example:8443"').config?.http.corsOrigins).toEqual(['https://a.example:8443']);
  });

  it.each([
    ['"*"', 'list each origin: https://app.example'],
    ['"null"', 'write scheme, host and, unless it is the default, port: https://app.example'],
    ['app.example', 'write scheme, host and, unless it is the default, port: https://app.example'],
    ['https://*.example', 'list each origin: https://app.example'],
    ['ftp://app.example', 'write scheme, host and, unless it is the default, port: https://app.example'],
    ['https://app.example/', 'write https://app.example'],
    ['https://app.example/page', 'write https://app.example'],
    ['https://App.example', 'write https://app.example'],
    ['https://app.example:443', 'write https://app.example'],
    ['https://me:secret@app.example', 'write https://app.example'],
  ])('refuses %s with its location and a hint', (written, hint) => {
    const { config, diagnostics } = read(written);
    expect(config).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: 'wrong-value', line: 4, column: 7, hint }]);
    expect(JSON.stringify(diagnostics)).not.toContain('secret');
  });
});
