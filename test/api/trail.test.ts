/** Audit trail of administrators: who did what, without secrets. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { createLog } from '../../src/base/core/log.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { type Administrator, administered, studioSession, TOKEN } from './admin-client.ts';
import type { ApiRig } from './rig.ts';

const trailOf = async (admin: Administrator): Promise<JsonObject[]> =>
  (await admin('GET', '/trail')).body['changes'] as JsonObject[];

async function inStudio(rig: ApiRig) {
  const headers = await studioSession(rig, { authorization: `Bearer ${TOKEN}` });
  return (method: string, path: string, body?: unknown) => rig.request(method, path, body, { as: false, headers });
}

const changedLines = (rig: ApiRig) =>
  rig.logLines.filter(({ message }) => message === 'admin.changed').map(({ fields }) => fields);

describe('the trail', () => {
  it('records each change with the token name, the address and the keys, but no failures or reads', async () => {
    const { rig, admin } = await administered();
    rig.rewrite();
    await admin('PUT', '/numbers/+33199001122', { webhook: rig.webhookUrl });
    await admin('PUT', '/numbers/+33199001123', { flow: 'nowhere' });
    await admin('GET', '/numbers');
    await admin('POST', '/drain');
    await admin('DELETE', '/drain');
    rig.rewrite((text) => text.replace('"3000"', '"3001"'));
    await admin('POST', '/reload');
    await rig.app.reload();
    const by = { at: expect.any(String), who: 'admin', via: 'token', remote: '127.0.0.1' };
    expect(await trailOf(admin)).toEqual([
      { at: by.at, who: 'this machine', what: 'reload', keys: [] },
      { ...by, what: 'POST /reload', keys: ['numbers'] },
      { ...by, what: 'DELETE /drain' },
      { ...by, what: 'POST /drain' },
      { ...by, what: 'PUT /numbers/+33199001122', keys: ['webhook'] },
    ]);
    expect(changedLines(rig)[0]).toMatchObject({
      ...{ administrator: 'admin', via: 'token', remote: '127.0.0.1', keys: ['webhook'] },
      ...{ route: 'PUT /admin/v1/numbers/{number}', object: { number: '+33199001122' } },
    });
  });

  it('records actions in the studio, also on calls, but not of projects', async () => {
    const { rig, admin } = await administered();
    const studio = await inStudio(rig);
    const call = await rig.dial();
    await studio('POST', '/voice/v1/calls/nobody/hangup', {});
    await studio('HEAD', '/voice/v1/call');
    await rig.pass(2000);
    await studio('PUT', `/voice/v1/calls/${call}/play`, { play: { text: 'Good morning' } });
    await studio('POST', '/voice/v1/do-not-call', { number: '+33612345678' });
    await studio('DELETE', '/voice/v1/do-not-call/+33612345678');
    await studio('PUT', '/admin/v1/users/alice', { password: 'a password of hers' });
    const by = { at: expect.any(String), who: 'admin', via: 'studio', remote: '127.0.0.1' };
    expect(await trailOf(admin)).toEqual([
      { ...by, what: 'PUT /users/alice', keys: ['password'] },
      { ...by, what: 'DELETE /voice/v1/do-not-call/+********678' },
      { ...by, what: 'POST /voice/v1/do-not-call', keys: ['number'] },
      { ...by, what: `PUT /voice/v1/calls/${call}/play`, keys: ['play'] },
    ]);
  });

  it('is available under its former name audit, in pages', async () => {
    const { admin } = await administered();
    for (const name of ['a', 'b', 'c']) await admin('PUT', `/users/${name}`, { password: 'long enough' });
    const first = (await admin('GET', '/trail?limit=2')).body;
    const second = (await admin('GET', `/audit?limit=2&cursor=${first['next']}`)).body;
    const names = [first, second].map(({ changes }) => (changes as { what: string }[]).map(({ what }) => what));
    expect(names).toEqual([['PUT /users/c', 'PUT /users/b'], ['PUT /users/a']]);
    expect(second).not.toHaveProperty('next');
  });

  it('expires after its retention time', async () => {
    const { rig, admin } = await administered({ config: 'limits: { keep_trail_days: 2 }\n' });
    await admin('PUT', '/users/alice', { password: 'long enough' });
    await rig.pass(47 * 3_600_000);
    expect(await trailOf(admin)).toHaveLength(1);
    await rig.pass(2 * 3_600_000);
    expect(await trailOf(admin)).toEqual([]);
  });
});

describe('data that the trail never contains', () => {
  it('excludes secrets and numbers of callers from the files of the store and from the log', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-trail-'));
    const file = join(directory, 'callweave.db');
    const { rig, admin } = await administered({ storeOn: (clock) => openSqliteStore({ file, clock }) });
    const studio = await inStudio(rig);
    await admin('POST', '/projects', { app_id: 'bakery', name: 'Bakery' });
    const renewed = await admin('POST', '/projects/bakery/key', { old_valid_for: '1h' });
    await admin('POST', '/projects/bakery/webhook-secret', { old_valid_for: '1h' });
    await studio('POST', '/voice/v1/do-not-call', { number: '+33612345678' });
    await studio('DELETE', '/voice/v1/do-not-call/+33612345678');
    expect(await trailOf(admin)).toHaveLength(5);
    const secrets = [TOKEN, String(renewed.body['app_key'])];
    const bytes = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'latin1'));
    for (const secret of secrets) expect(bytes.filter((each) => each.includes(secret))).toEqual([]);
    const lines: string[] = [];
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } });
    for (const fields of changedLines(rig)) log.info('admin.changed', fields);
    expect(lines).toHaveLength(5);
    const texts = [...lines, JSON.stringify(await trailOf(admin))];
    for (const secret of [...secrets, '33612345678']) expect(texts.filter((each) => each.includes(secret))).toEqual([]);
  });

  it('excludes line breaks and terminal control sequences', async () => {
    const { rig, admin } = await administered();
    const studio = await inStudio(rig);
    const evil = 'a\nadmin.changed forged\u001b[2J\u009b31m\u202e\u2028';
    await admin('PUT', `/prompts/x${encodeURIComponent('\u202e\u2028')}/en-US`, { text: 'Hello' });
    const call = await rig.dial();
    await rig.pass(2000);
    await studio('PUT', `/voice/v1/call/${call}/play`, { play: { text: 'Good morning' }, [evil]: 1 });
    const written = JSON.stringify([await trailOf(admin), changedLines(rig)]);
    expect(written).toContain('forged');
    expect(written).toContain('/prompts/x');
    expect(written).not.toMatch(/(?<!\\)\\(n|u001b)|[\u007f-\u009f\u202a-\u202e\u2028]/);
  });

  it('excludes ambiguous paths: each part is one name, and refused requests are not recorded', async () => {
    const { rig, admin } = await administered();
    const paths = [
      '/users/..%2fnumbers%2f1000',
      '/users/%2e%2e%2F%2e%2e',
      '/users/a%0d%0ab',
      '/routes/%00',
      '/users/%ff',
    ];
    for (const path of paths) expect([path, (await admin('DELETE', path)).status]).toEqual([path, 400]);
    expect([await trailOf(admin), changedLines(rig)]).toEqual([[], []]);
    const name = encodeURIComponent('../../users/ann');
    expect((await admin('PUT', `/prompts/${name}/en-US`, { text: 'Hello' })).status).toBe(200);
    expect(changedLines(rig)).toMatchObject([
      { route: 'PUT /admin/v1/prompts/{name}/{language}', object: { name: '../../users/ann', language: 'en-US' } },
    ]);
  });
});
