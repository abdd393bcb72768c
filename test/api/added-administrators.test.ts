/** Administrators that other administrators add: routes by role and by owner, invitations, tokens and the last one. */
import { describe, expect, it } from 'vitest';
import { FROM_STUDIO, studioSession } from './admin-client.ts';
import type { ApiResponse, ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const BOSS = 'token-of-the-first-administrator';
const READER = 'token-of-one-that-only-reads';
const CONFIG = `${NUMBERS}admin:
  tokens:
    - { name: boss, token: ${BOSS}, role: full }
    - { name: grafana, token: ${READER}, role: read }
`;
type Headers = Record<string, string>;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const HOUR_MS = 3_600_000;

const open = () => openRig({ config: CONFIG });
const ask = (rig: ApiRig, by: Headers, method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  rig.request(method, `/admin/v1${path}`, body, { as: false, headers: by });
const statusOf = async (rig: ApiRig, by: Headers, method: string, path: string, body?: unknown): Promise<number> =>
  (await ask(rig, by, method, path, body)).status;

/** Adds an administrator. Returns its token. */
async function added(rig: ApiRig, name: string, role: string, by = bearer(BOSS)): Promise<string> {
  expect(await statusOf(rig, by, 'PUT', `/administrators/${name}`, { role })).toBe(200);
  return String((await ask(rig, by, 'POST', `/administrators/${name}/token`)).body['token']);
}

async function byLink(rig: ApiRig): Promise<Headers> {
  const [, code] = /#code=(.+)$/.exec(rig.app.studio!.link())!;
  return studioSession(rig, {}, { code });
}

const invite = async (rig: ApiRig, name: string): Promise<string> =>
  String((await ask(rig, bearer(BOSS), 'POST', `/administrators/${name}/invitation`)).body['code']);

const accept = (rig: ApiRig, code: string): Promise<ApiResponse> =>
  rig.request('POST', '/studio/session', { code }, { as: false, headers: FROM_STUDIO });

/** Status by route for the administrators `full`, `read` and `none`, for an own and for another entry. */
describe('rights', () => {
  const ROUTES = [
    ['GET', '/administrators', undefined],
    ['GET', '/administrators/NAME', undefined],
    ['PUT', '/administrators/NAME', { role: 'read' }],
    ['POST', '/administrators/NAME/invitation', undefined],
    ['POST', '/administrators/NAME/token', undefined],
    ['DELETE', '/administrators/NAME/token', undefined],
    ['DELETE', '/administrators/NAME', undefined],
  ] as const;
  const OWN_TOKEN = 'POST /administrators/NAME/token';

  for (const [method, path, body] of ROUTES) {
    for (const whose of ['own', 'other'] as const) {
      it(`allows by role: ${method} ${path} (${whose})`, async () => {
        const rig = await open();
        const tokens = { full: await added(rig, 'bea', 'full'), read: await added(rig, 'carl', 'read') };
        await added(rig, 'dora', 'read');
        const nameOf = { full: whose === 'own' ? 'bea' : 'dora', read: whose === 'own' ? 'carl' : 'dora' };
        const status = (by: Headers, name: string) => statusOf(rig, by, method, path.replace('NAME', name), body);
        const isOpen = method === 'GET' || (`${method} ${path}` === OWN_TOKEN && whose === 'own');
        expect(await status({}, nameOf.read)).toBe(401);
        expect(await status(bearer(tokens.read), nameOf.read)).toBe(isOpen ? 200 : 403);
        expect(await status(bearer(tokens.full), nameOf.full)).toBe(200);
      });
    }

    if (method !== 'GET') {
      it(`refuses to change the configuration file: ${method} ${path}`, async () => {
        const rig = await open();
        const written = path.replace('NAME', 'Grafana');
        expect(await statusOf(rig, bearer(BOSS), method, written, body)).toBe(409);
        expect((await ask(rig, bearer(READER), 'GET', '/administrators/grafana')).body).toMatchObject({
          ...{ name: 'grafana', role: 'read', configured: true, has_token: true, you: true },
        });
      });
    }

    if (path.includes('NAME') && method !== 'PUT')
      it(`requires an existing name: ${method} ${path}`, async () => {
        const rig = await open();
        expect(await statusOf(rig, bearer(BOSS), method, path.replace('NAME', 'nemo'), body)).toBe(404);
        expect(await statusOf(rig, bearer(BOSS), method, path.replace('NAME', 'a%20b'), body)).toBe(400);
      });
  }

  it('allows a reader a new token of its own file entry never', async () => {
    const rig = await open();
    expect(await statusOf(rig, bearer(READER), 'POST', '/administrators/grafana/token')).toBe(409);
    expect(await statusOf(rig, bearer(READER), 'POST', '/administrators/boss/token')).toBe(403);
  });

  it('rejects unknown roles and names', async () => {
    const rig = await open();
    expect(await statusOf(rig, bearer(BOSS), 'PUT', '/administrators/eve', { role: 'all' })).toBe(400);
    expect(await statusOf(rig, bearer(BOSS), 'PUT', '/administrators/eve', {})).toBe(400);
    expect(await statusOf(rig, bearer(BOSS), 'PUT', '/administrators/-eve', { role: 'read' })).toBe(400);
  });
});

describe('a token', () => {
  it('is valid from its creation, with the role of its administrator, and is never listed or stored', async () => {
    const rig = await open();
    const token = await added(rig, 'bea@example.com', 'read');
    expect(await statusOf(rig, bearer(token), 'GET', '/numbers')).toBe(200);
    expect(await statusOf(rig, bearer(token), 'PUT', '/users/alice', { password: 'long enough' })).toBe(403);
    expect(await statusOf(rig, bearer(BOSS), 'PUT', '/administrators/bea@example.com', { role: 'full' })).toBe(200);
    expect(await statusOf(rig, bearer(token), 'PUT', '/users/alice', { password: 'long enough' })).toBe(200);
    const { text } = await ask(rig, bearer(BOSS), 'GET', '/administrators');
    expect(text).toContain('"name":"bea@example.com","role":"full"');
    expect(text).not.toContain(token);
    expect(JSON.stringify(rig.store.settings.list('administrator'))).not.toContain(token);
    expect(JSON.stringify(rig.logLines)).not.toContain(token);
  });

  it('ends with its sessions when it is replaced, revoked or removed', async () => {
    const rig = await open();
    for (const [method, path] of [
      ['POST', '/administrators/bea/token'],
      ['DELETE', '/administrators/bea/token'],
      ['DELETE', '/administrators/bea'],
    ] as const) {
      const token = await added(rig, 'bea', 'full');
      const session = await studioSession(rig, bearer(token));
      expect(await statusOf(rig, session, 'GET', '/numbers')).toBe(200);
      expect(await statusOf(rig, bearer(BOSS), method, path)).toBe(200);
      expect(await statusOf(rig, bearer(token), 'GET', '/numbers')).toBe(401);
      expect(await statusOf(rig, session, 'GET', '/numbers')).toBe(401);
    }
  });

  it('is renewed in the studio without ending the session there', async () => {
    const rig = await open();
    const session = await studioSession(rig, bearer(await added(rig, 'carl', 'read')));
    const renewed = await ask(rig, session, 'POST', '/administrators/carl/token');
    const cookie = renewed.headers.get('set-cookie')!.split(';')[0]!;
    expect(await statusOf(rig, { ...session, cookie }, 'GET', '/numbers')).toBe(200);
    expect(await statusOf(rig, session, 'GET', '/numbers')).toBe(401);
    expect(await statusOf(rig, bearer(String(renewed.body['token'])), 'GET', '/numbers')).toBe(200);
  });

  it('survives a restart, and yields to the same name in the configuration file', async () => {
    const rig = await open();
    const token = await added(rig, 'bea', 'full');
    rig.rewrite((text) => `${text}    - { name: Bea, token: another-token-of-the-same-name, role: read }\n`);
    await rig.app.reload();
    expect(await statusOf(rig, bearer(token), 'GET', '/numbers')).toBe(401);
    rig.rewrite((text) => text.replace(/ {4}- \{ name: Bea.*\n/, ''));
    await rig.app.reload();
    expect(await statusOf(rig, bearer(token), 'GET', '/numbers')).toBe(200);
  });
});

describe('an invitation', () => {
  it('signs in once, with a token that is shown once, and replaces the earlier token', async () => {
    const rig = await open();
    const old = await added(rig, 'bea', 'read');
    const { body } = await ask(rig, bearer(BOSS), 'POST', '/administrators/bea/invitation');
    expect(body['link']).toMatch(new RegExp(`/studio/#code=${String(body['code'])}$`));
    expect((await ask(rig, bearer(BOSS), 'GET', '/administrators/bea')).body).toMatchObject({
      invited_until: body['valid_until'],
    });
    expect(await statusOf(rig, bearer(old), 'GET', '/numbers')).toBe(200);
    const first = await accept(rig, String(body['code']));
    expect(first.body).toMatchObject({ role: 'admin', name: 'bea', access: 'read' });
    expect(await statusOf(rig, bearer(String(first.body['token'])), 'GET', '/numbers')).toBe(200);
    expect(await statusOf(rig, bearer(old), 'GET', '/numbers')).toBe(401);
    expect((await accept(rig, String(body['code']))).status).toBe(401);
    expect((await ask(rig, bearer(BOSS), 'GET', '/administrators/bea')).body).not.toHaveProperty('invited_until');
  });

  it('is accepted once by two requests at the same moment', async () => {
    const rig = await open();
    await added(rig, 'bea', 'read');
    const code = await invite(rig, 'bea');
    const answers = await Promise.all([accept(rig, code), accept(rig, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('ends after 24 hours, by a newer one, by revoking and by removing', async () => {
    const rig = await open();
    await added(rig, 'bea', 'read');
    const [replaced, late] = [await invite(rig, 'bea'), await invite(rig, 'bea')];
    expect((await accept(rig, replaced)).status).toBe(401);
    await rig.pass(24 * HOUR_MS);
    expect((await accept(rig, late)).status).toBe(401);
    const revoked = await invite(rig, 'bea');
    await ask(rig, bearer(BOSS), 'DELETE', '/administrators/bea/token');
    expect((await accept(rig, revoked)).status).toBe(401);
    const removed = await invite(rig, 'bea');
    await ask(rig, bearer(BOSS), 'DELETE', '/administrators/bea');
    expect((await accept(rig, removed)).status).toBe(401);
  });
});

describe('the last full administrator', () => {
  it('cannot be removed, revoked or changed by an administrator, only by the operator', async () => {
    const rig = await openRig({ config: NUMBERS });
    const operator = await byLink(rig);
    const bea = bearer(await added(rig, 'bea', 'full', operator));
    await added(rig, 'carl', 'read', operator);
    expect(await statusOf(rig, bea, 'PUT', '/administrators/dora', { role: 'full' })).toBe(200);
    const attempts = [
      ['PUT', '/administrators/bea', { role: 'read' }],
      ['DELETE', '/administrators/bea/token', undefined],
      ['DELETE', '/administrators/bea', undefined],
    ] as const;
    // Dora has no token yet: she does not count.
    for (const [method, path, body] of attempts) {
      const { status, text } = await ask(rig, bea, method, path, body);
      expect([status, text]).toEqual([409, expect.stringContaining('bea is the last full administrator')]);
    }
    const dora = bearer(String((await ask(rig, bea, 'POST', '/administrators/dora/token')).body['token']));
    expect(await statusOf(rig, bea, 'PUT', '/administrators/bea', { role: 'read' })).toBe(200);
    expect(await statusOf(rig, dora, 'DELETE', '/administrators/dora')).toBe(409);
    expect(await statusOf(rig, operator, 'DELETE', '/administrators/dora')).toBe(200);
    expect(await statusOf(rig, operator, 'DELETE', '/administrators/bea')).toBe(200);
    // Without a token, the admin API is for the studio alone again; carl still has one.
    expect(await statusOf(rig, operator, 'DELETE', '/administrators/carl')).toBe(200);
    expect(await statusOf(rig, bea, 'GET', '/administrators')).toBe(404);
  });
});

describe('the list', () => {
  it('has the last request of each, to within ten minutes, and who added it', async () => {
    const rig = await open();
    const bea = bearer(await added(rig, 'bea', 'full'));
    const row = async (name: string) => (await ask(rig, bearer(BOSS), 'GET', `/administrators/${name}`)).body;
    expect(await row('bea')).toMatchObject({ created_by: 'boss', configured: false, you: false });
    expect(await row('bea')).not.toHaveProperty('last_seen');
    await ask(rig, bea, 'GET', '/numbers');
    const seen = String((await row('bea'))['last_seen']);
    expect(Math.abs(Date.parse(seen) - rig.clock.now())).toBeLessThan(1000);
    await rig.pass(HOUR_MS);
    expect(await row('bea')).toMatchObject({ last_seen: seen });
    expect(await row('boss')).toHaveProperty('last_seen');
    expect(rig.store.settings.list('administrator-seen').map(({ key }) => key)).toContain('bea');
  });

  it('shows no sign-in of an earlier administrator with the same name', async () => {
    const rig = await open();
    const bea = bearer(await added(rig, 'bea', 'full'));
    await ask(rig, bea, 'GET', '/numbers');
    await ask(rig, bearer(BOSS), 'DELETE', '/administrators/bea');
    await rig.pass(1000);
    await added(rig, 'bea', 'read');
    expect((await ask(rig, bearer(BOSS), 'GET', '/administrators/bea')).body).not.toHaveProperty('last_seen');
  });
});

describe('the audit trail', () => {
  it('names the author of each change, and the administrator that accepted an invitation', async () => {
    const rig = await open();
    const bea = bearer(await added(rig, 'bea', 'full'));
    await ask(rig, bea, 'PUT', '/administrators/carl', { role: 'read' });
    await accept(rig, String((await ask(rig, bea, 'POST', '/administrators/carl/invitation')).body['code']));
    const { body } = await ask(rig, bearer(BOSS), 'GET', '/trail');
    const told = (body['changes'] as { who: string; what: string }[]).map(({ who, what }) => `${who}: ${what}`);
    expect(told).toEqual([
      'carl: POST /studio/session',
      'bea: POST /administrators/carl/invitation',
      'bea: PUT /administrators/carl',
      'boss: POST /administrators/bea/token',
      'boss: PUT /administrators/bea',
    ]);
  });
});
