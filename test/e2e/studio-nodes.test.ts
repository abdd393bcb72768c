/** The page of nodes in a real browser, over a cluster of two processes and a Redis with a replica. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { type RedisServer, redisProgram, startRedis } from '../redis-server.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const READ = 'the-token-of-one-who-looks';
const PHONES = '127.0.0.63';
const ADDRESSES = { one: '127.0.0.61', two: '127.0.0.62' } as const;
const WAITING = `flow: waiting
start: wait
steps:
  wait: { pause: 60s, next: bye }
  bye: { hangup: normal }
`;

const sipp = program('sipp');
const missing = [browser, sipp, redisProgram].find((each) => each.missing);

describe.skipIf(missing !== undefined)(`nodes in a browser${missing?.why ?? ''}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-nodes-'));
  let servers: RedisServer[] = [];
  let nodes: Service[] = [];
  let studio: Studio;
  let stopPhones = (): void => undefined;

  const start = (name: keyof typeof ADDRESSES): Promise<Service> =>
    startService({
      ...{ directory: join(directory, name), address: ADDRESSES[name], flows: { 'waiting.flow.yaml': WAITING } },
      numbers: [{ number: '1000', flow: 'waiting', project: 'demo' }],
      sip: { routes: [{ uri: `sip:${PHONES}:5060` }] },
      more: {
        admin: { tokens: [{ name: 'looks', token: READ, role: 'read' }] },
        cluster: {
          redis: { url: servers[0]!.url },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
          node: name,
          address: `http://${ADDRESSES[name]}:8080`,
        },
      },
    });
  const row = (name: string) =>
    studio.page.getByRole('row').filter({ has: studio.page.getByRole('rowheader', { name }) });

  beforeAll(async () => {
    const primary = await startRedis();
    servers = [primary, await startRedis({ replicaOf: primary })];
    const phones = spawn('sipp', ['-sn', 'uas', '-i', PHONES, '-p', '5060', '-nostdin'], { stdio: 'ignore' });
    stopPhones = () => void phones.kill('SIGKILL');
    nodes = await Promise.all([start('one'), start('two')]);
    studio = await openStudio(nodes[0]!);
  });
  afterAll(async () => {
    await studio?.close();
    await Promise.all(nodes.map((node) => node.kill()));
    stopPhones();
    for (const server of servers.toReversed()) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test('are shown with what they carry and cost, and so is their store', async () => {
    const { page } = studio;
    await studio.open('/settings/nodes');
    await row('two').getByText('takes calls').waitFor();
    await row('one').getByText('answers this page').waitFor();
    await row('two')
      .getByText(/^\d+ MB$/)
      .waitFor();
    await page.getByText(/^1, (up to date|\d+ kB behind)$/).waitFor();
    const order = { from: '1000', to: '33199001122', flow: 'waiting' };
    expect((await nodes[1]!.api('POST', '/voice/v1/call', order)).status).toBe(200);
    await row('two').getByText('1 leg').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('shows the calls of other nodes, live, with their events', async () => {
    const { page } = studio;
    await studio.open('/flows/waiting/live');
    await page.locator('[data-step="wait"] .live', { hasText: /^1$/ }).waitFor();
    const order = { from: '1000', to: '33199001124', flow: 'waiting' };
    const { body } = await nodes[1]!.api('POST', '/voice/v1/call', order);
    await page.locator('[data-step="wait"] .live', { hasText: /^2$/ }).waitFor();
    const call = `/voice/v1/call/${String(body['voice_id'])}`;
    expect((await nodes[0]!.api('DELETE', call)).status).toBe(200);
    await page.locator('[data-step="wait"] .live', { hasText: /^1$/ }).waitFor();
    await studio.open('/settings/nodes');
    await row('two').getByText('1 leg').waitFor();
  });

  test('are only looked at with a token that may only read', async () => {
    const page = await studio.signedIn(READ, '/settings/nodes');
    await page.getByRole('rowheader', { name: 'two' }).waitFor();
    expect(await page.getByRole('button', { name: /drain/i }).count()).toBe(0);
    await page.context().close();
  });

  test('are drained by one key and a question, and say when they are empty', async () => {
    const { page } = studio;
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    await page.keyboard.press('d');
    await row('two').getByText('draining: 1 call left').waitFor();
    expect(asked).toEqual(['Drain two? 1 call will continue.']);
    expect((await nodes[1]!.api('POST', '/voice/v1/call', { from: '1000', to: '33199001123' })).status).toBe(503);
    const { body } = await nodes[0]!.api('GET', '/voice/v1/call?state=live');
    const [call] = body['calls'] as { voice_id: string }[];
    await nodes[0]!.api('DELETE', `/voice/v1/call/${call!.voice_id}`);
    await row('two').getByText('drained: it can be stopped').waitFor();
    await page.getByText('two is empty: it can be stopped').waitFor();
    await page.getByRole('button', { name: 'Let two take calls' }).click();
    await row('two').getByText('takes calls').waitFor();
  });

  test('are there on the screen of a phone, too', async () => {
    const { page } = studio;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Drain two' }).waitFor();
    // Nothing is cut into letters.
    expect((await row('two').boundingBox())!.height).toBeLessThan(300);
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isTooWide).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(studio.problems).toEqual([]);
  });
});
