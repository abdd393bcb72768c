/** `callweave credentials`: replaces lost ones, while the service is stopped and while it runs. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfig } from '../../src/config.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { callweave, folderOf } from './command.ts';

const ADMIN = 'administrator-of-the-credentials-test';

async function serve(folder: string): Promise<{ app: App; url: string }> {
  const { config } = readConfig({ file: join(folder, 'callweave.yaml'), environment: {} });
  const engine = new SimulatedEngine({ clock: systemClock, ids: randomIds, audio: { durationMs: () => 5 } });
  const app = await createApp(config!, { telephony: { engine, sounds: { refusal: () => undefined } } });
  const { http } = await app.start();
  return { app, url: `http://127.0.0.1:${http.port}` };
}

const statusOf = async (url: string, appId: string, appKey: string): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`;
  return (await fetch(`${url}/voice/v1/call/nobody`, { headers: { authorization } })).status;
};

const keyIn = (out: string): { appId: string; appKey: string } => ({
  appId: / app_id +(\S+)\n/.exec(out)![1]!,
  appKey: / app_key +(\S+)\n/.exec(out)![1]!,
});

test('replaces the key while the service is stopped, and shows the new one once', async () => {
  using folder = folderOf({ 'callweave.yaml': 'http: { port: 0 }\n' });
  const first = await serve(folder.path);
  const { created } = first.app;
  await first.app.stop(0);

  const { code, out, err } = await callweave(['credentials', 'new'], { cwd: folder.path });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { appId, appKey } = keyIn(out);
  expect(appId).toBe(created!.appId);
  expect(appKey).not.toBe(created!.appKey);
  const listed = await callweave(['credentials'], { cwd: folder.path });
  expect(listed.out).toBe(`${appId}  default, in the data directory\n`);

  const bakery = await callweave(['credentials', 'new', '--project', 'bakery', '--create', '--json'], {
    cwd: folder.path,
  });
  const made = bakery.json() as { app_id: string; app_key: string; webhook_secret: string };
  expect(made).toEqual({
    app_id: 'bakery',
    app_key: expect.stringMatching(/^\S{40,}$/),
    webhook_secret: expect.stringMatching(/^whsec_/),
  });

  const second = await serve(folder.path);
  expect(await statusOf(second.url, appId, appKey)).toBe(404);
  expect(await statusOf(second.url, appId, created!.appKey)).toBe(401);
  expect(await statusOf(second.url, 'bakery', made.app_key)).toBe(404);
  await second.app.stop(0);
});

test('replaces the key through a running service, with the token of the configuration', async () => {
  using folder = folderOf({ 'callweave.yaml': `http: { port: 0 }\nadmin: { token: ${ADMIN} }\n` });
  const { app, url } = await serve(folder.path);
  vi.stubEnv('CALLWEAVE_URL', url);
  try {
    const { out } = await callweave(['credentials', 'new', '--webhook-secret'], { cwd: folder.path });
    const { appId, appKey } = keyIn(out);
    expect(out).toMatch(/webhook secret {2}whsec_/);
    expect(await statusOf(url, appId, appKey)).toBe(404);
    expect(await statusOf(url, appId, app.created!.appKey)).toBe(401);

    using other = folderOf({
      'callweave.yaml': `data_directory: ${folder.path}/data\nadmin: { token: another-${ADMIN} }\n`,
      'none.yaml': `data_directory: ${folder.path}/data\n`,
    });
    const refused = await callweave(['credentials', 'new'], { cwd: other.path });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('another `admin.token`') });
    const alone = await callweave(['credentials', 'new', '--config', 'none.yaml'], { cwd: other.path });
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('hint: stop the service') });
    expect(await statusOf(url, appId, appKey)).toBe(404);
  } finally {
    vi.unstubAllEnvs();
    await app.stop(0);
  }
});

test.each([
  [['--project', 'shpo'], 'unknown project `shpo`\n  hint: did you mean shop?'],
  [['--project', 'shop', '--create'], 'the project `shop` already exists'],
])('refuses the arguments %j', async (args, message) => {
  const config = 'projects: [{ app_id: shop, app_key: key-of-the-shop-here }]\nhttp: { port: 0 }\n';
  using folder = folderOf({ 'callweave.yaml': config });
  expect((await callweave(['credentials'], { cwd: folder.path })).err).toContain('there are no projects in data');
  await (await serve(folder.path)).app.stop(0);
  const { code, err } = await callweave(['credentials', 'new', ...args], { cwd: folder.path });
  expect(err).toContain(message);
  expect(code).toBe(2);
  // A key of the configuration is made, and has to be written there.
  const made = await callweave(['credentials', 'new'], { cwd: folder.path });
  expect(made.out).toMatch(/app_key +\S{40,}\n/);
  expect(made.err).toContain('The project `shop` is in callweave.yaml: add the new secrets there');
});

test('creates a different administrator token for the configuration each time', async () => {
  const [one, other] = [
    await callweave(['credentials', 'new', '--admin']),
    await callweave(['credentials', 'new', '--admin']),
  ];
  expect(one.out).toMatch(/^CALLWEAVE_ADMIN_TOKEN=\S{40,}\n$/);
  expect(one.err).toContain('admin: { token: { env: CALLWEAVE_ADMIN_TOKEN } }');
  expect(other.out).not.toBe(one.out);
});
