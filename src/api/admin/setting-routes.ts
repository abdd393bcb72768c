/** Numbers, users, routes to carriers and schedules: lists of named things that are put, shown and removed alike. */
import { type RequestHandler, Router } from 'express';
import type { ProvisionedNumber } from '../../calls/numbers.ts';
import type { Collection, Provisioned } from '../../calls/settings/collection.ts';
import { provisionNumber, provisionUser } from '../../calls/settings/provision.ts';
import { type CarrierRouteSetting, numberKey, type SipUser, userKey } from '../../calls/settings/settings.ts';
import { parseDuration } from '../../core/duration.ts';
import { defined, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import { badRequest, bodyReader, given, textOf } from '../body-reader.ts';
import { bodyOf, only } from '../route-parts.ts';
import type { AdminParts } from './admin-routes.ts';

interface SettingResource<Value extends object> {
  /** Of the path and of the list. */
  name: string;
  /** What the id in the path is called. */
  id: string;
  collection: Collection<Value>;
  pattern: RegExp;
  keyOf(id: string): string;
  shown(value: Value, key: string): JsonObject;
  put(id: string, body: Json | undefined): void;
}

export function settingRoutes(parts: AdminParts): Router {
  const router = Router();
  add(router, numbers(parts), parts);
  add(router, users(parts), parts);
  add(router, routes(parts), parts);
  add(router, schedules(parts), parts);
  return router;
}

function add<Value extends object>(router: Router, kind: SettingResource<Value>, { now }: AdminParts): void {
  const { name, id, collection, pattern, keyOf, put } = kind;
  const shown = ({ key, value, isConfigured }: Provisioned<Value>): JsonObject => ({
    ...kind.shown(value, key),
    configured: isConfigured,
  });
  const idOf = (params: Record<string, string>): string => {
    const written = params[id]?.trim() ?? '';
    if (!pattern.test(written)) throw badRequest(`${id} is not written as it must be`);
    return written;
  };
  const list: RequestHandler = (_req, res) => {
    res.json({ [name]: collection.list().map(shown), timestamp: now() });
  };
  const show: RequestHandler<Record<string, string>> = (req, res) => {
    res.json(shown(collection.get(keyOf(idOf(req.params)))));
  };
  const change: RequestHandler<Record<string, string>> = (req, res) => {
    const written = idOf(req.params);
    put(written, bodyOf(req));
    res.json(shown(collection.get(keyOf(written))));
  };
  const remove: RequestHandler<Record<string, string>> = (req, res) => {
    collection.remove(keyOf(idOf(req.params)));
    res.json(doneBody(now()));
  };
  router.route(`/${name}`).get(list).all(only('GET'));
  router
    .route(`/${name}/:${id}`)
    .get(show)
    .put(change)
    .delete(remove)
    .all(only('GET', 'PUT', 'DELETE'));
}

export const doneBody = (timestamp: string): JsonObject => ({ result: 0, status: 'success', timestamp });

function numbers(parts: AdminParts): SettingResource<ProvisionedNumber> {
  const read = bodyReader('admin/number');
  return {
    name: 'numbers',
    id: 'number',
    collection: parts.settings.numbers,
    pattern: /^[+A-Za-z0-9_*#.() -]{1,64}$/,
    keyOf: numberKey,
    shown: ({ number, projectId, flow, input, webhook, greeting, greetingHeard, outboundGreeting, autoAccept }) => ({
      number,
      project: projectId,
      ...defined({ flow, input, webhook, greeting, greeting_heard: greetingHeard }),
      ...defined({ outbound_greeting: outboundGreeting, auto_accept: autoAccept }),
    }),
    put(number, body) {
      const written = read(body);
      const { project, flow, input, webhook, greeting, auto_accept: autoAccept } = written;
      const { greeting_heard: greetingHeard, outbound_greeting: outboundGreeting } = written;
      if (flow !== undefined && (greeting !== undefined || autoAccept !== undefined)) {
        throw badRequest('greeting and auto_accept are for numbers without a flow');
      }
      if (greeting === undefined && greetingHeard !== undefined) {
        throw badRequest('greeting_heard is for a greeting, and there is none');
      }
      if (flow === undefined && input !== undefined) throw badRequest('input is for a flow, and there is none');
      const refusal = webhook === undefined ? undefined : parts.urlProblem(String(webhook));
      if (refusal !== undefined) throw badRequest(`webhook: ${refusal}`);
      provisionNumber(
        defined({
          number,
          projectId: project === undefined ? parts.projects.first.projectId : textOf(project),
          flow: flow === undefined ? undefined : textOf(flow),
          ...(isObject(input) ? { input } : {}),
          webhook: webhook === undefined ? undefined : textOf(webhook),
          greeting,
          greetingHeard: greetingHeard === undefined ? undefined : (greetingHeard as 'before_accept' | 'after_connect'),
          outboundGreeting,
          ...(typeof autoAccept === 'boolean' ? { autoAccept } : {}),
        }),
        parts,
      );
    },
  };
}

function users(parts: AdminParts): SettingResource<SipUser> {
  const { settings } = parts;
  const read = bodyReader('admin/user');
  return {
    name: 'users',
    id: 'name',
    collection: settings.users,
    pattern: /^[A-Za-z0-9_.+-]{1,64}$/,
    keyOf: userKey,
    shown: ({ name, srtp, projectId }) => ({ name, ...defined({ srtp, project: projectId }) }),
    put(name, body) {
      const { password, srtp, project } = read(body);
      const projectId = project === undefined ? undefined : textOf(project);
      provisionUser(
        {
          name,
          password: textOf(password),
          ...(defined<JsonObject>({ srtp, projectId }) as Pick<SipUser, 'srtp' | 'projectId'>),
        },
        parts,
      );
    },
  };
}

function routes({ settings }: AdminParts): SettingResource<CarrierRouteSetting> {
  const read = bodyReader('admin/route');
  return {
    name: 'routes',
    id: 'route_id',
    collection: settings.routes,
    pattern: /^[A-Za-z0-9_.-]{1,64}$/,
    keyOf: (id) => id,
    shown: routeBody,
    put: (id, body) => settings.routes.put(id, routeOf(read(body))),
  };
}

function routeOf(body: JsonObject): CarrierRouteSetting {
  const { username, password, gateways, failover_on: failoverOn } = body;
  if ((username === undefined) !== (password === undefined)) throw badRequest('username and password go together');
  if (body['register'] === true && username === undefined) {
    throw badRequest('a registration needs username and password');
  }
  const duration = (key: string): number | undefined =>
    body[key] === undefined ? undefined : parseDuration(String(body[key]));
  return defined({
    prefix: textOf(body['prefix']),
    gateways: (gateways as string[]).map(String),
    ...given(body, 'username', 'password', 'transport', 'register', 'strip', 'add', 'srtp'),
    failoverOn,
    tryTimeoutMs: duration('try_timeout'),
    callsPerSecond: body['calls_per_second'],
    maxCalls: body['max_calls'],
    fromDomain: body['from_domain'],
    keepaliveMs: duration('keepalive'),
  }) as unknown as CarrierRouteSetting;
}

/** All but the password. */
const routeBody = (route: CarrierRouteSetting, key: string): JsonObject =>
  defined({
    route_id: key,
    prefix: route.prefix,
    gateways: [...route.gateways],
    username: route.username,
    transport: route.transport,
    register: route.register,
    failover_on: route.failoverOn && [...route.failoverOn],
    try_timeout: inDuration(route.tryTimeoutMs),
    calls_per_second: route.callsPerSecond,
    max_calls: route.maxCalls,
    strip: route.strip,
    add: route.add,
    from_domain: route.fromDomain,
    keepalive: inDuration(route.keepaliveMs),
    srtp: route.srtp,
  });

const inDuration = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : `${ms}ms`);

function schedules({ settings }: AdminParts): SettingResource<JsonObject> {
  const read = bodyReader('admin/schedule');
  return {
    name: 'schedules',
    id: 'name',
    collection: settings.schedules,
    pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    keyOf: (name) => name,
    shown: (schedule, key) => ({ name: key, schedule }),
    put(name, body) {
      const schedule = read(body);
      const zone = schedule['timezone'];
      if (typeof zone === 'string' && !isTimeZone(zone)) throw badRequest(`there is no time zone ${zone}`);
      settings.schedules.put(name, schedule);
    },
  };
}
