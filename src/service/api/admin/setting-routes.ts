/**
 * Admin routes for numbers, users, carrier routes and schedules: collections of named items with the same four routes.
 */
import { parseDuration } from '../../../base/core/duration.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { camelCased, snakeCased } from '../../../base/core/key-case.ts';
import { isTimeZone } from '../../../base/core/time-zone.ts';
import type { ProvisionedNumber } from '../../calls/numbers/numbers.ts';
import type { Collection, Provisioned } from '../../calls/settings/collection.ts';
import { provisionNumber, provisionUser } from '../../calls/settings/provision.ts';
import { type CarrierRouteSetting, numberKey, type SipUser, userKey } from '../../calls/settings/settings.ts';
import type { ApiErrorCode } from '../api-error.ts';
import { type BodyReader, badRequest, bodyReader, givenReader } from '../body-reader.ts';
import type { AdminNumberBody, AdminRouteBody, AdminUserBody } from '../request-bodies/settings.ts';
import { optionalIso } from '../response-bodies.ts';
import type { PathParameters } from '../route.ts';
import { sipHeadersOf } from '../sip-headers.ts';
import {
  type AdminParts,
  type AdminRoute,
  adminRoute,
  DONE,
  doneBody,
  many,
  one,
  type PhoneAtWork,
} from './admin-route.ts';

interface SettingResource<Value extends object, Body> {
  /** Path segment and key of the list. */
  name: string;
  /** Name of the schema of body and response. */
  schema: string;
  /** Path parameter with the id. */
  id: keyof PathParameters;
  pattern: RegExp;
  summaries: { list: string; show: string; put: string; remove: string };
  /** Additional errors of the body. */
  errors?: readonly ApiErrorCode[];
  collection(parts: AdminParts): Collection<Value>;
  keyOf(id: string): string;
  bodyOf(value: Value, key: string, parts: AdminParts): JsonObject;
  read: BodyReader<Body>;
  put(id: string, body: Body, parts: AdminParts): Promise<void>;
}

function settingRoutes<Value extends object, Body>(resource: SettingResource<Value, Body>): AdminRoute[] {
  const { name, schema, id, pattern, summaries, errors = [], collection, keyOf, read, put } = resource;
  const path = `/${name}/{${id}}`;
  const bodyOf = ({ key, value, isConfigured }: Provisioned<Value>, parts: AdminParts): JsonObject => ({
    ...resource.bodyOf(value, key, parts),
    configured: isConfigured,
  });
  const idOf = (params: PathParameters): string => {
    const written = params[id].trim();
    if (!pattern.test(written)) throw badRequest(`${id} is invalid`);
    return written;
  };
  return [
    adminRoute('GET', `/${name}`, {
      summary: summaries.list,
      response: many(name, schema),
      handle: (_request, parts) =>
        collection(parts)
          .list()
          .map((item) => bodyOf(item, parts)),
    }),
    adminRoute('GET', path, {
      summary: summaries.show,
      response: one(schema),
      errors: ['unknown_setting'],
      handle: ({ params }, parts) => bodyOf(collection(parts).get(keyOf(idOf(params))), parts),
    }),
    adminRoute('PUT', path, {
      summary: summaries.put,
      body: schema,
      response: one(schema),
      errors: ['configured', ...errors],
      async handle({ params, body }, parts) {
        const written = idOf(params);
        await put(written, read(body), parts);
        return bodyOf(collection(parts).get(keyOf(written)), parts);
      },
    }),
    adminRoute('DELETE', path, {
      summary: summaries.remove,
      response: DONE,
      errors: ['unknown_setting', 'configured'],
      async handle({ params }, parts) {
        await collection(parts).remove(keyOf(idOf(params)));
        return doneBody(parts);
      },
    }),
  ];
}

const NUMBERS: SettingResource<ProvisionedNumber, AdminNumberBody> = {
  name: 'numbers',
  schema: 'number',
  read: bodyReader('admin/number'),
  id: 'number',
  pattern: /^[+A-Za-z0-9_*#.() -]{1,64}$/,
  summaries: {
    list: 'lists the numbers',
    show: 'returns a number',
    put: 'creates a number, or replaces its settings',
    remove: 'removes a number; live calls continue',
  },
  errors: ['unknown_setting', 'unknown_flow', 'input_invalid'],
  collection: ({ settings }) => settings.numbers,
  keyOf: numberKey,
  bodyOf: (number) => ({
    ...{ number: number.number, project: number.projectId },
    ...snakeCased(number, ['flow', 'input', 'webhook', 'greeting', 'greetingHeard', 'outboundGreeting', 'autoAccept']),
  }),
  async put(number, { project, ...body }, parts) {
    const { flow, input, webhook, greeting, greetingHeard, autoAccept } = camelCased(body);
    if (flow !== undefined && (greeting !== undefined || autoAccept !== undefined)) {
      throw badRequest('greeting and auto_accept require a number without a flow');
    }
    if (greeting === undefined && greetingHeard !== undefined) {
      throw badRequest('greeting_heard requires a greeting');
    }
    if (flow === undefined && input !== undefined) throw badRequest('input requires a flow');
    const problem = webhook === undefined ? undefined : parts.urlProblem(webhook);
    if (problem !== undefined) throw badRequest(`webhook: ${problem}`);
    const projectId = project ?? parts.projects.first.projectId;
    await provisionNumber({ number, projectId, ...camelCased(body) }, parts);
  },
};

const USERS: SettingResource<SipUser, AdminUserBody> = {
  name: 'users',
  schema: 'user',
  read: bodyReader('admin/user'),
  id: 'name',
  pattern: /^[A-Za-z0-9_.+-]{1,64}$/,
  summaries: {
    list: 'lists the phones that may register',
    show: 'shows one',
    put: 'creates a phone, or changes its settings; without `password`, it keeps its password',
    remove: 'removes a phone and its registrations',
  },
  collection: ({ settings }) => settings.users,
  keyOf: userKey,
  bodyOf: ({ name, srtp, projectId }, _key, { phonesOf }) =>
    defined({ name, srtp, project: projectId, registrations: phonesOf?.(name).map(registrationBody) }),
  put(name, { password: given, srtp, project: projectId }, parts) {
    const password = given ?? parts.settings.users.find(userKey(name))?.value.password;
    if (password === undefined) throw badRequest('password: required for a new user');
    return provisionUser(defined({ name, password, srtp, projectId }), parts);
  },
};

const registrationBody = ({ transport, host, port, sinceMs }: PhoneAtWork): JsonObject =>
  defined({ transport, host, port, since: optionalIso(sinceMs) });

const ROUTES: SettingResource<CarrierRouteSetting, AdminRouteBody> = {
  name: 'routes',
  schema: 'route',
  read: bodyReader('admin/route'),
  id: 'route_id',
  pattern: /^[A-Za-z0-9_.-]{1,64}$/,
  summaries: {
    list: 'lists the routes to carriers',
    show: 'returns a route',
    put: 'creates a route, or changes it from the next call on',
    remove: 'removes a route',
  },
  collection: ({ settings }) => settings.routes,
  keyOf: (id) => id,
  // Omits the password.
  bodyOf: (route, key) =>
    defined({
      headers: route.headers && { ...route.headers },
      ...{ route_id: key, try_timeout: inDuration(route.tryTimeoutMs), keepalive: inDuration(route.keepaliveMs) },
      ...snakeCased(route, ['prefix', 'gateways', 'username', 'transport', 'register', 'failoverOn', 'callsPerSecond']),
      ...snakeCased(route, ['maxCalls', 'strip', 'add', 'fromDomain', 'fromUser', 'country', 'identity', 'srtp']),
    }),
  async put(id, { try_timeout: timeout, keepalive, headers: written, ...given }, { settings }) {
    const { username, register } = given;
    const known = settings.routes.find(id)?.value;
    // No route returns it, so that a client cannot send it again.
    const password = given.password ?? (username === known?.username ? known?.password : undefined);
    const body = { ...given, ...(password === undefined ? {} : { password }) };
    if ((username === undefined) !== (password === undefined))
      throw badRequest('username and password require each other');
    if (register && username === undefined) throw badRequest('register requires username and password');
    const times = { tryTimeoutMs: msOf(timeout), keepaliveMs: msOf(keepalive) };
    await settings.routes.put(
      id,
      defined({ ...camelCased(body), ...times, headers: sipHeadersOf(written, 'headers') }),
    );
  },
};

const msOf = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDuration(duration);

const inDuration = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : `${ms}ms`);

const SCHEDULES: SettingResource<JsonObject, JsonObject> = {
  name: 'schedules',
  schema: 'schedule',
  read: givenReader('admin/schedule'),
  id: 'name',
  pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  summaries: {
    list: 'lists the schedules of opening hours',
    show: 'shows one',
    put: 'creates a schedule, or changes it from the next call on',
    remove: 'removes one',
  },
  collection: ({ settings }) => settings.schedules,
  keyOf: (name) => name,
  bodyOf: (schedule, name) => ({ name, schedule }),
  async put(name, schedule, { settings }) {
    const zone = schedule['timezone'];
    if (typeof zone === 'string' && !isTimeZone(zone)) throw badRequest(`unknown time zone ${zone}`);
    await settings.schedules.put(name, schedule);
  },
};

export const NUMBER_ROUTES = settingRoutes(NUMBERS);
export const USER_ROUTES = settingRoutes(USERS);
export const CARRIER_ROUTES = settingRoutes(ROUTES);
export const SCHEDULE_ROUTES = settingRoutes(SCHEDULES);
