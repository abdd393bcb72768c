/** Client of the service: requests, errors, sources of its credentials, and their secrecy. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createService, RequestRefused, ServiceUnreachable } from '../../src/cli/service-client.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { callweave, folderOf } from './command.ts';

const KEY = 'a-key-that-nobody-sees';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: { method: string; path: string; authorization: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url: path = '', headers } = request;
    asked.push({ method, path, authorization: headers.authorization ?? '', body });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const say = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Address on which a server listened a moment ago. */
const NOBODY = await (async () => {
  await using there = await serve(() => undefined);
  return there.url;
})();

beforeEach(() => {
  for (const name of ['CALLWEAVE_APP_ID', 'CALLWEAVE_APP_KEY', 'CALLWEAVE_URL', 'CALLWEAVE_CONFIG']) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('an answer', () => {
  test('is requested with credentials, and read', async () => {
    await using there = await serve((_, response) => say(response, 200, { ok: true }));
    const service = createService({ url: there.url, appId: 'shop', appKey: KEY }, new VirtualClock());
    expect(await service.request('POST', '/voice/v1/broadcast', { from: '1000' })).toEqual({ ok: true });
    expect(there.asked).toEqual([
      {
        method: 'POST',
        path: '/voice/v1/broadcast',
        authorization: `Basic ${Buffer.from(`shop:${KEY}`).toString('base64')}`,
        body: '{"from":"1000"}',
      },
    ]);
  });

  test('is retried after the given time for 429', async () => {
    let times = 0;
    await using there = await serve((_, response) => {
      times += 1;
      if (times < 3) say(response, 429, { msg: 'too many requests' }, { 'retry-after': '7' });
      else say(response, 200, { times });
    });
    const clock = new VirtualClock();
    const startMs = clock.now();
    const service = createService({ url: there.url, appId: 'shop', appKey: KEY }, clock);
    let answer: unknown;
    const asking = service.request('GET', '/').then((body) => {
      answer = body;
    });
    await vi.waitFor(async () => {
      await clock.advanceToNext(startMs + 60_000);
      expect(answer).toEqual({ times: 3 });
    }, 20_000);
    await asking;
    expect(clock.now() - startMs).toBe(14_000);
  });

  test('becomes an error with the message of the service if it is refused', async () => {
    await using there = await serve((_, response) => say(response, 400, { error_description: 'no', hint: 'do' }));
    const service = createService({ url: there.url, appId: 'shop', appKey: KEY }, new VirtualClock());
    const error: unknown = await service.request('GET', '/').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestRefused);
    expect(error).toMatchObject({ status: 400, message: 'no', hint: 'do' });
  });

  test.each([
    ['of another program', (response: ServerResponse) => void response.end('<html>'), /is not Callweave/],
    [
      'that points elsewhere',
      (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
      /does not answer/,
    ],
    ['that breaks off', (response: ServerResponse) => void response.destroy(), /does not answer/],
  ])('%s is not valid', async (_, answer, message) => {
    await using there = await serve((_request, response) => answer(response));
    const service = createService({ url: there.url, appId: 'shop', appKey: KEY }, new VirtualClock());
    const error: unknown = await service.request('GET', '/').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(String(error)).toMatch(message);
    expect(there.asked).toHaveLength(1);
  });
});

const PROJECT = `projects: [{ app_id: shop, app_key: ${KEY} }, { app_id: other, app_key: another-key-0123456 }]\n`;

describe('credentials', () => {
  const idsOf = (there: { asked: readonly { authorization: string }[] }) =>
    there.asked.map(({ authorization }) => Buffer.from(authorization.slice(6), 'base64').toString().split(':')[0]);

  test('are those of the environment', async () => {
    vi.stubEnv('CALLWEAVE_APP_ID', 'env');
    vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
    await using there = await serve((_, response) => say(response, 200, { broadcasts: [] }));
    const { code, out } = await callweave(['broadcast', 'list', '--url', there.url]);
    expect([code, out]).toEqual([0, 'no broadcasts\n']);
    expect(idsOf(there)).toEqual(['env']);
  });

  test('are those of the first project, or of the project that the environment names', async () => {
    await using there = await serve((_, response) => say(response, 200, { broadcasts: [] }));
    using folder = folderOf({ 'callweave.yaml': PROJECT });
    await callweave(['broadcast', 'list', '--url', there.url], { cwd: folder.path });
    vi.stubEnv('CALLWEAVE_APP_ID', 'other');
    await callweave(['broadcast', 'list', '--url', there.url], { cwd: folder.path });
    expect(idsOf(there)).toEqual(['shop', 'other']);
  });

  test('are required for every command', async () => {
    using folder = folderOf({});
    const { code, err } = await callweave(['broadcast', 'list'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(err).toContain('no credentials for the service');
    expect(err).toContain('hint: set CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY');
  });

  test('are reported if they are wrong', async () => {
    vi.stubEnv('CALLWEAVE_APP_ID', 'env');
    vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
    await using there = await serve((_, response) => say(response, 401, { msg: 'not authorized' }));
    const { code, err } = await callweave(['broadcast', 'list', '--url', there.url]);
    expect(code).toBe(1);
    expect(err).toContain('the service refuses: not authorized');
    expect(err).toContain('set CALLWEAVE_APP_ID and CALLWEAVE_APP_KEY, or --config, to those of the service');
  });

  test('does not print them in messages', async () => {
    using folder = folderOf({ 'callweave.yaml': PROJECT });
    for (const args of [
      ['--url', NOBODY],
      ['--url', NOBODY, '--json'],
      ['--url', `http://shop:${KEY}@127.0.0.1/`],
    ]) {
      const { code, out, err } = await callweave(['broadcast', 'list', ...args], { cwd: folder.path });
      expect(code).toBeGreaterThan(0);
      expect(out + err).not.toContain(KEY);
    }
  });
});

describe('a service', () => {
  beforeEach(() => {
    vi.stubEnv('CALLWEAVE_APP_ID', 'env');
    vi.stubEnv('CALLWEAVE_APP_KEY', KEY);
  });

  test('is reported with its address if it is unreachable', async () => {
    const { code, err } = await callweave(['broadcast', 'list', '--url', NOBODY]);
    expect(code).toBe(1);
    expect(err).toContain(`the service at ${NOBODY} does not answer: connection refused`);
    expect(err).toContain('hint: start it with `callweave start`');
  });

  test.each(['ftp://127.0.0.1', 'here', ''])('needs a valid address; `%s` is not', async (url) => {
    const { code, err } = await callweave(['broadcast', 'list', '--url', url]);
    expect(code).toBe(2);
    expect(err).toContain('is not a valid URL of a service');
  });

  test('is found by the environment, or by the given configuration', async () => {
    await using there = await serve((_, response) => say(response, 200, { broadcasts: [] }));
    using folder = folderOf({ 'service.yaml': `http: { host: 0.0.0.0, port: ${new URL(there.url).port} }\n` });
    expect((await callweave(['broadcast', 'list', '--config', `${folder.path}/service.yaml`])).code).toBe(0);
    vi.stubEnv('CALLWEAVE_URL', there.url);
    expect((await callweave(['broadcast', 'list'])).code).toBe(0);
    expect(there.asked).toHaveLength(2);
  });
});
