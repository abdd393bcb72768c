/**
 * Administrators by name: routes by role, the effect of wrong tokens on other clients, and the end of sessions with
 * their token.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';
import type { ApiRoute } from '../../src/service/api/route.ts';
import { ROUTES } from '../../src/service/api/routes.ts';
import { FROM_STUDIO, studioSession } from './admin-client.ts';
import { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const FULL = 'token-of-somebody-who-may-all';
const READ = 'token-of-somebody-who-looks';
const FIRST = 'the-first-of-all-the-tokens';
const TOKENS = `admin:
  token: ${FIRST}
  tokens:
    - { name: ops, token: ${FULL}, role: full }
    - { name: grafana, token: ${READ}, role: read }
`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const ask = (rig: ApiRig, method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  rig.request(method, path, body, { as: false, headers });

const signedIn = (rig: ApiRig, token: string) => studioSession(rig, bearer(token));

describe('rights of a role', () => {
  let rig: ApiRig;
  let session: Record<string, string>;
  beforeAll(async () => {
    rig = await ApiRig.open({ config: NUMBERS + TOKENS });
    session = await signedIn(rig, READ);
  });
  afterAll(() => rig.close());

  const rowsOf = (isWanted: (row: ApiRoute) => boolean) =>
    ROUTES.filter((row) => row.auth !== 'anybody' && isWanted(row)).map(
      (row) => [`${row.method} ${row.path}`, row] as const,
    );
  const pathOf = ({ path }: ApiRoute) => path.replace('{language}', 'en-US').replace(/\{\w+\}/g, 'x');
  /** Tokens are for administration; for the rest administrators are signed in to the studio. */
  const readerOf = ({ auth }: ApiRoute) => (auth === 'project' ? session : bearer(READ));

  it.each(rowsOf(({ method }) => method === 'GET'))('%s is allowed for a reader', async (_, row) => {
    const { status } = await ask(rig, 'GET', pathOf(row), readerOf(row));
    expect([401, 403, 429]).not.toContain(status);
  });

  it.each(rowsOf(({ method }) => method !== 'GET'))('%s is forbidden for a reader', async (_, row) => {
    const { status, text } = await ask(rig, row.method, pathOf(row), readerOf(row), {});
    expect([status, text]).toEqual([403, expect.stringContaining('the token grafana is read-only')]);
  });

  it.each(rowsOf(({ auth, method }) => auth === 'admin' && method !== 'GET'))(
    '%s is for the others',
    async (_, row) => {
      const { status } = await ask(rig, row.method, pathOf(row), bearer(FULL), '{"broken');
      expect([401, 403]).not.toContain(status);
    },
  );

  it('refuses methods that no route has', async () => {
    for (const method of ['PUT', 'PROPFIND'])
      expect((await ask(rig, method, '/admin/v1/drain', bearer(READ))).status).toBe(403);
    expect((await ask(rig, 'HEAD', '/admin/v1/drain', bearer(READ))).status).toBe(200);
  });

  it('is sent to the studio, which may sign out', async () => {
    const own = await signedIn(rig, READ);
    expect((await ask(rig, 'GET', '/studio/session', own)).body).toMatchObject({
      ...{ role: 'admin', name: 'grafana', access: 'read' },
    });
    expect((await ask(rig, 'DELETE', '/studio/session', own)).body).toMatchObject({ role: 'nobody' });
  });
});

describe('wrong tokens of an address', () => {
  it('are refused for a minute after the tenth, while valid tokens still work on each endpoint', async () => {
    const rig = await openRig({ config: NUMBERS + TOKENS });
    const guess = (path = '/metrics') => ask(rig, 'GET', path, bearer('a-guess-that-is-as-long-as-one'));
    for (let guesses = 0; guesses < 10; guesses++) expect((await guess()).status).toBe(401);
    const refused = await guess();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await guess('/admin/v1/projects')).status).toBe(429);
    for (const token of [FIRST, FULL, READ])
      for (const path of ['/metrics', '/health', '/admin/v1/projects'])
        expect((await ask(rig, 'GET', path, bearer(token))).status).toBe(200);
    await signedIn(rig, FULL);
    expect((await guess()).status).toBe(429);
    await rig.pass(60_000);
    expect((await guess()).status).toBe(401);
  });
});

describe('a token that a reload removes', () => {
  it('is refused from then on with the session that it opened; other tokens stay valid', async () => {
    const rig = await openRig({ config: NUMBERS + TOKENS });
    rig.rewrite();
    const [gone, kept] = [await signedIn(rig, FULL), await signedIn(rig, FIRST)];
    const [, code] = /#code=(.+)$/.exec(rig.app.studio!.link())!;
    const opened = await ask(rig, 'POST', '/studio/session', FROM_STUDIO, { code });
    const byLink = { ...FROM_STUDIO, cookie: opened.headers.get('set-cookie')!.split(';')[0]! };
    const statuses = async () => {
      const all = [gone, kept, byLink, bearer(FULL), bearer('token-that-took-its-place')];
      const answers = await Promise.all(all.map((each) => ask(rig, 'GET', '/admin/v1/numbers', each)));
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200, 200, 200, 401]);
    rig.rewrite((text) => text.replace(FULL, 'token-that-took-its-place'));
    expect((await rig.app.reload()).changed).toEqual(['admin']);
    expect(await statuses()).toEqual([401, 200, 200, 401, 200]);
    rig.rewrite((text) => text.replace(/admin:[\s\S]*$/, ''));
    await rig.app.reload();
    expect(await statuses()).toEqual([404, 404, 200, 404, 404]);
  });

  it('changes what its session may do, when it gets another role', async () => {
    const rig = await openRig({ config: NUMBERS + TOKENS });
    const session = await signedIn(rig, FULL);
    const change = async () =>
      (await ask(rig, 'PUT', '/admin/v1/users/alice', session, { password: 'long enough' })).status;
    expect(await change()).toBe(200);
    rig.rewrite((text) => text.replace('role: full', 'role: read'));
    await rig.app.reload();
    expect(await change()).toBe(403);
  });
});

describe('the configuration', () => {
  const problems = (admin: string): string[] =>
    readConfigText(`admin: ${admin}\n`, 'callweave.yaml').diagnostics.map(
      ({ code, line, message }) => `${code} ${line} ${message}`,
    );

  it.each([
    ['{}', /needs token or tokens/],
    ['{ tokens: [{ name: a, token: short, role: full }] }', /weak-key.*at least 24/],
    [`{ tokens: [{ name: a, token: ${FULL} }] }`, /role/],
    [`{ tokens: [{ name: a, token: ${FULL}, role: all }] }`, /full.*read/],
    [`{ tokens: [{ name: "a\\nb", token: ${FULL}, role: full }] }`, /letters, digits/],
    [`{ token: ${FIRST}, tokens: [{ name: admin, token: ${FULL}, role: full }] }`, /duplicate.*name of admin.token/],
    [
      `{ tokens: [{ name: a, token: ${FULL}, role: full }, { name: a, token: ${READ}, role: read }] }`,
      /duplicate.*duplicate name/,
    ],
    [
      `{ tokens: [{ name: a, token: ${FULL}, role: full }, { name: b, token: ${FULL}, role: read }] }`,
      /duplicate.*this is the token of a/,
    ],
  ])('rejects the tokens of %s', (admin, problem) => {
    expect(problems(admin)).toEqual([expect.stringMatching(problem)]);
  });
});
