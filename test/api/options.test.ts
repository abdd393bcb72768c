/** OPTIONS on every route: one JSON document, and the methods that are really taken. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/service/api/routes.ts';
import { ADMIN, TOKEN } from './admin-client.ts';
import { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({
    config: `${NUMBERS}${ADMIN}limits: { requests_per_second: 1000, request_burst: 10000 }\n`,
  });
});
afterAll(() => rig.close());

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PATHS = [...new Set(ROUTES.map(({ path }) => path.replace(/\{\w+\}/g, 'x')))];

describe('OPTIONS', () => {
  it.each(PATHS)('%s returns the methods of the route, as JSON and in Allow, without credentials', async (path) => {
    const { status, headers, body } = await rig.request('OPTIONS', path, undefined, { as: false });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const allowed = headers.get('allow')?.split(', ');
    expect(body).toEqual({ state: 'success', status: 'success', methods: allowed, timestamp: expect.any(String) });
    const taken: string[] = [];
    for (const method of METHODS) {
      const isAdmin = path.startsWith('/admin') || path === '/metrics';
      const options = isAdmin ? { as: false as const, headers: { authorization: `Bearer ${TOKEN}` } } : {};
      const answer = await rig.request(method, path, undefined, options);
      if (answer.status !== 405 || !answer.headers.has('allow')) taken.push(method);
    }
    expect(allowed?.toSorted()).toEqual([...taken, 'OPTIONS'].sort());
  });

  it('is taken at the other spellings of a path too', async () => {
    for (const path of ['/voice/v1/calls', '/voice/v1/calls/x/', '/voice/v1/CALL/x/play']) {
      expect((await rig.request('OPTIONS', path)).status).toBe(200);
    }
  });

  it('is answered 404 on unknown paths, and on /admin without an administrator', async () => {
    const none = await openRig();
    for (const path of ['/', '/nothing', '/voice/v2/call', '/admin/v1/projects']) {
      const { status, body, headers } = await none.request('OPTIONS', path);
      expect([status, headers.get('allow')]).toEqual([404, null]);
      expect(body).toMatchObject({ msg: expect.any(String) });
    }
  });
});
