/**
 * A service in quarantine runs on a copy of the data next to the original service: it sends nothing, continues nothing,
 * and changes no data. The copy is a backup of a service with active calls, broadcasts and sessions.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createApp } from '../../src/app.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { readConfigText } from '../../src/config.ts';
import type { Archive } from '../../src/media/rooms/archive/archive.ts';
import { restoreBackup } from '../../src/service/backup/restore-backup.ts';
import { takeBackup } from '../../src/service/backup/take-backup.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { ADMIN, administratorOf } from './admin-client.ts';
import { broadcastInTalk } from './broadcast-rig.ts';
import { ApiRig, SHOP } from './rig.ts';
import { NUMBERS } from './rigs.ts';

const DAYS_LATER_MS = 3 * 86_400_000;
const KEEP = 'limits: { keep_calls_days: 1, keep_recordings_days: 1 }\n';

/** Every row of the database. */
function rowsIn(file: string): Record<string, unknown[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }) => [String(name), database.prepare(`SELECT * FROM "${name}"`).all()] as const);
  database.close();
  return Object.fromEntries(rows);
}

/** Archive of an active session, and of one whose recordings wait for transcoding. */
const archiveOf = (roomId: string, state: 'open' | 'work'): Archive => ({
  ...{ archiveId: state, projectId: SHOP.id, roomId, confNum: state, room: { name: 'daily', ownerRef: 'acme' } },
  ...{ beganMs: 0, atMs: 0, state, recordings: [], isSingleFile: false, transcoded: [] },
  transcoding: { state: 'queued' },
});

describe('a copy in quarantine', () => {
  const root = mkdtempSync(join(tmpdir(), 'callweave-quarantine-'));
  const [at, of] = [join(root, 'copy'), join(root, 'original')];
  const leftover = join(at, '.menu.flow.yaml.0123456789ab.part');
  let original: ApiRig;
  let copy: ApiRig;
  let call: string;
  let ended: string;
  let broadcast: string;
  let room: string;
  let before: ReturnType<typeof rowsIn>;

  const rigAt = (directory: string, isQuarantined: boolean): Promise<ApiRig> =>
    ApiRig.open({
      ...{ directory, isQuarantined, config: NUMBERS + ADMIN + KEEP },
      storeOn: (clock) => openSqliteStore({ file: join(directory, 'data/callweave.db'), clock }),
    });

  beforeAll(async () => {
    for (const directory of [at, of]) mkdirSync(directory);
    original = await rigAt(of, false);
    ended = await original.dial();
    await original.pass(2000);
    await original.request('PUT', `/voice/v1/call/${ended}/recording`, {});
    await original.pass(2000);
    await original.request('DELETE', `/voice/v1/call/${ended}`);
    await original.pass(2000);
    original.answerEvent = () => ({ status: 500 });
    call = await original.dial();
    await original.pass(2000);
    await original.request('PUT', `/voice/v1/call/${call}/recording`, {});
    broadcast = (await broadcastInTalk(original)).id;
    const { body } = await original.request('POST', '/video/v2/rooms', { name: 'daily', owner_ref: 'acme' });
    room = String((body['room'] as JsonObject)['room_id']);
    for (const state of ['open', 'work'] as const) original.store.archives.put(archiveOf(room, state));
    const backup = join(root, 'backup');
    await takeBackup({ dataDirectory: join(of, 'data'), to: backup, nowMs: 0 });
    await restoreBackup({ from: backup, dataDirectory: join(at, 'data') });
    before = rowsIn(join(at, 'data/callweave.db'));
    writeFileSync(leftover, 'of somebody who saves at this moment');
    original.received.length = 0;
    copy = await rigAt(at, true);
    await copy.pass(DAYS_LATER_MS);
  }, 30_000);
  afterAll(async () => {
    await copy?.close();
    await original?.close();
    rmSync(root, { recursive: true });
  });

  it('sends none of the pending events', () => {
    expect(before['deliveries']).not.toEqual([]);
    expect([original.received, copy.received]).toEqual([[], []]);
  });

  it('dials no number, and continues no broadcast', async () => {
    expect(copy.farEnds).toEqual([]);
    const { body } = await copy.request('GET', `/voice/v1/broadcast/${broadcast}`);
    expect(body).toMatchObject({ state: 'running' });
  });

  it('ends no live call, recording or session, and deletes no old data', async () => {
    const after = rowsIn(join(at, 'data/callweave.db'));
    // Which flows are in force is written at each start.
    for (const rows of [before, after]) rows['flow_versions'] = [];
    expect(after).toEqual(before);
    for (const id of [call, ended]) expect((await copy.request('GET', `/voice/v1/call/${id}`)).status).toBe(200);
  });

  it('refuses all calls to it', async () => {
    const caller = copy.call('1000');
    await copy.pass(1000);
    expect(caller.state).toBe('ended');
    expect((await copy.request('GET', '/voice/v1/call')).text).not.toContain('5551234');
  });

  it('does not write to flow files, which a running service may use', () => {
    expect(existsSync(leftover)).toBe(true);
  });

  it.each<[method: string, path: () => string, body?: JsonObject]>([
    ['POST', () => '/voice/v1/call', { from: '1000', to: '2000' }],
    ['DELETE', () => `/voice/v1/call/${call}`],
    ['PUT', () => `/voice/v1/call/${call}/play`, { text: 'Hello', voice: 'female', language: 'en-US' }],
    ['POST', () => '/voice/v1/broadcast', { from: '1000', broadcast_numbers_array: ['20001'] }],
    ['DELETE', () => `/voice/v1/broadcast/${broadcast}`],
    ['POST', () => '/voice/v1/do-not-call', { numbers: ['+33612345678'] }],
    ['POST', () => '/voice/v1/webphone/tokens', { number: '1000' }],
    ['POST', () => '/video/v2/rooms', { name: 'other', owner_ref: 'acme' }],
    ['POST', () => `/video/v2/rooms/${room}/tokens`, { name: 'Ben', role: 'moderator', user_ref: 'ben' }],
  ])('refuses %s of a project: %#', async (method, path, body) => {
    const { status, text } = await copy.request(method, path(), body);
    expect([status, text]).toEqual([503, expect.stringContaining('quarantine')]);
  });

  it.each([
    ['PUT', '/numbers/4000'],
    ['DELETE', '/users/alice'],
    ['PUT', '/flows/menu'],
    ['POST', '/flows/menu/check'],
    ['POST', '/reload'],
    ['POST', '/drain'],
    ['DELETE', '/drain'],
    ['POST', '/projects'],
  ])('refuses %s %s of the administrator', async (method, path) => {
    const { status, text } = await administratorOf(copy)(method, path, method === 'DELETE' ? undefined : {});
    expect([status, text]).toEqual([503, expect.stringContaining('quarantine')]);
  });

  it.each(['/video/v2/connect', '/voice/v1/webphone/connect'])('refuses connections at %s', async (path) => {
    const socket = new WebSocket(copy.base.replace('http', 'ws') + path);
    await expect(once(socket, 'open')).rejects.toThrow('503');
  });

  it('serves its data, and reports the quarantine in the log, in /health and in the studio', async () => {
    const health = await copy.request('GET', '/health', undefined, { as: false });
    expect([health.status, health.body['status']]).toEqual([503, 'quarantined']);
    expect((await copy.request('GET', '/health/live', undefined, { as: false })).status).toBe(200);
    expect(copy.logLines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'service.quarantined' }));
    expect((await administratorOf(copy)('GET', '/drain')).body).toMatchObject({ state: 'quarantined' });
    expect((await administratorOf(copy)('GET', '/receivers')).status).toBe(200);
    expect((await copy.request('GET', '/metrics', undefined, { as: false })).status).toBe(401);
    const code = /code=(.+)$/.exec(copy.app.studio!.link())![1];
    const signedIn = await copy.request('POST', '/studio/session', { code }, { as: false });
    expect(signedIn.body).toMatchObject({ role: 'admin', quarantined: true });
  });
});

it('sends nothing to carriers or collectors, and refuses calls, probes and phones', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-quarantine-'));
  const carrier = createSocket('udp4').bind(0, '127.0.0.1');
  await once(carrier, 'listening');
  const heard: string[] = [];
  carrier.on('message', (bytes) => heard.push(bytes.toString().split('\r\n')[0]!));
  const collected: string[] = [];
  const captures = createSocket('udp4').bind(0, '127.0.0.1');
  captures.on('message', () => collected.push('a copy of a message'));
  const traces = createServer((_request, response) => {
    collected.push('a trace');
    response.end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(captures, 'listening'), once(traces, 'listening')]);
  const gateway = `sip:127.0.0.1:${carrier.address().port}`;
  const { config, diagnostics } = readConfigText(
    `data_directory: data
http: { port: 0 }
sip:
  port: 0
  tcp: false
  hep: { host: 127.0.0.1, port: ${captures.address().port} }
  users: [{ name: alice, password: password-of-alice }]
  routes: [{ prefix: "+", uri: "${gateway}", username: me, password: password-of-me, register: true, keepalive: 5s }]
numbers: [{ number: "1000", flow: welcome-menu }]
tracing: { otlp_url: "http://127.0.0.1:${(traces.address() as AddressInfo).port}/v1/traces" }
flows_directory: ${join(import.meta.dirname, '../../flows')}
`,
    join(directory, 'callweave.yaml'),
  );
  expect(diagnostics).toEqual([]);
  const app = await createApp(config!, { isQuarantined: true });
  const { sip, http } = await app.start();
  const ask = async (method: string): Promise<string> => {
    const at = `127.0.0.1:${carrier.address().port}`;
    const request = [
      `${method} sip:1000@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/UDP ${at};branch=z9hG4bK${method};rport`,
      `From: <sip:bob@${at}>;tag=1`,
      ...['To: <sip:1000@127.0.0.1>', `Call-ID: ${method}@${at}`, `CSeq: 1 ${method}`, `Contact: <sip:bob@${at}>`],
      ...['Max-Forwards: 70', 'Content-Length: 0', '', ''],
    ].join('\r\n');
    heard.length = 0;
    carrier.send(request, sip!.port, '127.0.0.1');
    await expect.poll(() => heard.some((line) => /^SIP\/2.0 [2-6]/.test(line))).toBe(true);
    return heard.find((line) => /^SIP\/2.0 [2-6]/.test(line))!.slice(8, 11);
  };
  expect(heard).toEqual([]);
  expect(['503', '503']).toEqual([await ask('INVITE'), await ask('OPTIONS')]);
  expect(await ask('REGISTER')).toMatch(/^4/);
  await fetch(`http://127.0.0.1:${http.port}/voice/v1/call`);
  await app.stop(0);
  expect(collected).toEqual([]);
  expect(heard.filter((line) => !line.startsWith('SIP/2.0'))).toEqual([]);
  for (const each of [carrier, captures, traces]) each.close();
  rmSync(directory, { recursive: true });
});
