/** Projects of calls and phones that the engine receives: a call can be taken over only within its project. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfigText } from '../../src/config.ts';
import type { DialRequest, Engine, EngineHost } from '../../src/media/telephony/engine.ts';

const TOKEN = 'a-token-of-the-administrator';
const CONFIG = `
flows_directory: .
http: { port: 0 }
projects:
  - { app_id: shop, app_key: key-of-the-shop-0001 }
  - { app_id: bakery, app_key: key-of-the-bakery-1 }
sip:
  users:
    - { name: anna, password: wonderland }
    - { name: Ben, password: wonderland, project: bakery }
numbers: [{ number: "1000" }, { number: "2000", project: bakery }]
admin: { token: ${TOKEN} }
`;

it('attributes a call to the project that dials it, and a phone to its configured or the first project', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-take-overs-'));
  const { config } = readConfigText(CONFIG, join(directory, 'callweave.yaml'));
  let host: EngineHost | undefined;
  const dialled: DialRequest[] = [];
  const can = { earlyMedia: true, sendDigits: true, record: true, mix: true, stream: true, listen: true };
  const engine: Engine = {
    name: 'empty',
    capabilities: { ...can, detectMachine: true, refer: true },
    start: async (given) => {
      host = given;
    },
    stop: async () => {},
    dial: (request) => dialled.push(request),
    send: (legId, { type }) => {
      const ended = { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' } as const;
      if (type === 'hangup') queueMicrotask(() => host?.event(legId, ended));
    },
  };
  const app = await createApp(config!, { telephony: { engine, sounds: { refusal: () => undefined } } });
  const { http } = await app.start();
  const ask = (method: string, path: string, authorization: string, body?: object) =>
    fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const admin = (method: string, path: string, body?: object) =>
    ask(method, `/admin/v1${path}`, `Bearer ${TOKEN}`, body);
  const dials = async (from: string, credentials: string) => {
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    await ask('POST', '/voice/v1/call', authorization, { from, to: 'user:anna' });
    await expect.poll(() => dialled.length).toBeGreaterThan(0);
    return host?.projectOf?.({ legId: dialled.shift()!.legId });
  };
  const ofUser = (user: string) => host?.projectOf?.({ user });

  expect(await dials('1000', 'shop:key-of-the-shop-0001')).toBe('shop');
  expect(await dials('2000', 'bakery:key-of-the-bakery-1')).toBe('bakery');
  expect(['anna', 'ben', 'nobody'].map(ofUser)).toEqual(['shop', 'bakery', undefined]);
  expect(host?.projectOf?.({ legId: 'nobody' })).toBeUndefined();

  expect((await admin('PUT', '/users/cora', { password: 'wonderland-1', project: 'nobody' })).status).toBe(404);
  const put = await admin('PUT', '/users/cora', { password: 'wonderland-1', project: 'bakery' });
  expect(await put.json()).toMatchObject({ name: 'cora', project: 'bakery' });
  expect(ofUser('cora')).toBe('bakery');
  await admin('POST', '/projects', { name: 'Dairy', app_id: 'dairy' });
  await admin('PUT', '/users/dora', { password: 'wonderland-1', project: 'dairy' });
  const refused = await admin('DELETE', '/projects/dairy');
  expect([refused.status, ((await refused.json()) as { msg: string }).msg]).toEqual([
    409,
    '1 of the users belong to it',
  ]);
  await app.stop(0);
});

it('reports a phone of an unknown project at the start', () => {
  const text = CONFIG.replace('project: bakery }\nnumbers', 'project: dairy }\nnumbers');
  const { diagnostics } = readConfigText(text, join(tmpdir(), 'callweave.yaml'));
  expect(diagnostics.map(({ code }) => code)).toEqual(['unknown-project']);
});
