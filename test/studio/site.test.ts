/** The studio's page and files over HTTP, built by the real bundler. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssets, type PageAssets } from '../../src/pages/shared/assets.ts';
import { createSite } from '../../src/pages/shared/site.ts';
import { STUDIO } from '../../src/pages/studio/page.ts';

/** Scripts and styles of all screens, of which a visitor loads a few. */
const MAX_GZIP_BYTES = 450 * 1024;
/** Scripts and styles of the list of flows, which a line with 50 kB/s must load within two seconds. */
const MAX_FIRST_BROTLI_BYTES = 55 * 1024;
/** Scripts of the flow editor, without the text editor. */
const MAX_EDITOR_BROTLI_BYTES = 160 * 1024;
/** Loaded only by users who open the page of cluster nodes. */
const MAX_NODES_GZIP_BYTES = 3.25 * 1024;
/** Loaded by users who read another language than English. */
const MAX_LANGUAGE_GZIP_BYTES = 60 * 1024;

let assets: PageAssets;
let server: Server;
let base: string;

async function serve(of: PageAssets, failures: string[] = []): Promise<{ server: Server; base: string }> {
  const site = createSite(STUDIO, of, (why) => failures.push(why));
  const made = createServer((req, res) => {
    const { url } = req;
    void site(Object.assign(req, { originalUrl: url, url: url!.replace(/^\/studio/, '') }), res);
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return { server: made, base: `http://127.0.0.1:${(made.address() as AddressInfo).port}` };
}

beforeAll(async () => {
  assets = createAssets(STUDIO);
  ({ server, base } = await serve(assets));
});
afterAll(() => {
  assets.stop();
  server.close();
});

describe('the page', () => {
  test.each(['/studio', '/studio/', '/studio/flows/welcome-menu', '/studio/assets/', '/studio?q=1', '/studio//'])(
    'is the same at %s, with relative addresses of its script, also below a proxy path',
    async (path) => {
      const response = await fetch(base + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const src = /<script type="module" src="([^"]+)">/.exec(await response.text())![1]!;
      for (const prefix of ['', '/cw', '/one/two']) {
        const script = new URL(src, `https://voice.example${prefix}${path}`);
        expect(script.pathname).toMatch(new RegExp(`^${prefix}/studio/assets/studio-\\w+\\.js$`));
      }
    },
  );

  test('allows no other origins, and only its own script files', async () => {
    const response = await fetch(`${base}/studio/`);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /'nonce-([^']+)'/.exec(policy)![1];
    expect(await response.text()).toContain(`<meta name="csp-nonce" content="${nonce}">`);
    const again = await fetch(`${base}/studio/`);
    expect(again.headers.get('content-security-policy')).not.toContain(nonce);
  });

  test.each([
    ['/studio/flows', 'flow-list'],
    ['/studio/flows/welcome-menu', 'flow-editor'],
  ])('names the scripts of the screen at %s', async (path, screen) => {
    const page = await (await fetch(base + path)).text();
    const names = /<meta name="screen-scripts" content="([^"]+)">/.exec(page)![1]!.split(' ');
    expect(names[0]).toMatch(new RegExp(`^${screen}-\\w+\\.js$`));
    const { files } = await assets.get();
    expect(names.filter((name) => !files.some((file) => file.name === name))).toEqual([]);
  });

  test('rejects methods other than GET and HEAD', async () => {
    const response = await fetch(`${base}/studio/`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the files', () => {
  test('are compressed as the browser accepts, and immutable', async () => {
    const { files, script } = await assets.get();
    const { plain } = files.find(({ name }) => name === script)!;
    for (const [accepted, unpack] of [
      ['br, gzip', brotliDecompressSync],
      ['gzip', gunzipSync],
      ['identity', (bytes: Buffer) => bytes],
    ] as const) {
      const response = await rawGet(`${base}/studio/assets/${script}`, accepted);
      expect(unpack(response.body).equals(plain)).toBe(true);
      expect(response.headers['cache-control']).toContain('immutable');
    }
  });

  test('are not more than 450 KB, with all screens: scripts and styles, without the licences, the page of nodes and other languages', async () => {
    const { files } = await assets.get();
    const sizeOf = (of: typeof files): number => of.reduce((sum, { gzip }) => sum + gzip.length, 0);
    const ofNodes = files.filter(({ name }) => name.startsWith('nodes-'));
    expect(ofNodes).toHaveLength(1);
    expect(sizeOf(ofNodes)).toBeLessThan(MAX_NODES_GZIP_BYTES);
    const ofLanguages = files.filter(({ name }) => /^(?:de|fr|ar)-/.test(name));
    expect(ofLanguages).toHaveLength(3);
    for (const language of ofLanguages) expect(sizeOf([language])).toBeLessThan(MAX_LANGUAGE_GZIP_BYTES);
    const apart = new Set([...ofNodes, ...ofLanguages]);
    const sent = files.filter((file) => !file.name.endsWith('.txt') && !apart.has(file));
    expect(sizeOf(sent)).toBeLessThan(MAX_GZIP_BYTES);
  });

  test('are few for the first view: neither the graph nor the text editor is loaded with the list of flows', async () => {
    const { files, script, preloads = [], style, screens = {} } = await assets.get();
    const sizeOf = (names: readonly string[]): number =>
      files.filter(({ name }) => names.includes(name)).reduce((sum, { brotli }) => sum + brotli.length, 0);
    const [ofList, ofEditor] = Object.values(screens);
    expect(ofList!.length).toBeGreaterThan(1);
    expect(sizeOf([script, ...preloads, style!, ...ofList!])).toBeLessThan(MAX_FIRST_BROTLI_BYTES);
    expect(sizeOf([script, ...preloads, ...ofEditor!])).toBeLessThan(MAX_EDITOR_BROTLI_BYTES);
  });

  test('contains each style once, in that of the first view or in the later one', async () => {
    const { files, style, laterStyle } = await assets.get();
    const textOf = (name: string): string => files.find((file) => file.name === name)!.plain.toString();
    const [first, later] = [textOf(style!), textOf(laterStyle!)];
    for (const [selector, isFirst] of [
      ['.flow-list', true],
      ['.rail', true],
      ['.minimap', false],
      ['.column-switch', false],
      ['.step-picker', false],
    ] as const) {
      expect([selector, first.includes(selector), later.includes(selector)]).toEqual([selector, isFirst, !isFirst]);
    }
  });

  test.each(['nothing.js', '..%2f..%2fpackage.json', 'studio.js'])(
    'include no others: %s is not found',
    async (name) => {
      expect((await fetch(`${base}/studio/assets/${name}`)).headers.get('content-type')).toMatch(/^text\/(plain|html)/);
    },
  );

  test('includes the licences of their dependencies', async () => {
    const response = await fetch(`${base}/studio/assets/licences.txt`);
    expect(await response.text()).toMatch(/\npreact\n\nThe MIT License(.|\n)*Copyright/);
  });
});

test('shows the reason on the page if the build fails, and retries at the next request', async () => {
  const maker = join(mkdtempSync(join(tmpdir(), 'callweave-maker-')), 'maker.mjs');
  writeFileSync(maker, "throw new Error('the bundler has no binary for this machine')");
  const failures: string[] = [];
  const failing = createAssets(STUDIO, maker);
  const other = await serve(failing, failures);
  const response = await fetch(`${other.base}/studio/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toBe(
    'The studio cannot be made: Error: the bundler has no binary for this machine\nCalls and the API are not affected.\n',
  );
  expect(failures).toEqual(['Error: the bundler has no binary for this machine']);
  const built = { script: 'studio-1.js', files: [] };
  writeFileSync(maker, `process.send(${JSON.stringify(built)}, () => process.disconnect());`);
  expect((await fetch(`${other.base}/studio/`)).status).toBe(200);
  other.server.close();
});

/** `fetch` decompresses the body. */
async function rawGet(url: string, acceptEncoding: string) {
  const { get } = await import('node:http');
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': acceptEncoding } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }));
    }).on('error', reject);
  });
}
