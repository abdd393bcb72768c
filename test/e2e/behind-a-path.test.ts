/**
 * The pages behind a proxy that serves the whole service below a path, by the configurations of `docs/reverse-proxy.md`:
 * Chromium sees nothing else. Skipped, with the reason, for a proxy that is not installed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { program } from '../programs.ts';
import { browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.77';
const PORT = 8088;
const PUBLIC = `http://${ADDRESS}:${PORT}/cw`;
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reverse-proxy.md'), 'utf8');

/** The configuration of the documentation for this test: its own addresses, and no TLS. */
const documented = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``)
    .exec(PAGE)![1]!
    .replaceAll('127.0.0.1:8080', `${ADDRESS}:8080`)
    .replace(':443 ssl crt /etc/ssl/voice.example.pem', `${ADDRESS}:${PORT}`)
    .replace(/listen 443 ssl;/, `listen ${ADDRESS}:${PORT};`)
    .replace(/ +ssl_certificate.*\n/g, '')
    .replace(/^voice\.example \{/m, `http://${ADDRESS}:${PORT} {`);

interface Proxy {
  name: 'nginx' | 'haproxy' | 'caddy';
  file(directory: string): string;
  args(file: string): string[];
}

const PROXIES: Proxy[] = [
  { name: 'haproxy', file: () => documented('haproxy'), args: (file) => ['-db', '-f', file] },
  {
    name: 'nginx',
    file: (directory) => `daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${directory}/${kind};`).join(' ')}
  ${documented('nginx')}
}`,
    args: (file) => ['-e', `${file}.log`, '-c', file],
  },
  {
    name: 'caddy',
    file: () => `{\n  admin off\n}\n${documented('caddy')}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];
const FLOWS = { 'hello.flow.yaml': 'flow: hello\nstart: bye\nsteps:\n  bye: { hangup: normal }\n' };

const tried = PROXIES.map((proxy) => ({ ...proxy, ...program(proxy.name) }));

describe.each(tried)('pages below a path of a proxy, $name', ({ name, file, args, missing, why }) => {
  const it = test.skipIf(browser.missing || missing);
  const reason = browser.why + why;
  let service: Service;
  let proxy: ChildProcess;
  let studio: Studio;

  beforeAll(async () => {
    if (reason !== '') return;
    const directory = mkdtempSync(join(tmpdir(), 'callweave-path-'));
    const started = await startService({
      directory,
      address: ADDRESS,
      http: { public_url: PUBLIC },
      numbers: [{ number: '1000', flow: 'hello' }],
      flows: FLOWS,
    });
    service = { ...started, url: PUBLIC };
    const configuration = join(directory, `${name}.conf`);
    writeFileSync(configuration, file(directory));
    const environment = { ...process.env, HOME: directory };
    proxy = spawn(name, args(configuration), { stdio: 'ignore', env: environment });
    await vi.waitFor(async () => expect((await fetch(`${PUBLIC}/health`)).status).toBe(200), 20_000);
    studio = await openStudio(service);
  }, 90_000);
  afterAll(async () => {
    await studio?.close();
    proxy?.kill('SIGKILL');
    await service?.kill();
  });

  it(`opens the studio by the printed link, at each depth, and follows its links${reason}`, async () => {
    const { page, problems } = studio;
    for (const path of ['', '/', '/calls', '/flows/hello', '/settings/numbers']) {
      await studio.open(path);
      expect(page.url()).toMatch(new RegExp(`^${PUBLIC}/studio`));
    }
    await studio.open('/flows');
    await page.getByRole('link', { name: 'Tests of hello' }).click();
    await page.waitForURL(`${PUBLIC}/studio/flows/hello/tests`);
    await page.goto(`${PUBLIC}/`);
    await page.waitForURL(`${PUBLIC}/studio/**`);
    expect(problems).toEqual([]);
  });

  it(`shows the calls as they come${reason}`, async () => {
    const { page } = studio;
    const streamed = page.waitForResponse((response) => response.url().startsWith(`${PUBLIC}/voice/v1/events`));
    await studio.open('/calls');
    expect((await streamed).headers()['content-type']).toContain('text/event-stream');
  });

  it(`opens a room by its link, and a phone by its link${reason}`, async () => {
    const room = { name: 'Path', owner_ref: 'acme' };
    const { body } = await service.api('POST', '/video/v2/rooms', room);
    const { room_id: id } = body['room'] as { room_id: string };
    const person = { name: 'Ann', role: 'moderator', user_ref: 'ann' };
    const { body: token } = await service.api('POST', `/video/v2/rooms/${id}/tokens`, person);
    const page = await studio.another();
    await page.goto(`${PUBLIC}/room/${id}#${token['token']}`);
    await page.getByRole('button', { name: 'Join' }).waitFor();
    const { body: phone } = await service.api('POST', '/voice/v1/webphone', { flow: 'hello' });
    expect(phone['url']).toMatch(new RegExp(`^${PUBLIC}/phone#`));
    await page.goto(String(phone['url']));
    await page.getByRole('button', { name: 'Call' }).waitFor();
    expect(studio.problems).toEqual([]);
  });
});
