/** `callweave drain`, `reload`, `trail` and `forget`: commands of administrators to a running service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { readConfig } from '../../src/config.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { SimulatedEngine } from '../../src/proof/testkit/index.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callweave, folderOf } from './command.ts';

const [TOKEN, READ] = ['the-token-of-the-administrator', 'the-token-of-one-who-looks'];
const config = (number: string): string => `
admin: { token: ${TOKEN}, tokens: [{ name: grafana, token: ${READ}, role: read }] }
projects: [{ app_id: shop, app_key: key-of-the-shop-0001 }]
flows_directory: .
http: { port: 0 }
numbers: [{ number: "${number}", flow: waits }]
`;
const WAITS =
  'flow: waits\nstart: wait\ndefaults: { exits: { error: $end } }\nsteps: { wait: { pause: 1h, next: $end } }\n';

const folder = folderOf({ 'callweave.yaml': config('1000'), 'waits.flow.yaml': WAITS });
const file = join(folder.path, 'callweave.yaml');
const store = createMemoryStore();
let app: App;
let engine: SimulatedEngine;

beforeAll(async () => {
  engine = new SimulatedEngine({
    ...{ clock: systemClock, ids: randomIds, audio: { durationMs: () => 5 } },
    callee: () => ({ does: 'answer' }),
  });
  app = await createApp(readConfig({ file }).config!, {
    store,
    telephony: { engine, sounds: { refusal: () => undefined } },
    roomEngine: new SimulatedRoomEngine(),
  });
  const { http } = await app.start();
  vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', TOKEN);
  vi.stubEnv('CALLWEAVE_URL', `http://127.0.0.1:${http.port}`);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await app.stop(0);
  folder[Symbol.dispose]();
});

const live = () => vi.waitUntil(() => app.liveCalls === 1);

describe('drain', () => {
  it('refuses new calls, waits for active ones on request, and can be cancelled', async () => {
    const caller = engine.call({ from: '5551234', to: '1000' });
    await live();
    const begun = await callweave(['drain']);
    expect([begun.code, begun.out]).toEqual([0, 'new calls are refused; 1 call and 0 room sessions active\n']);
    expect((await callweave(['drain', '--json'])).json()).toMatchObject({ state: 'draining', live_calls: 1 });
    const refused = engine.call({ from: '5551234', to: '1000' });
    await vi.waitUntil(() => refused.state === 'ended');
    const orders = () => store.changes.list({ limit: 10 }).filter(({ what }) => what === 'POST /drain').length;
    expect(orders()).toBe(2);
    const waiting = callweave(['drain', '--wait']);
    await vi.waitUntil(() => orders() === 3);
    caller.hangUp();
    expect((await waiting).out).toBe(
      'new calls are refused; 1 call and 0 room sessions active\nnew calls are refused; 0 calls and 0 room sessions active\n',
    );
    expect((await callweave(['drain', '--cancel'])).out).toBe(
      'new calls are accepted; 0 calls and 0 room sessions active\n',
    );
    const next = engine.call({ from: '5551234', to: '1000' });
    await live();
    next.hangUp();
    await vi.waitUntil(() => app.liveCalls === 0);
  });

  it('says why it is refused, and does nothing then', async () => {
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', READ);
    const refused = await callweave(['drain']);
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', 'none-of-the-tokens-that-there-are');
    const unknown = await callweave(['drain']);
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', TOKEN);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('the token grafana is read-only')]);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('another administrator token')]);
  });
});

describe('calls', () => {
  it('prints a table, or lines of JSON, of the time that is asked for', async () => {
    const table = (await callweave(['calls', '--since', '1h', '--number', '555 1234'])).out.trimEnd().split('\n');
    expect(table[0]).toMatch(/^voice_id,app_id,direction,/);
    expect(table.length).toBeGreaterThan(1);
    expect(table[1]).toMatch(/^[^,]+,shop,Inbound,disconnected,5551234,1000,/);
    const { out } = await callweave(['calls', '--project', 'shop', '--format', 'ndjson']);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { app_id: string }).app_id),
    ).toEqual(table.slice(1).map(() => 'shop'));
    expect((await callweave(['calls', '--until', '2020-01-01'])).out.split('\n')).toEqual([table[0], '']);
    expect(await callweave(['calls', '--since', 'soon'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('24h'),
    });
    expect(await callweave(['calls', '--since', '2026-99-99'])).toMatchObject({ code: 1 });
  });
});

describe('reload and trail', () => {
  it('shows what changed, and who changed it', async () => {
    writeFileSync(file, config('2000'));
    expect((await callweave(['reload'])).out).toBe('effective from the next call on: numbers\n');
    const { out } = await callweave(['trail', '--limit', '2']);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z {2}admin from 127\.0\.0\.1 {2}POST \/reload {2}\(numbers\)$/),
      expect.stringMatching(/ {2}admin from 127\.0\.0\.1 {2}DELETE \/drain$/),
      '',
    ]);
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', READ);
    const { changes } = (await callweave(['trail', '--json'])).json() as { changes: object[] };
    vi.stubEnv('CALLWEAVE_ADMIN_TOKEN', TOKEN);
    expect(changes[0]).toMatchObject({ who: 'admin', via: 'token', what: 'POST /reload', keys: ['numbers'] });
    expect(await callweave(['trail', '--limit', 'all'])).toMatchObject({ code: 2 });
  });
});

describe('forget', () => {
  it('shows what would be deleted, waits for a live call of the person, deletes it, and leaves no name', async () => {
    const caller = engine.call({ from: '+33612345678', to: '2000' });
    await live();
    const dry = await callweave(['forget', '0033 6 12 34 56 78', '--dry-run']);
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(
        /^would be deleted: calls: 1\n {2}calls: \S+\nstill active, must end before the deletion: \S+\n$/,
      ),
    ]);
    expect(JSON.stringify(store.changes.list({ limit: 100 }))).not.toContain('/people/forget');
    const refused = await callweave(['forget', '+33612345678', '--yes']);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('this person has calls or sessions that have not ended'),
    ]);
    const searches = vi.spyOn(store.people, 'search');
    const waiting = callweave(['forget', '+33612345678', '--yes', '--after-calls']);
    await vi.waitUntil(() => searches.mock.settledResults[0]?.type === 'fulfilled');
    caller.hangUp();
    const { code, out } = await waiting;
    expect([code, out]).toEqual([0, expect.stringMatching(/^still active: \S+\ndeleted: calls: 1\n$/)]);
    searches.mockRestore();
    expect(JSON.stringify(store.changes.list({ limit: 100 }))).toContain('/people/forget');
    expect(JSON.stringify(store.changes.list({ limit: 100 }))).not.toContain('612345678');
    expect((await callweave(['forget', '+33612345678', '--yes', '--json'])).json()).toMatchObject({
      forgotten: { calls: 0 },
    });
  });

  it('deletes nothing without a confirmation or without a person', async () => {
    const unasked = await callweave(['forget', '+33612345678']);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
    const nobody = await callweave(['forget', 'everybody']);
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('everybody must be a number')]);
  });
});
