/** `callweave trace` and `callweave replay` with the data of a service, or of the running service, without its secrets. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { administered, TOKEN } from '../api/admin-client.ts';
import type { ApiRig } from '../api/rig.ts';
import { callweave, folderOf } from './command.ts';

const HELLO =
  'flow: hello\nstart: say\ndefaults: { exits: { error: $end } }\nsteps: { say: { play: Hello there, next: $end } }\n';
const SECRETS = `
flows_directory: flows
projects: [{ app_id: shop, app_key: { env: NOT_SET_KEY }, webhook_secret: { file: not-there } }]
numbers: [{ number: "1000", flow: hello, pin: { env: NOT_SET_PIN } }]
sip:
  tls: { port: 5061, cert: no-cert.pem, key: no-key.pem }
  users: [{ name: alice, password: { env: NOT_SET_PASSWORD } }]
secrets: { crm: { env: NOT_SET_CRM } }
env: { color: { env: NOT_SET_COLOR } }
admin: { token: { env: NOT_SET_TOKEN } }
`;

beforeEach(() => {
  for (const name of ['CALLWEAVE_ADMIN_TOKEN', 'CALLWEAVE_URL', 'CALLWEAVE_CONFIG', 'CALLWEAVE_DATA']) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A call that heard the flow, on a service that has an administrator. */
async function called(): Promise<{ rig: ApiRig; call: string }> {
  const { rig } = await administered({
    config: 'numbers: [{ number: "1000", flow: hello }]\n',
    flows: { hello: HELLO },
  });
  rig.call('1000');
  await rig.pass(10_000);
  const listed = (await rig.request('GET', '/voice/v1/call')).body['calls'] as { voice_id: string }[];
  return { rig, call: listed[0]!.voice_id };
}

/** Keeps the call in the data directory of another service. */
async function keep({ store }: ApiRig, call: string, folder: string): Promise<void> {
  const kept = openSqliteStore({ file: join(folder, 'data/callweave.db'), clock: systemClock });
  const [record, checkpoint] = [(await store.calls.call(call))!, (await store.calls.checkpoint(call))!];
  await kept.calls.commit({
    record,
    checkpoint,
    entries: await store.calls.journal(call),
    deliveries: [],
    owner: 'life-1',
    fence: 1,
  });
  await kept.close();
}

describe('the data directory of a service whose secrets are not here', () => {
  it('is found for trace and replay, and not by commands that need the secrets', async () => {
    const { rig, call } = await called();
    using folder = folderOf({ 'callweave.yaml': SECRETS, 'flows/hello.flow.yaml': HELLO });
    await keep(rig, call, folder.path);
    const traced = await callweave(['trace', call], { cwd: folder.path });
    expect(traced).toMatchObject({ code: 0, err: '' });
    expect(traced.out).toMatch(/inbound call from 5551234 to 1000: flow hello(.|\n)*call is disconnected/);
    const replayed = await callweave(['replay', call], { cwd: folder.path });
    expect(replayed).toMatchObject({ code: 0, err: '', out: expect.stringContaining('1 call replayed, 0 diverged') });
    const since = await callweave(['replay', '--since', '2h'], { cwd: folder.path });
    expect(since).toMatchObject({ code: 0, out: '0 calls replayed, 0 would differ\n' });
    const started = await callweave(['start'], { cwd: folder.path });
    expect(started.err.match(/missing-variable/g)).toHaveLength(6);
  });

  it('shows which calls since a day would go another way, by cause', async () => {
    const { rig, call } = await called();
    const [{ startedMs }] = [(await rig.store.calls.call(call))!];
    rig.call('1000');
    await rig.pass(10_000);
    const listed = (await rig.request('GET', '/voice/v1/call')).body['calls'] as { voice_id: string }[];
    const other = listed.find(({ voice_id: id }) => id !== call)!.voice_id;
    using folder = folderOf({ 'callweave.yaml': SECRETS, 'flows/hello.flow.yaml': HELLO.replace('Hello', 'Welcome') });
    await keep(rig, call, folder.path);
    await keep(rig, other, folder.path);
    const since = ['replay', '--since', new Date(startedMs).toISOString()];
    const { code, out } = await callweave(since, { cwd: folder.path });
    expect(code).toBe(1);
    expect(out).toBe(
      [
        'flows/hello.flow.yaml:4:10 error replay-steps: 2 calls: what say says is another',
        '  4 | steps: { say: { play: Welcome there, next: $end } }',
        '    |          ^',
        '  the latest: what say says is “Welcome there”, and was “Hello there”',
        `  ${other}, ${call}`,
        '2 calls replayed, 2 would differ',
        '',
      ].join('\n'),
    );
    const asJson = await callweave([...since, '--json'], { cwd: folder.path });
    expect(asJson.json()).toMatchObject({
      ...{ ok: false, replayed: 2, different: 2 },
      causes: [{ cause: 'what say says is another', count: 2, calls: [other, call], first: { step: 'say' } }],
    });
    const ofOthers = await callweave([...since, 'goodbye'], { cwd: folder.path });
    expect(ofOthers).toMatchObject({ code: 0, out: '0 calls replayed, 0 would differ\n' });
    const later = ['replay', '--since', new Date(startedMs + 60_000).toISOString()];
    expect((await callweave(later, { cwd: folder.path })).out).toBe('0 calls replayed, 0 would differ\n');
  });

  it.skipIf(process.getuid?.() === 0)(
    'is said to be closed where another user owns it (root may read everything)',
    async () => {
      using folder = folderOf({ 'callweave.yaml': 'data_directory: /root\n' });
      const { err, code } = await callweave(['trace', 'call-1'], { cwd: folder.path });
      expect(err).toMatch(/cannot be read: permission denied\n {2}hint: .*--url/);
      expect(code).toBe(2);
    },
  );

  it('has to be in a configuration that can be read', async () => {
    using folder = folderOf({ 'callweave.yaml': 'data_directory: [x]\n' });
    const { err, code } = await callweave(['trace', 'call-1'], { cwd: folder.path });
    expect(err).toMatch(/callweave\.yaml:1:\d+ error wrong-type/);
    expect(code).toBe(1);
  });
});

describe('the running service', () => {
  it('is asked by its address and the token of the administrator, and shows the same', async () => {
    const { rig, call } = await called();
    using folder = folderOf({ 'flows/hello.flow.yaml': HELLO });
    await keep(rig, call, folder.path);
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', TOKEN);
    for (const more of [[], ['--details'], ['--json']]) {
      const here = await callweave(['trace', call, ...more], { cwd: folder.path });
      const there = await callweave(['trace', call, '--url', rig.base, ...more], { cwd: folder.path });
      expect(there).toMatchObject({ code: 0, err: '', out: here.out });
    }
  });

  it.each([
    ['a token that it does not have', 'another-token-of-somebody', /another administrator token/, 2],
    ['a call that it does not know', TOKEN, /the service refuses: there is no such call/, 1],
  ])('refuses the token of %s', async (_, token, message, status) => {
    const { rig } = await called();
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', token);
    const { code, err, out } = await callweave(['trace', 'nobody', '--url', rig.base]);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([status, '']);
  });
});
