/** `callweave start` as a process: its output, its stop, and a call that `trace` finds in its data. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { Authority } from '../sip/authority.ts';
import { callweave, folderOf, ROOT, startCallweave, startProcess } from './command.ts';

const certificate = (file: string) => join(ROOT, 'test/sip/certificates', file);

const CONFIG = `flows_directory: ${join(ROOT, 'flows')}
http: { port: 0 }
sip: { host: 127.0.0.194, port: 0, tls: { port: 0, cert: ${certificate('named.pem')}, key: ${certificate('named.key')} } }
numbers: [{ number: "1000", flow: welcome-menu }]
`;

interface Facts {
  addresses: { http: { host: string; port: number }; sip: { host: string; port: number } };
  created: { appId: string; appKey: string; webhookSecret: string };
}

const start = (folder: string, args: string[] = []) => startCallweave(['start', ...args], { cwd: folder });

test('prints addresses and what to try, no secrets where they would be kept, and stops when asked', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  const first = start(folder.path);
  const out = await first.until(/credentials new {2}prints a key for it/);
  // Missing features are named below the requested ones.
  expect(out).toMatch(
    /^Callweave \S+ is running[^{]*Call {2}sip:1000[^{]*Speech recognition by vosk is not available: [^{]*callweave models install/m,
  );
  expect(out).toMatch(/API {3}http:\/\/127\.0\.0\.1:\d+/);
  expect(out).toMatch(/SIP {3}127\.0\.0\.194:\d+ \(UDP and TCP\)\n {8}127\.0\.0\.194:[1-9]\d+ \(TLS\)/);
  expect(out).toMatch(/Call {2}sip:1000@127\.0\.0\.194:\d+ {3}flow welcome-menu/);
  expect(out).toMatch(/Studio {2}\S.* studio {2}prints a link that signs you in once/);
  expect(out).not.toMatch(/#code=|app_key|whsec_/);
  first.child.kill('SIGTERM');
  expect(await first.ended).toEqual([0, null]);

  const second = start(folder.path);
  expect(await second.until('is running')).not.toContain('app_key');
  second.child.kill('SIGINT');
  expect(await second.ended).toEqual([0, null]);

  const looking = start(folder.path, ['--quarantine']);
  expect(await isHealthy(await looking.until('QUARANTINE: read-only'))).toBe(false);
  looking.child.kill('SIGTERM');
  expect(await looking.ended).toEqual([0, null]);
});

const isHealthy = async (out: string): Promise<boolean> => {
  const base = /API {3}(http:\S+)/.exec(out)![1];
  return (await fetch(`${base}/health`)).ok;
};

test('reads its configuration again by SIGHUP and by `callweave reload`, and says what needs a restart', async () => {
  const token = 'a-token-of-the-administrator';
  const config = (flow: string): string =>
    `${CONFIG.replace('welcome-menu', flow)}admin: { token: ${token} }\nprojects: [{ app_id: shop, app_key: key-of-the-shop-0001 }]\n`;
  using folder = folderOf({ 'callweave.yaml': config('welcome-menu') });
  const service = start(folder.path);
  const url = /API {3}(http:\S+)/.exec(await service.until(/Call {2}sip/))![1]!;
  const leadsTo = async (): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    return ((await (await fetch(`${url}/admin/v1/numbers/1000`, { headers })).json()) as { flow: string }).flow;
  };
  const file = join(folder.path, 'callweave.yaml');
  writeFileSync(file, config('inbound-webhook'));
  service.child.kill('SIGHUP');
  await service.until(/service\.reloaded/);
  expect(await leadsTo()).toBe('inbound-webhook');

  const reload = () => callweave(['reload', '--url', url], { cwd: folder.path });
  writeFileSync(file, `${config('welcome-menu')}studio: false\n`);
  expect(await reload()).toMatchObject({
    code: 0,
    out: 'effective from the next call on: numbers\neffective after a restart only: studio\n',
  });
  expect(await leadsTo()).toBe('welcome-menu');
  writeFileSync(file, config('not-there'));
  const refused = await reload();
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/callweave\.yaml:4:\d+ error unknown-flow/);
  expect(refused.err).toMatch(/hint: the flows are .*\n.*the running configuration is unchanged/);
  expect(await leadsTo()).toBe('welcome-menu');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
});

test('opens no debugger at SIGUSR1', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  const service = start(folder.path);
  const out = await service.until(/Call {2}sip/);
  service.child.kill('SIGUSR1');
  expect(await isHealthy(out)).toBe(true);
  service.child.kill('SIGTERM');
  await service.ended;
  expect(await service.until('service.stopped')).not.toContain('Debugger listening');
});

test('is not ended by SIGHUP, which is logged', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  const service = start(folder.path);
  const out = await service.until(/Call {2}sip/);
  for (let n = 1; n <= 3; n++) {
    service.child.kill('SIGHUP');
    await service.until(new RegExp(`(service\\.reloaded[^]*){${n}}`));
  }
  expect(await isHealthy(out)).toBe(true);
  service.child.kill('SIGTERM');
  service.child.kill('SIGHUP');
  expect(await service.ended).toEqual([0, null]);
});

const shownAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.194', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });

test('reads certificates again on SIGHUP, and keeps the old ones when they cannot be used', async () => {
  using authority = new Authority();
  const first = authority.certificate('', 'this year');
  const config = CONFIG.replace(/cert: [^,]+/, 'cert: cert.pem').replace(/key: [^ ]+/, 'key: key.pem');
  using folder = folderOf({
    'callweave.yaml': config,
    'cert.pem': first.cert.toString(),
    'key.pem': first.key.toString(),
  });
  const service = start(folder.path);
  const port = Number(/:(\d+) \(TLS\)/.exec(await service.until(/Call {2}sip/))![1]);
  expect(await shownAt(port)).toBe('this year');
  const next = authority.certificate('', 'next year');
  writeFileSync(join(folder.path, 'cert.pem'), next.cert);
  writeFileSync(join(folder.path, 'key.pem'), next.key);
  service.child.kill('SIGHUP');
  await service.until(/service\.reloaded/);
  expect(await shownAt(port)).toBe('next year');
  writeFileSync(join(folder.path, 'cert.pem'), first.cert);
  service.child.kill('SIGHUP');
  await service.until(/service\.reload_failed/);
  expect(await shownAt(port)).toBe('next year');
  const expired = authority.expired('of 2020');
  writeFileSync(join(folder.path, 'cert.pem'), expired.cert);
  writeFileSync(join(folder.path, 'key.pem'), expired.key);
  service.child.kill('SIGHUP');
  await service.until(/the certificate \\"CN=of 2020\\" expired at 2020-01-02T00:00:00\.000Z/);
  expect(await shownAt(port)).toBe('next year');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
});

/** Of bsdutils; where it is missing, there is no terminal to close. */
const hasScript = spawnSync('sh', ['-c', 'command -v script']).status === 0;
test.skipIf(!hasScript)('prints secrets once on a terminal, and continues when the terminal is closed', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  const command = `echo $$ > pid; exec ${process.execPath} ${join(ROOT, 'src/cli/main.ts')} start`;
  const terminal = spawn('script', ['-qc', command, '/dev/null'], { cwd: folder.path });
  let out = '';
  terminal.stdout.on('data', (chunk) => {
    out += stripVTControlCharacters(String(chunk));
  });
  while (!/Call {2}sip[\s\S]*webhook secret/.test(out)) await once(terminal.stdout, 'data');
  expect(out).toMatch(/Studio {2}http:\S+\/studio\/#code=[\w-]{43}\s/);
  expect(out).toMatch(/app_id +\S+\s+app_key +\S{40,}\s+webhook secret +whsec_/);
  const pid = Number(readFileSync(join(folder.path, 'pid'), 'utf8'));
  const closed = once(terminal, 'exit');
  // Killed, it has no time to end what runs in it.
  terminal.kill('SIGKILL');
  await closed;
  try {
    // Each answer is a log line that is not read.
    for (let n = 0; n < 5; n++) expect(await isHealthy(out)).toBe(true);
    process.kill(pid, 'SIGHUP');
    expect(await isHealthy(out)).toBe(true);
  } finally {
    process.kill(pid, 'SIGTERM');
  }
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 10_000 });
});

test('traces and replays a placed call by its id', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  const service = start(folder.path, ['--json']);
  const out = await service.until(/^}$/m);
  const facts = JSON.parse(out.slice(out.indexOf('{\n'), out.indexOf('\n}\n') + 2)) as Facts;
  const { http } = facts.addresses;
  const { appId, appKey } = facts.created;
  const answer = await fetch(`http://${http.host}:${http.port}/voice/v1/call`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${appId}:${appKey}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ from: '1000', to: '+33612345678', flow: 'welcome-menu' }),
  });
  const { voice_id: callId } = (await answer.json()) as { voice_id: string };
  service.child.kill('SIGTERM');
  await service.ended;

  const traced = await callweave(['trace', callId], { cwd: folder.path });
  expect(traced.out).toContain('outbound call from 1000 to +33612345678: flow welcome-menu');
  expect(traced.out).toContain('call is failed (3 No Route To Destination)');
  expect((await callweave(['replay', callId], { cwd: folder.path })).out).toMatch(/1 call replayed, 0 diverged/);
  const unknown = await callweave(['trace', 'nobody'], { cwd: folder.path });
  expect(unknown.err).toContain('call nobody not found in data');
  expect(unknown.code).toBe(2);
});

/** Stores a waiting callback, whose position in the queue is polled. */
async function keepCallback(folder: string): Promise<void> {
  mkdirSync(join(folder, 'data'));
  const store = openSqliteStore({ file: join(folder, 'data/callweave.db'), clock: systemClock });
  const nowMs = Date.now();
  await store.callbacks.put({
    ...{
      callbackId: 'callback-1',
      projectId: 'shop',
      queue: 'help',
      to: '+33612345678',
      from: '1000',
      callId: 'call-1',
    },
    ...{
      flow: 'welcome-menu',
      input: {},
      agents: ['1001'],
      priority: 0,
      enteredMs: nowMs,
      attempts: 0,
      maxAttempts: 3,
    },
    ...{ pauseMs: 1000, ringTimeoutMs: 20_000, notBeforeMs: nowMs + 3_600_000, untilMs: nowMs + 7_200_000 },
  });
  await store.close();
}

test('ends by SIGTERM while a callback waits in a queue', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG });
  await keepCallback(folder.path);
  const service = start(folder.path);
  await service.until('is running');
  await service.until('callbacks.recovered');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
  expect(await service.until('service.stopped')).not.toContain('process.held');
});

test('is ended when something holds it open after the stop, which is named', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG, 'hold.js': 'setInterval(() => undefined, 1000);\n' });
  const held = [`--import=${join(folder.path, 'hold.js')}`, join(ROOT, 'src/cli/main.ts'), 'start'];
  const service = startProcess(process.execPath, held, { cwd: folder.path });
  await service.until('is running');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
  expect(await service.until('process.held')).toMatch(/"holders":\{[^}]*"Timeout":1/);
});

test('starts with the configuration and the secrets of docs/operations.md', async () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = page.slice(page.indexOf('## Write a configuration'), page.indexOf('## Ports'));
  const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``).exec(section)![1]!;
  using folder = folderOf({
    // Its own address of this machine: other tests have the ports of the first.
    'callweave.yaml': block('yaml').replaceAll('127.0.0.1', '127.0.0.195'),
    'flows/welcome-menu.flow.yaml': readFileSync(join(ROOT, 'flows/welcome-menu.flow.yaml'), 'utf8'),
    'start.sh': `set -e\n${block('sh')}exec "${process.execPath}" "${join(ROOT, 'bin/callweave.js')}" start\n`,
  });
  const service = startProcess('sh', ['start.sh'], { cwd: folder.path });
  const out = await service.until('flow welcome-menu');
  expect(out).toContain('API   http://127.0.0.195:8080');
  expect(out).toContain('SIP   127.0.0.195:5060 (UDP and TCP)');
  expect(out).toContain('flow welcome-menu');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
});

test('says in two lines that a newer version has used the data', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG, 'data/callweave.db': '' });
  const editor = new DatabaseSync(join(folder.path, 'data/callweave.db'));
  editor.exec('CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_ms INTEGER) STRICT');
  editor.exec("INSERT INTO migrations VALUES (999, '999-future.sql', 0)");
  editor.close();
  const { code, err } = await callweave(['start'], { cwd: folder.path });
  expect(err.trim().split('\n')).toEqual([
    expect.stringMatching(/^callweave: the data cannot be opened: .*used by a newer version$/),
    expect.stringMatching(/^ {2}hint: start the newer version, or restore the backup/),
  ]);
  expect(code).toBe(1);
});

test('reports a mistake in the configuration with its position, and creates nothing', async () => {
  using folder = folderOf({ 'callweave.yaml': 'numbers: [{ number: "1000", flow: welcome-menu, flo: x }]\n' });
  const { code, out, err } = await callweave(['start'], { cwd: folder.path });
  expect(err).toMatch(/callweave\.yaml:1:\d+ error unknown-key.*hint: did you mean flow\?/s);
  expect(out).toBe('');
  expect(code).toBe(2);
  expect(existsSync(join(folder.path, 'data'))).toBe(false);
  const absent = await callweave(['start', '--config', 'other.yaml'], { cwd: folder.path });
  expect(absent.err).toMatch(/other\.yaml.*there is no such file/);
  expect(absent.code).toBe(2);
});
