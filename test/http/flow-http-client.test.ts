/** HTTP requests of flows: permitted targets, accepted answers, and no thrown errors. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/base/core/http-exchange.ts';
import { createFlowHttpClient, type FlowHttpClient } from '../../src/base/http/flow-http-client.ts';
import { createHttpClient, type HttpClient } from '../../src/base/http/http-client.ts';
import type { TargetPolicy } from '../../src/base/http/ssrf-guard.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const clock = new VirtualClock();
let server: Server;
let url: string;
let httpClient: HttpClient;
let listen: RequestListener = (_request, response) => response.end();

const LOOPBACK: TargetPolicy = { privateTargets: 'loopback' };

const flowClient = (): FlowHttpClient =>
  createFlowHttpClient({
    client: httpClient,
    sign: (projectId, body) =>
      projectId === 'mute' ? undefined : { 'webhook-signature': `${projectId}:${body.length}` },
  });

beforeAll(async () => {
  server = createServer((request, response) => listen(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  httpClient = createHttpClient({ clock, policy: LOOPBACK, connections: 4 });
});
afterAll(async () => {
  await httpClient.close();
  server.closeAllConnections();
  server.close();
});

const request = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  name: 'lookup',
  method: 'POST',
  url,
  headers: {},
  timeoutMs: 3000,
  ...more,
});
const never = new AbortController().signal;
const ask = (more: Partial<HttpRequest> = {}, project = 'shop') => flowClient()(request(more), project, never);

const answering = (status: number, type: string, body: string): void => {
  listen = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body);
};

async function received(more: Partial<HttpRequest>): Promise<{ request: IncomingMessage; body: string }> {
  let seen: IncomingMessage | undefined;
  let body = '';
  listen = (incoming, response) => {
    seen = incoming;
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    incoming.on('end', () => response.end());
  };
  await ask(more);
  return { request: seen!, body };
}

it('sends the key of a request, unless the flow sets its own', async () => {
  const { request } = await received({ key: 'call-1:7' });
  expect(request.headers['idempotency-key']).toBe('call-1:7');
  const own = await received({ key: 'call-1:7', headers: { 'Idempotency-Key': 'mine' } });
  expect(own.request.headers['idempotency-key']).toBe('mine');
  expect((await received({})).request.headers['idempotency-key']).toBeUndefined();
});

describe('a form body', () => {
  it('is encoded as by a browser: fields in order, lists as several, nothing for null', async () => {
    const body = { To: '+33 6', Body: 'a&b=ü', Part: [1, 'two'], Urgent: true, None: null };
    const sent = await received({ body, isForm: true });
    expect(sent.request.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent.body).toBe('To=%2B33+6&Body=a%26b%3D%C3%BC&Part=1&Part=two&Urgent=true');
  });
});

describe('an answer to a flow', () => {
  it.each<[number, string, string, unknown]>([
    [200, 'application/json', '{"tier": "gold"}', { tier: 'gold' }],
    [404, 'application/json', '{"error": 1}', { error: 1 }],
    [500, 'text/html', '<html>', '<html>'],
    [200, 'text/plain', '{"a": 1}', { a: 1 }],
    [200, 'application/json', '', null],
    [204, 'application/json', '', null],
    [302, 'text/plain', 'elsewhere', 'elsewhere'],
  ])('passes %i of %s on unchanged', async (status, type, body, taken) => {
    answering(status, type, body);
    expect(await ask()).toMatchObject({ ok: true, status, body: taken });
  });

  it.each([61, 100_000])(
    'is invalid if it is %d levels deep, because recursive code would fail on it',
    async (depth) => {
      answering(200, 'application/json', `${'['.repeat(depth)}1${']'.repeat(depth)}`);
      expect(await ask()).toMatchObject({ ok: false, reason: 'invalid' });
      answering(200, 'application/json', `${'['.repeat(60)}1${']'.repeat(60)}`);
      expect(await ask()).toMatchObject({ ok: true });
    },
  );

  it('is invalid if it claims to be JSON and is not', async () => {
    answering(200, 'application/json', '{"a":');
    expect(await ask()).toMatchObject({ ok: false, reason: 'invalid' });
  });

  it('is cut off if it does not end', async () => {
    listen = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {
          // Until the socket is full.
        }
      };
      response.on('drain', more);
      more();
    };
    expect(await ask()).toMatchObject({ ok: false, reason: 'too_large' });
  });

  it('is a timeout if it does not arrive, exactly in time', async () => {
    const arrived = new Promise<void>((resolve) => {
      listen = () => resolve();
    });
    const asked = ask({ timeoutMs: 3000 });
    await arrived;
    let settled = false;
    void asked.then(() => {
      settled = true;
    });
    await clock.advance(2999);
    expect(settled).toBe(false);
    await clock.advance(1);
    expect(await asked).toMatchObject({ ok: false, reason: 'timeout' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is a network failure if it breaks off', async () => {
    listen = (incoming) => incoming.socket.destroy();
    expect(await ask()).toMatchObject({ ok: false, reason: 'network' });
  });

  it('is dropped after the request was cancelled', async () => {
    const arrived = new Promise<void>((resolve) => {
      listen = () => resolve();
    });
    const abort = new AbortController();
    const asked = flowClient()(request(), 'shop', abort.signal);
    await arrived;
    abort.abort();
    expect(await asked).toMatchObject({ ok: false });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a request of a flow', () => {
  it('sends JSON as JSON and text as text', async () => {
    const json = await received({ body: { a: [1] } });
    expect([json.request.headers['content-type'], json.body]).toEqual(['application/json', '{"a":[1]}']);
    const text = await received({ body: 'plain' });
    expect([text.request.headers['content-type'], text.body]).toEqual(['text/plain; charset=utf-8', 'plain']);
  });

  it('is signed with the secret of its project, over the bytes as sent', async () => {
    const { request: seen, body } = await received({ body: { a: 'é' }, signed: true });
    expect(seen.headers['webhook-signature']).toBe(`shop:${JSON.stringify({ a: 'é' }).length}`);
    expect(body).toBe('{"a":"é"}');
    expect(await ask({ signed: true }, 'mute')).toMatchObject({ ok: false, reason: 'refused' });
  });

  it('contains the headers of the flow, except those that would change its target or its framing', async () => {
    const { request: seen } = await received({
      body: { a: 1 },
      headers: {
        Authorization: 'Bearer x',
        Host: 'elsewhere.example',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
        'X-Split': 'a\r\nX-Injected: b',
      },
    });
    expect(seen.headers).toMatchObject({ authorization: 'Bearer x', host: new URL(url).host, 'content-length': '7' });
    expect(seen.headers['transfer-encoding']).toBeUndefined();
    expect(seen.headers['x-injected']).toBeUndefined();
    expect(seen.headers['x-split']).toBe('a X-Injected: b');
  });

  it.each<[string, Partial<HttpRequest>]>([
    ['no URL', { url: 'nonsense' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['a private address', { url: 'http://10.0.0.1/' }],
    ['the address of cloud metadata', { url: 'http://169.254.169.254/latest' }],
    ['a method that is none', { method: 'GE T' }],
    ['a header that is none', { headers: { 'a b': 'c' } }],
  ])('is refused for the target %s', async (_what, more) => {
    expect(await ask(more)).toMatchObject({ ok: false, reason: 'refused' });
  });

  it('is refused for this machine if the configuration says so, even by a name', async () => {
    const guarded = createHttpClient({ clock, policy: { privateTargets: 'refused' } });
    const client = createFlowHttpClient({ client: { ...guarded, urlProblem: () => undefined }, sign: () => ({}) });
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(await client(request({ url: `http://${host}:${port}` }), 'shop', never)).toMatchObject({
        reason: 'refused',
      });
    }
    await guarded.close();
  });
});
