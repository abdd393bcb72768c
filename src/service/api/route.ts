/**
 * Definition of a route: path, credentials, request, response and handler in one table row. Express, 405 responses,
 * OPTIONS, `/openapi.json`, `docs/rest.md` and metric labels are all generated from these rows.
 */
import type { RequestHandler, Router } from 'express';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import type { MergedList } from './merged-list.ts';
import { stateOf } from './request-context.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRoute {
  method: HttpMethod;
  /** Path with `{names}`. */
  path: string;
  tag:
    | 'Calls'
    | 'Conferences'
    | 'Rooms'
    | 'Recordings'
    | 'Broadcasts'
    | 'Video'
    | 'Administration'
    | 'Studio'
    | 'Service';
  summary: string;
  /** Accepted credentials. */
  auth: 'project' | 'admin' | 'admin or this machine' | 'anybody';
  body?: RequestBodySpec;
  query?: readonly QueryParameter[];
  response: ResponseSpec;
  /** Errors in addition to those of every route (`route-errors.ts`). */
  errors: readonly ApiErrorCode[];
  /** For a list of which every node has a part: merged over all nodes. */
  merged?: MergedList;
  /** True if the route places calls and supports `Idempotency-Key`. */
  isIdempotent?: true;
  /** True if the route needs `If-Match` or `If-None-Match: *` (`preconditions.ts`). */
  isConditional?: true;
  /** True for an alternative path, which is accepted but not documented. */
  isAlias?: true;
}

export interface RequestBodySpec {
  /** Name of a schema in `schemas/api/`. */
  schema: string;
  isRequired: boolean;
  /** Media types of files that are accepted instead. */
  files?: readonly string[];
}

export interface ResponseSpec {
  status: number;
  /** Name of a schema in `schemas/api/`. */
  schema?: string;
  /** Key of the list in the response. */
  list?: string;
  /** Media type, if not JSON. */
  mediaType?: string;
  /** Another status with the same body. */
  alternativeStatus?: number;
}

export interface QueryParameter {
  name: string;
  description: string;
  schema: { type: 'string' | 'integer'; minimum?: number; maximum?: number; default?: number; enum?: string[] };
  /** Parser for values beyond the schema. Returns undefined for an invalid value; `expected` describes valid ones. */
  parse?(written: string): string | number | undefined;
  expected?: string;
}

/** A route with its handler. */
export type HandledRoute<Handler> = ApiRoute & { handle: Handler };

/** Path parameters. A handler reads those of its own path. */
export const PATH_PARAMETERS = {
  voice_id: 'The call.',
  recording_id: 'The recording.',
  play_id: 'ID of the play: `playId` of its command in the journal.',
  service_id: 'Ignored.',
  conference_id: 'The conference.',
  callback_id: 'ID of the callback in the list of queues.',
  room_id: 'The room.',
  conf_num: 'The session.',
  file_name: 'File of the archive.',
  call_num: 'Connection ID of a participant of a video room.',
  from_date: 'First day: year-month-day, UTC.',
  to_date: 'Last day: year-month-day, UTC.',
  app_instance: 'The broadcast.',
  rehearsal_id: 'The rehearsal.',
  app_id: 'The project.',
  number: 'Number, with or without separators between its digits.',
  name: 'Its name.',
  language: 'Language tag such as en-US, or `default`.',
  route_id: 'ID, chosen at creation.',
  hash: 'The version.',
  file: 'File, relative to `flows_directory`; write `/` as `%2F`.',
  node: 'Name or ID of the node.',
  comment_id: 'The comment.',
  event_id: 'ID of the event: `webhook-id` of its deliveries.',
} as const;

export type PathParameters = Readonly<Record<keyof typeof PATH_PARAMETERS, string>>;

/** Path without parameter names, which can differ between routes of the same path. */
export const pathShape = (path: string): string => path.replace(/\{\w+\}/g, '{}');

/** Methods of each path: `GET` first, `DELETE` last, the others in table order. */
export function methodsByPath(routes: readonly ApiRoute[]): Map<string, HttpMethod[]> {
  const rank = (method: HttpMethod): number => (method === 'GET' ? 0 : method === 'DELETE' ? 2 : 1);
  const grouped = Map.groupBy(routes, ({ path }) => pathShape(path));
  return new Map(
    [...grouped].map(([shape, rows]) => [
      shape,
      [...new Set(rows.map(({ method }) => method))].sort((one, other) => rank(one) - rank(other)),
    ]),
  );
}

/** Registers the routes on a router mounted at `base`. All other methods of their paths get 405. */
export function register<Handler, Route extends HandledRoute<Handler> = HandledRoute<Handler>>(
  router: Router,
  base: string,
  routes: readonly Route[],
  serve: (route: Route) => RequestHandler,
): Router {
  const expressPath = (path: string): string => path.slice(base.length).replace(/\{(\w+)\}/g, ':$1');
  for (const route of routes) {
    const handle = serve(route);
    router[route.method.toLowerCase() as 'get'](expressPath(route.path), (req, res, next) => {
      stateOf(res).route = route.path;
      return handle(req, res, next);
    });
  }
  for (const [shape, methods] of methodsByPath(routes)) {
    const { path, tag } = routes.findLast((route) => pathShape(route.path) === shape)!;
    // Audio players request the length of a recording with HEAD.
    const named = tag === 'Recordings' ? [...methods, 'HEAD'] : methods;
    router.all(expressPath(path), () => refuseMethod(named));
  }
  return router;
}

function refuseMethod(methods: readonly string[]): never {
  throw new ApiError('method_not_allowed', `use ${methods.join(' or ')}`, { headers: { allow: methods.join(', ') } });
}
