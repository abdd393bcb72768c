/**
 * One route, in one row: its name, its credentials, what it takes and answers, and its handler. Express, 405 and OPTIONS,
 * `/openapi.json`, `docs/rest.md` and the labels of metrics are made of these rows and of nothing else.
 */
import type { RequestHandler, Router } from 'express';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import type { MergedList } from './merged-list.ts';
import { stateOf } from './request-context.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRoute {
  method: HttpMethod;
  /** With `{names}`. */
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
  /** The credentials it takes. */
  auth: 'project' | 'admin' | 'admin or this machine' | 'anybody';
  body?: RequestBodySpec;
  query?: readonly QueryParameter[];
  response: ResponseSpec;
  /** Errors, beside those of every route (`route-errors.ts`). */
  errors: readonly ApiErrorCode[];
  /** A list of what each node has of it: it is one list, whichever node is asked. */
  merged?: MergedList;
  /** It dials, and takes effect once per `Idempotency-Key`. */
  isIdempotent?: true;
  /** It changes what was read before: `If-Match`, or `If-None-Match: *` (`preconditions.ts`). */
  isConditional?: true;
  /** Another spelling of a route: taken, but not documented. */
  isAlias?: true;
}

export interface RequestBodySpec {
  /** A schema of `schemas/api/`. */
  schema: string;
  isRequired: boolean;
  /** Types of files that are taken instead. */
  files?: readonly string[];
}

export interface ResponseSpec {
  status: number;
  /** A schema of `schemas/api/`. */
  schema?: string;
  /** The response has a list of them, under this key. */
  list?: string;
  /** In place of JSON. */
  mediaType?: string;
  /** Another status with the same body. */
  alternativeStatus?: number;
}

export interface QueryParameter {
  name: string;
  description: string;
  schema: { type: 'string' | 'integer'; minimum?: number; maximum?: number; default?: number; enum?: string[] };
  /** Where the schema does not say how it is read: the value of a text, or undefined, and what was expected. */
  parse?(written: string): string | number | undefined;
  expected?: string;
}

/** A row with its handler. */
export type HandledRoute<Handler> = ApiRoute & { handle: Handler };

/** Parameters of paths. A handler reads those that its own path names. */
export const PATH_PARAMETERS = {
  voice_id: 'The call.',
  recording_id: 'The recording.',
  play_id: 'The play, as `playId` of its command in the journal.',
  service_id: 'Ignored.',
  conference_id: 'The conference.',
  callback_id: 'The callback, as the list of queues has it.',
  room_id: 'The room.',
  conf_num: 'The session.',
  file_name: 'A file of the archive.',
  call_num: 'Somebody in a video room.',
  from_date: 'The first day: year-month-day, UTC.',
  to_date: 'The last day: year-month-day, UTC.',
  app_instance: 'The broadcast.',
  rehearsal_id: 'The rehearsal.',
  app_id: 'The project.',
  number: 'The number, with or without the marks between its digits.',
  name: 'Its name.',
  language: 'A language tag such as en-US, or `default`.',
  route_id: 'Its id, chosen when it is made.',
  hash: 'The version.',
  file: 'Its file, below `flows_directory`; `/` is written `%2F`.',
  node: 'The node: its name, or its id.',
  event_id: 'The event, `webhook-id` of its deliveries.',
} as const;

export type PathParameters = Readonly<Record<keyof typeof PATH_PARAMETERS, string>>;

/** Without the names, which routes of one path may give differently. */
export const pathShape = (path: string): string => path.replace(/\{\w+\}/g, '{}');

/** Of every path the methods of its routes: `GET` first, `DELETE` last, the rest as the rows have them. */
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

/** Adds the routes to a router that is mounted at `base`, and answers every other method of their paths with 405. */
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
    // Players ask for the length of a recording before they fetch it.
    const named = tag === 'Recordings' ? [...methods, 'HEAD'] : methods;
    router.all(expressPath(path), () => refuseMethod(named));
  }
  return router;
}

function refuseMethod(methods: readonly string[]): never {
  throw new ApiError('method_not_allowed', `use ${methods.join(' or ')}`, { headers: { allow: methods.join(', ') } });
}
