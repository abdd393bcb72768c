/** `callweave doctor`: finds each kind of problem, and says how to fix it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { version } from '../../src/base/version.ts';
import { checkAlike, checkSkew, storeFindings } from '../../src/cli/doctor/cluster.ts';
import type { DoctorResult } from '../../src/cli/doctor/finding.ts';
import { checkAddress, checkFileLimit, checkNode, checkPriority, checkSpace } from '../../src/cli/doctor/machine.ts';
import { checkCertificate } from '../../src/cli/doctor/parts.ts';
import { redisProgram, startRedis } from '../redis-server.ts';
import { Authority } from '../sip/authority.ts';
import { callweave, folderOf } from './command.ts';

const ADDRESS = '127.0.0.191';
const CONFIG = `
data_directory: data
http: { host: ${ADDRESS}, port: 8080 }
sip: { host: ${ADDRESS}, port: 5060, rtp_ports: [20000, 20999] }
numbers: [{ number: "1000", webhook: "https://shop.example/events" }]
`;
const DAY_MS = 86_400_000;

async function examined(config: string): Promise<{ ok: boolean; code: number | null; findings: DoctorResult[] }> {
  using folder = folderOf({ 'callweave.yaml': config });
  const { code, json } = await callweave(['doctor', '--json'], { cwd: folder.path });
  return { code, ...(json() as { ok: boolean; findings: DoctorResult[] }) };
}

const of = (findings: readonly DoctorResult[], subject: string) => findings.filter((each) => each.subject === subject);

test('reports no fault on a machine that has what it needs', async () => {
  const { ok, code, findings } = await examined(CONFIG);
  expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
  expect({ ok, code }).toEqual({ ok: true, code: 0 });
  const subjects = findings.map(({ subject }) => subject);
  for (const subject of ['Node', 'clock', 'data directory', 'public address', 'open files', 'ffmpeg', 'rooms']) {
    expect(subjects).toContain(subject);
  }
  expect(of(findings, 'port of SIP').map(({ found }) => found)).toEqual([
    `${ADDRESS}:5060/udp is free`,
    `${ADDRESS}:5060/tcp is free`,
  ]);
});

test('names a port that another program uses, with the key that changes it', async () => {
  const other = createSocket('udp4').bind(5060, ADDRESS);
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { ok, code, findings } = await examined(CONFIG);
  expect({ ok, code }).toEqual({ ok: false, code: 1 });
  expect(of(findings, 'port of SIP')[0]).toEqual({
    subject: 'port of SIP',
    state: 'failed',
    found: `${ADDRESS}:5060/udp is in use by another program`,
    remedy: 'find it with ss -lnp, or set sip.port',
  });
});

test('accepts ports in use by the running service', async () => {
  const service = createHttpServer((_, response) => response.end('{"checks":{}}')).listen(8080, ADDRESS);
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  const { ok, findings } = await examined(CONFIG);
  expect(ok).toBe(true);
  expect(of(findings, 'ports')[0]?.found).toContain(`a service answers at ${ADDRESS}:8080`);
});

test('reports an address of another machine, and too few ports for the calls', async () => {
  const { findings } = await examined(`${CONFIG.replaceAll(ADDRESS, '192.0.2.1')}`);
  expect(of(findings, 'port of SIP')[0]?.found).toBe('192.0.2.1 is not an address of this machine');
  const few = await examined(CONFIG.replace('20999', '20099'));
  expect(of(few.findings, 'ports of RTP')[0]).toMatchObject({
    state: 'warning',
    found: expect.stringMatching(/for 50 concurrent calls/),
  });
});

test('reports a mistake in the configuration first', async () => {
  const { code, findings } = await examined('http: { prot: 8080 }\n');
  expect(code).toBe(1);
  expect(of(findings, 'configuration')[0]).toMatchObject({
    state: 'failed',
    found: expect.stringMatching(/^callweave\.yaml:1: /),
  });
});

test('reports a configuration that the start refuses, with the flow and its error', async () => {
  const config = `${CONFIG.replace('webhook: "https://shop.example/events"', 'flow: broken')}flows_directory: flows\n`;
  using folder = folderOf({
    'callweave.yaml': config,
    'flows/broken.flow.yaml': 'flow: broken\nstart: nowhere\nsteps: {}\n',
  });
  const { code, json } = await callweave(['doctor', '--json'], { cwd: folder.path });
  const { findings } = json() as { findings: DoctorResult[] };
  expect(code).toBe(1);
  expect(of(findings, 'configuration').map(({ state, found }) => [state, found])).toEqual(
    expect.arrayContaining([
      ['failed', expect.stringMatching(/callweave\.yaml:\d+: there is no flow broken that compiles/)],
      ['failed', expect.stringMatching(/broken\.flow\.yaml:\d+: /)],
    ]),
  );
});

test('asks a running service whether it takes calls, and about its carriers', async () => {
  const health = {
    status: 'failing',
    why: 'no_replica',
    means: 'no replica',
    remedy: 'start one',
    since: 'noon',
    checks: {},
  };
  const labels = '{route="file-1",gateway="sip:carrier.example"}';
  const metrics = `callweave_sip_gateway_up${labels} 1\ncallweave_sip_gateway_registered${labels} 0\n`;
  const service = createHttpServer(({ url }, response) =>
    response.end(url === '/metrics' ? metrics : JSON.stringify(health)),
  ).listen(8080, ADDRESS);
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  const { findings } = await examined(CONFIG);
  expect(of(findings, 'service')).toEqual([
    { subject: 'service', state: 'failed', found: 'refuses new calls: no replica, since noon', remedy: 'start one' },
  ]);
  expect(of(findings, 'carrier')).toMatchObject([
    { state: 'failed', found: 'sip:carrier.example of route file-1 does not accept the registration' },
  ]);
});

test('prints a line for each finding, and the remedy below it', async () => {
  using folder = folderOf({ 'callweave.yaml': CONFIG.replaceAll(ADDRESS, '192.0.2.1') });
  const { code, out } = await callweave(['doctor'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(out).toMatch(/^ok {7}Node {12}\d/m);
  expect(out).toMatch(/^failed {3}port of SIP {5}192\.0\.2\.1 is not .*\n {25}list its addresses with: ip address/m);
  expect(out).toMatch(/problems to fix before calls work/);
});

test('reports an old Node, a full disk and a low limit of open files', () => {
  expect(checkNode('22.1.0')).toMatchObject({ state: 'failed', remedy: expect.stringMatching(/Node 24/) });
  expect(checkNode('26.0.0').state).toBe('ok');
  expect(checkSpace('/data', 50e6).state).toBe('failed');
  expect(checkSpace('/data', 1e9).state).toBe('warning');
  expect(checkSpace('/data', 50e9).state).toBe('ok');
  expect(checkFileLimit(1024, 400)).toMatchObject({ state: 'warning', remedy: expect.stringMatching(/LimitNOFILE/) });
  expect(checkFileLimit(65_536, 400).state).toBe('ok');
  expect([checkPriority(true).state, checkPriority(false).state]).toEqual(['ok', 'warning']);
});

test.each([
  ['127.0.0.1', undefined, 0, 'ok'],
  ['127.0.0.1', undefined, 1, 'warning'],
  ['192.168.1.5', undefined, 1, 'warning'],
  ['192.168.1.5', undefined, 0, 'ok'],
  ['192.168.1.5', 'voice.example', 1, 'ok'],
  ['8.8.8.8', undefined, 1, 'ok'],
])('checks the address %s, advertised as %s, with %i routes: %s', (host, advertisedHost, routes, state) => {
  const found = checkAddress({
    ...{ host, routes: Array.from({ length: routes }, () => ({ prefix: '', gateways: [] })) },
    ...(advertisedHost === undefined ? {} : { advertisedHost }),
  });
  expect(found.state).toBe(state);
});

test('reports certificates that expire, have expired, or have another key', () => {
  using authority = new Authority();
  const { files } = authority.certificate('DNS:voice.example');
  const now = Date.now();
  expect(checkCertificate(files, now - 365 * DAY_MS)).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/DNS:voice\.example: valid/),
  });
  const { found } = checkCertificate(files, now);
  const days = Number(/valid for (\d+) days/.exec(found)?.[1]);
  expect(checkCertificate(files, now + (days - 5) * DAY_MS)).toMatchObject({
    state: 'warning',
    remedy: expect.stringMatching(/SIGHUP/),
  });
  expect(checkCertificate(files, now + (days + 2) * DAY_MS)).toMatchObject({
    state: 'failed',
    found: expect.stringMatching(/expired/),
  });
  const { key } = authority.certificate('DNS:other.example').files;
  expect(checkCertificate({ ...files, key }, now)).toMatchObject({
    state: 'failed',
    found: expect.stringMatching(/is not the key of/),
  });
  const broken = join(authority.directory, 'broken.pem');
  writeFileSync(broken, 'nonsense');
  expect(checkCertificate({ cert: broken, key: broken }, now).state).toBe('failed');
});

test('checks a cluster: its Redis, its clock, and whether this machine reaches itself', async () => {
  const cluster =
    'cluster: { redis: { url: "redis://127.0.0.1:1" }, key: "a key that only the nodes of this test know" }';
  const { findings, code } = await examined(`${CONFIG}${cluster}\n`);
  expect(code).toBe(1);
  expect(of(findings, 'Redis')).toMatchObject([{ state: 'failed', found: expect.stringMatching(/ECONNREFUSED/) }]);
  expect(of(findings, 'own address')).toMatchObject([{ state: 'warning', remedy: 'is the service running?' }]);
});

test.skipIf(redisProgram.missing)(`reports a Redis without a replica${redisProgram.why}`, async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const config = (durability: string) =>
    `${CONFIG}cluster: { redis: { url: "${server.url}" }, key: "a key that only the nodes of this test know", durability: ${durability} }\n`;
  const { findings } = await examined(config('replica'));
  expect(of(findings, 'Redis')).toMatchObject([
    { state: 'failed', remedy: 'start a replica, or set cluster.durability to memory' },
  ]);
  const alone = (await examined(config('memory'))).findings;
  expect(of(alone, 'Redis')).toMatchObject([{ state: 'ok', found: expect.stringMatching(/0 replicas/) }]);
  expect(of(alone, 'clock of cluster')).toMatchObject([{ state: 'ok' }]);
  expect(of(alone, 'nodes')).toMatchObject([{ found: 'no other node is running' }]);
  // Nothing was written.
  expect([await server.command('DBSIZE'), await server.command('FUNCTION', 'LIST')]).toEqual([0, []]);
});

test('reports nodes with different settings', () => {
  const node = (name: string, flows = 'abc', more = version()) => ({ name, flows, version: more });
  expect(checkAlike([node('one'), node('two')])).toMatchObject([{ state: 'ok', found: 'one, two' }]);
  expect(checkAlike([node('one'), node('one')])[0]!.found).toMatch(/several are named one/);
  expect(checkAlike([node('one'), node('two', 'xyz')])[0]!.found).toMatch(/different flows/);
  expect(checkAlike([node('one', 'abc', '0.1.0')])[0]!.found).toMatch(/they run .* and 0\.1\.0/);
  const state = { isReachable: true, durability: 'disk', version: 'Redis 7.2.0', replicas: 1, isOnDisk: false };
  expect(storeFindings(state, { durability: 'disk' })[0]!.remedy).toMatch(/appendonly/);
  expect(storeFindings({ ...state, version: 'Redis 6.2.1' }, { durability: 'memory' })[0]!.state).toBe('failed');
  const replicated = { isReachable: true, durability: 'replica', version: 'Redis 7.2.0' };
  const found = [0, 1, 2].map((replicas) => storeFindings({ ...replicated, replicas }, { durability: 'replica' })[0]!);
  expect(found.map(({ state }) => state)).toEqual(['failed', 'warning', 'ok']);
  expect(found[1]).toMatchObject({
    found: expect.stringMatching(/no node accepts calls/),
    remedy: expect.stringMatching(/second replica/),
  });
  expect(storeFindings({ ...replicated, replicas: 0 }, { durability: 'memory' })[0]!.state).toBe('ok');
  expect([10, 2000, 40_000].map((ms) => checkSkew(ms).state)).toEqual(['ok', 'warning', 'failed']);
});
