/** OpenAPI description: valid, and with exactly the routes of the service. */
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type AdminParts, adminRouter } from '../../src/service/api/admin/admin-route.ts';
import { ADMIN_ROUTES } from '../../src/service/api/admin/admin-routes.ts';
import { createAdminAuth } from '../../src/service/api/admin-auth.ts';
import { API_ERRORS } from '../../src/service/api/api-error.ts';
import { type ApiParts, createApi } from '../../src/service/api/create-api.ts';
import { errorsOf, openApi } from '../../src/service/api/openapi.ts';
import { pathShape } from '../../src/service/api/route.ts';
import { ROUTES, routeLabel, VIDEO_ROUTES, VOICE_ROUTES } from '../../src/service/api/routes.ts';
import { serviceRouter } from '../../src/service/api/service-routes.ts';
import { sessionRouter } from '../../src/service/api/session-routes.ts';
import { videoRouter } from '../../src/service/api/video/video-route.ts';
import { voiceRouter } from '../../src/service/api/voice-route.ts';
import { ADMIN, TOKEN } from './admin-client.ts';
import { ApiRig } from './rig.ts';
import { NUMBERS } from './rigs.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await ApiRig.open({ config: NUMBERS + ADMIN });
});
afterAll(() => rig.close());

describe('/openapi.json', () => {
  it('is OpenAPI 3.1, available without credentials', async () => {
    const { status, body, headers } = await rig.request('GET', '/openapi.json', undefined, { as: false });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const validator = new Validator();
    expect(await validator.validate(structuredClone(body))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('refers to existing schemas, and has none without a reference', () => {
    const described = openApi('1.2.3');
    const references = new Set(refsIn(described));
    const schemas = (described['components'] as { schemas: JsonObject }).schemas;
    expect([...references].sort()).toEqual(
      Object.keys(schemas)
        .map((name) => `#/components/schemas/${name}`)
        .sort(),
    );
    expect(JSON.stringify(described)).not.toMatch(/"(says|\$defs|\$schema)"/);
  });

  it('names every operation exactly once', () => {
    const ids = operationsOf(openApi('1.2.3')).map(({ operationId }) => operationId);
    expect(ids.length).toBe(ROUTES.filter(({ isAlias }) => !isAlias).length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lists each path once, whatever its parameters are called in the routes', () => {
    const paths = Object.keys(openApi('1.2.3')['paths'] as JsonObject).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(new Set(paths).size).toBe(paths.length);
    const { paths: all } = openApi('1.2.3') as { paths: Record<string, Record<string, { parameters: unknown }>> };
    const ofBoth = all['/voice/v1/conference/{conference_id}']!;
    expect(Object.keys(ofBoth).sort()).toEqual(['delete', 'get', 'post', 'put']);
    expect(ofBoth['post']!.parameters).toMatchObject([{ name: 'conference_id', in: 'path', description: 'The call.' }]);
  });

  it('describes the cause of each problem', () => {
    const { paths } = openApi('1.2.3') as { paths: Record<string, Record<string, { responses: JsonObject }>> };
    const play = paths['/voice/v1/call/{voice_id}/play']!['put']!.responses;
    expect(play['405']).toMatchObject({ description: '`6112`: the call is bridged: prompts cannot be played' });
    expect(Object.keys(play)).toEqual(expect.arrayContaining(['200', '401', '404', '405', '406', '408', '429', '503']));
  });
});

describe('the table of routes', () => {
  const rows = ROUTES.map((row) => [`${row.method} ${row.path}`, row] as const);

  it.each(rows)('%s is an existing route', async (_name, row) => {
    const path = row.path.replace('{language}', 'en-US').replace(/\{\w+\}/g, 'x');
    const headers: Record<string, string> = row.auth === 'project' ? {} : { authorization: `Bearer ${TOKEN}` };
    const as = row.auth === 'project' ? {} : { as: false as const };
    const { status, body } = await rig.request(row.method, path, row.body?.isRequired ? {} : undefined, {
      ...as,
      headers,
    });
    expect(status).not.toBe(405);
    expect(status).toBeLessThan(502);
    expect(String(body['msg'] ?? body['error_description'] ?? body['desc'])).not.toMatch(/^there is no [A-Z]+ \//);
    const known = [row.response.status, ...errorsOf(row).map((code) => statusOf(code))];
    expect(known).toContain(status);
  });

  it('contains every route of the service', () => {
    const clock = new VirtualClock();
    const auth = createAdminAuth({ isConfigured: true, withToken: () => undefined }, clock);
    const calls = pretended({ clock });
    const admin = pretended<AdminParts>({});
    const rateLimit = { perSecond: 1, burst: 1 };
    const parts = { calls, admin, rateLimit, origins: { corsOrigins: [] }, isQuarantined: false };
    const layers = createApi(pretended<ApiParts>(parts)).router.stack as unknown as Layer[];
    expect(layers.filter(({ route }) => route !== undefined)).toEqual([]);
    expect(layers.filter(({ handle }) => handle.stack !== undefined)).toHaveLength(5);
    const served = [
      ...routesOf(voiceRouter(VOICE_ROUTES, pretended({ calls })), '/voice/v1'),
      ...routesOf(videoRouter(VIDEO_ROUTES, pretended({})), '/video/v2'),
      ...routesOf(sessionRouter(pretended({})), ''),
      ...routesOf(
        adminRouter(ADMIN_ROUTES, admin, { auth, recordChange: () => undefined, forward: [], clock }),
        '/admin/v1',
      ),
      ...routesOf(
        serviceRouter(
          pretended({}),
          auth,
          pretended(() => ({})),
        ),
        '',
      ),
    ];
    const isRefusal = (route: string): boolean => route.startsWith('ALL ');
    const listed = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(served.filter((route) => !isRefusal(route)).sort()).toEqual([...new Set(listed)].sort());
    const shapes = ROUTES.map(({ path }) => `ALL ${pathShape(path)}`);
    expect(served.filter(isRefusal).map(pathShape).sort()).toEqual([...new Set(shapes)].sort());
  });

  it('names the route of a request for metrics, whatever its path', () => {
    expect(routeLabel('/voice/v1/call/7/play')).toBe('/voice/v1/call/{voice_id}/play');
    expect(routeLabel('/VOICE/v1/calls/')).toBe('/voice/v1/call');
    expect(routeLabel('/admin/v1/projects/a/dead-letters/resend')).toBe(
      '/admin/v1/projects/{app_id}/dead-letters/resend',
    );
    expect(routeLabel('/openapiXjson')).toBe('other');
    expect(routeLabel('')).toBe('other');
  });
});

const statusOf = (code: ReturnType<typeof errorsOf>[number]): number => API_ERRORS[code].status;

/** Stand-ins for the objects that handlers would use; no handler is called here. */
function pretended<T extends object>(known: object): T {
  return new Proxy(known, {
    get: (target, key) => (Reflect.has(target, key) ? Reflect.get(target, key) : () => undefined),
  }) as T;
}

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
}

/** Routes of a router and of its nested routers; `ALL` for a route of any method. */
function routesOf(router: Router, base: string): string[] {
  const found = new Set<string>();
  const walk = (layers: readonly Layer[]): void => {
    for (const { route, handle } of layers) {
      if (!route) {
        if (handle.stack) walk(handle.stack);
        continue;
      }
      const methods = Object.keys(route.methods).filter((name) => name !== '_all' && name !== 'head');
      for (const path of [route.path].flat()) {
        const shown = `${base}${path.replace(/:(\w+)/g, '{$1}')}`;
        for (const method of methods.length > 0 ? methods : ['ALL']) found.add(`${method.toUpperCase()} ${shown}`);
      }
    }
  };
  walk(router.stack as unknown as Layer[]);
  return [...found];
}

function refsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
}

const operationsOf = (described: JsonObject): { operationId: string }[] =>
  Object.values(described['paths'] as Record<string, Record<string, { operationId: string }>>).flatMap((path) =>
    Object.values(path),
  );
