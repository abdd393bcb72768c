/** The room page as a browser gets it, made by the real bundler. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOM_PAGE } from '../../src/pages/room-page/page.ts';
import { createAssets, type PageAssets } from '../../src/pages/shared/assets.ts';
import { createSite } from '../../src/pages/shared/site.ts';

const MAX_GZIP_BYTES = 80_000;

let assets: PageAssets;
let server: Server;
let base: string;

beforeAll(async () => {
  assets = createAssets(ROOM_PAGE);
  const site = createSite(ROOM_PAGE, assets, () => undefined);
  server = createServer((req, res) => {
    const { url } = req;
    void site(Object.assign(req, { originalUrl: url, url: url!.replace(/^\/room/, '') }), res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  assets.stop();
  server.close();
});

it('is one page for all rooms, with scripts and styles of its own alone', async () => {
  const response = await fetch(`${base}/room/r-1`);
  const text = await response.text();
  expect(text).toMatch(/<script type="module" src="assets\/room-\w+\.js">/);
  expect(text).toMatch(/<link rel="stylesheet" href="assets\/room-\w+\.css">/);
  expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
  const [, style] = /stylesheet" href="([^"]+)"/.exec(text)!;
  const styles = await (await fetch(new URL(style!, `${base}/room/r-1`))).text();
  for (const selector of ['.dialog', '.mirror', '.stage', '.controls', '.panel']) expect(styles).toContain(selector);
  const [, path] = /src="([^"]+)"/.exec(text)!;
  const script = await fetch(new URL(path!, `${base}/room/r-1`));
  expect([script.status, script.headers.get('cache-control')]).toEqual([200, expect.stringContaining('immutable')]);
});

it('is less than 80 KB, compressed: scripts and styles, without the licences and what the audience alone loads', async () => {
  const { files } = await assets.get();
  const forAudience = files.filter(({ name }) => /^hls\b/.test(name));
  expect(forAudience.length).toBe(1);
  const sent = files
    .filter((file) => !file.name.endsWith('.txt') && !forAudience.includes(file))
    .reduce((sum, { gzip }) => sum + gzip.length, 0);
  expect(sent).toBeLessThan(MAX_GZIP_BYTES);
  // The client, Preact and the page are in it.
  expect(sent).toBeGreaterThan(10_000);
});
