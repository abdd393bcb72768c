/** Sign-in to the studio: what opens a session, its rights, and its limits. */
import { describe, expect, it } from 'vitest';
import { ADMIN, FROM_STUDIO, studioSession, TOKEN } from './admin-client.ts';
import type { ApiRig } from './rig.ts';
import { OTHER, SHOP } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const bearer = (token: string) => ({ ...FROM_STUDIO, authorization: `Bearer ${token}` });
const basic = ({ id, key }: { id: string; key: string }) => ({
  ...FROM_STUDIO,
  authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
});

const send = (rig: ApiRig, method: string, path: string, headers: Record<string, string>, body?: object) =>
  rig.request(method, path, body, { as: false, headers });

const codeOf = (rig: ApiRig): string => /#code=(.+)$/.exec(rig.app.studio!.link())![1]!;

const withAdmin = () => openRig({ config: NUMBERS + ADMIN });

describe('a session', () => {
  it.each([
    ['the token of the administrator', bearer(TOKEN), 'admin', ['shop', 'other']],
    ['the key of a project', basic(SHOP), 'project', ['shop']],
  ])('opens with credentials: %s', async (_, headers, role, projects) => {
    const rig = await withAdmin();
    const { body } = await send(rig, 'GET', '/studio/session', await studioSession(rig, headers));
    expect(body).toMatchObject({ role });
    expect((body['projects'] as { app_id: string }[]).map(({ app_id }) => app_id)).toEqual(projects);
  });

  it('opens with the code of a link, once, within an hour', async () => {
    const rig = await openRig();
    const code = codeOf(rig);
    const old = codeOf(rig);
    await studioSession(rig, FROM_STUDIO, { code });
    expect((await send(rig, 'POST', '/studio/session', FROM_STUDIO, { code })).status).toBe(401);
    await rig.pass(3_600_001);
    expect((await send(rig, 'POST', '/studio/session', FROM_STUDIO, { code: old })).status).toBe(401);
  });

  it('is a cookie hidden from scripts and other sites', async () => {
    const rig = await openRig();
    const response = await send(rig, 'POST', '/studio/session', FROM_STUDIO, { code: codeOf(rig) });
    expect(response.headers.get('set-cookie')).toMatch(/^callweave-studio=[\w-]{43};.*HttpOnly; SameSite=Strict$/);
  });

  it('requires https if the service is reached by it', async () => {
    const rig = await openRig({ http: 'public_url: "https://voice.example"' });
    const response = await send(rig, 'POST', '/studio/session', FROM_STUDIO, { code: codeOf(rig) });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-callweave-studio=.*; Secure/);
  });

  it('administers a service without an admin token, which no other client can', async () => {
    const rig = await openRig();
    const cookie = await studioSession(rig, FROM_STUDIO, { code: codeOf(rig) });
    expect((await send(rig, 'GET', '/admin/v1/numbers', cookie)).status).toBe(200);
    for (const headers of [FROM_STUDIO, bearer(TOKEN), {}])
      expect((await send(rig, 'GET', '/admin/v1/numbers', headers)).status).toBe(404);
  });

  it('has the rights of its project, without administration', async () => {
    const rig = await withAdmin();
    const cookie = await studioSession(rig, basic(OTHER));
    const { body } = await send(rig, 'GET', '/voice/v1/call', { ...cookie, 'x-callweave-project': 'shop' });
    expect(body['calls']).toEqual([]);
    expect((await send(rig, 'GET', '/admin/v1/numbers', cookie)).status).toBe(401);
  });

  it('acts for the project named in the request, as an administrator', async () => {
    const rig = await withAdmin();
    const cookie = await studioSession(rig, bearer(TOKEN));
    await rig.dial();
    const callsOf = async (project: string) =>
      (await send(rig, 'GET', '/voice/v1/call', { ...cookie, 'x-callweave-project': project })).body['calls'];
    expect(await callsOf('shop')).toHaveLength(1);
    expect(await callsOf('other')).toHaveLength(0);
    const unknown = { ...cookie, 'x-callweave-project': 'nobody' };
    expect((await send(rig, 'GET', '/voice/v1/call', unknown)).status).toBe(401);
  });

  it.each([
    ['without the header of the studio', { 'x-callweave-studio': '' }],
    ['from a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a page of another host of this site', { 'sec-fetch-site': 'same-site' }],
  ])('does not count %s', async (_, headers) => {
    const rig = await withAdmin();
    const cookie = await studioSession(rig, bearer(TOKEN));
    const sent = { ...cookie, ...headers };
    expect((await send(rig, 'GET', '/admin/v1/numbers', sent)).status).toBe(401);
    expect((await send(rig, 'GET', '/studio/session', sent)).body).toMatchObject({ role: 'nobody' });
  });

  it('ends by signing out, and after twelve hours without a request', async () => {
    const rig = await withAdmin();
    const first = await studioSession(rig, bearer(TOKEN));
    await send(rig, 'DELETE', '/studio/session', first);
    expect((await send(rig, 'GET', '/admin/v1/numbers', first)).status).toBe(401);
    const second = await studioSession(rig, bearer(TOKEN));
    await rig.pass(11 * 3_600_000);
    expect((await send(rig, 'GET', '/admin/v1/numbers', second)).status).toBe(200);
    await rig.pass(11 * 3_600_000);
    expect((await send(rig, 'GET', '/admin/v1/numbers', second)).status).toBe(200);
    await rig.pass(12 * 3_600_000);
    expect((await send(rig, 'GET', '/admin/v1/numbers', second)).status).toBe(401);
  });

  it.each([
    ['renewed', (rig: ApiRig) => send(rig, 'POST', '/admin/v1/projects/bakery/key', bearer(TOKEN), {})],
    ['removed with its project', (rig: ApiRig) => send(rig, 'DELETE', '/admin/v1/projects/bakery', bearer(TOKEN))],
  ])('ends with the key that opened it, which is %s', async (_, change) => {
    const rig = await withAdmin();
    const { body } = await send(rig, 'POST', '/admin/v1/projects', bearer(TOKEN), { name: 'Bakery', app_id: 'bakery' });
    const cookie = await studioSession(rig, basic({ id: 'bakery', key: String(body['app_key']) }));
    expect((await send(rig, 'GET', '/voice/v1/call', cookie)).status).toBe(200);
    expect((await change(rig)).status).toBe(200);
    expect((await send(rig, 'GET', '/voice/v1/call', cookie)).status).toBe(401);
    expect((await send(rig, 'GET', '/studio/session', cookie)).body).toMatchObject({ role: 'nobody' });
  });

  it('survives a reload that keeps its key', async () => {
    const rig = await withAdmin();
    const cookie = await studioSession(rig, basic(SHOP));
    rig.rewrite((text) => text);
    expect((await send(rig, 'POST', '/admin/v1/reload', bearer(TOKEN), {})).status).toBe(200);
    expect((await send(rig, 'GET', '/voice/v1/call', cookie)).status).toBe(200);
  });

  it('survives sign-ins of others: the hundred and first of a project ends the oldest of that project', async () => {
    const rig = await withAdmin();
    const admin = await studioSession(rig, bearer(TOKEN));
    const other = await studioSession(rig, basic(OTHER));
    const [first, second] = [await studioSession(rig, basic(SHOP)), await studioSession(rig, basic(SHOP))];
    for (let more = 0; more < 99; more++) await studioSession(rig, basic(SHOP));
    const roleOf = async (cookie: Record<string, string>) =>
      (await send(rig, 'GET', '/studio/session', cookie)).body['role'];
    expect([await roleOf(first), await roleOf(second)]).toEqual(['nobody', 'project']);
    expect([await roleOf(admin), await roleOf(other)]).toEqual(['admin', 'project']);
  });

  it('resists guessing: after ten wrong tokens an address may send only the right one', async () => {
    const rig = await withAdmin();
    for (let guess = 0; guess < 10; guess++)
      expect((await send(rig, 'POST', '/studio/session', bearer(`wrong-${guess}`), {})).status).toBe(401);
    expect((await send(rig, 'POST', '/studio/session', bearer('wrong-10'), {})).status).toBe(429);
    expect((await send(rig, 'POST', '/studio/session', bearer(TOKEN), {})).status).toBe(200);
  });

  it('is unavailable if the configuration disables the studio', async () => {
    const rig = await openRig({ config: `${NUMBERS}studio: false\n` });
    expect(rig.app.studio).toBeUndefined();
    expect((await send(rig, 'GET', '/studio/session', FROM_STUDIO)).status).toBe(404);
    expect((await send(rig, 'GET', '/studio/', FROM_STUDIO)).status).toBe(404);
  });
});
