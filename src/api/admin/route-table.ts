/** The routes of administration; see `../route-table.ts`. */
import type { ApiErrorCode } from '../api-error.ts';
import type { ApiRoute, HttpMethod, QueryParameter, RequestBodySpec, ResponseSpec } from '../route-table.ts';

const BASE = '/admin/v1';

interface Row {
  body?: RequestBodySpec;
  query?: readonly QueryParameter[];
  errors?: readonly ApiErrorCode[];
}

const row = (method: HttpMethod, path: string, summary: string, response: ResponseSpec, more: Row = {}): ApiRoute => ({
  tag: 'Administration',
  method,
  path: BASE + path,
  summary,
  auth: 'admin',
  response,
  errors: [],
  ...more,
});

const body = (name: string): Pick<Row, 'body'> => ({ body: { schema: `admin/${name}`, isRequired: true } });
const one = (name: string, status = 200): ResponseSpec => ({ status, schema: `admin/responses/${name}` });
const many = (list: string, name: string): ResponseSpec => ({ status: 200, schema: `admin/responses/${name}`, list });
const DONE: ResponseSpec = one('done');

const UNKNOWN: readonly ApiErrorCode[] = ['unknown_setting'];
const OF_FILE: readonly ApiErrorCode[] = ['configured'];
const PROJECT = '/projects/{app_id}';
const PROMPT = '/prompts/{name}/{language}';

export const ADMIN_ROUTES: ApiRoute[] = [
  row('GET', '/projects', 'lists the projects', many('projects', 'project')),
  row('POST', '/projects', 'makes a project; its key is shown this once', one('project-credentials', 201), {
    ...body('project-create'),
    errors: ['in_use'],
  }),
  row('GET', PROJECT, 'shows a project', one('project'), { errors: UNKNOWN }),
  row('PATCH', PROJECT, 'changes a project, from the next call on', one('project'), {
    ...body('project-change'),
    errors: [...UNKNOWN, ...OF_FILE],
  }),
  row('DELETE', PROJECT, 'removes a project that has no number and no live call', DONE, {
    errors: [...UNKNOWN, ...OF_FILE, 'in_use'],
  }),
  row('POST', `${PROJECT}/key`, 'gives it a new key, shown this once; the old one ends', one('project-credentials'), {
    errors: [...UNKNOWN, ...OF_FILE],
  }),
  row(
    'POST',
    `${PROJECT}/webhook-secret`,
    'gives it a new secret for signatures, shown this once',
    one('project-credentials'),
    { errors: [...UNKNOWN, ...OF_FILE] },
  ),
  row(
    'GET',
    `${PROJECT}/dead-letters`,
    'lists events that were given up, the latest first',
    many('events', 'dead-letter'),
    {
      query: [
        {
          name: 'limit',
          description: 'How many; 100 when not said.',
          schema: { type: 'integer', minimum: 1, maximum: 500 },
        },
      ],
      errors: [...UNKNOWN, 'bad_request'],
    },
  ),
  row(
    'POST',
    `${PROJECT}/dead-letters/resend`,
    'sends all of them again, or those to URLs that begin alike; each call’s in order',
    one('resent'),
    { body: { schema: 'admin/resend', isRequired: false }, errors: [...UNKNOWN, 'bad_request'] },
  ),
  row('POST', `${PROJECT}/dead-letters/{event_id}/resend`, 'sends one of them again', one('resent'), {
    errors: UNKNOWN,
  }),
  row(
    'GET',
    `${PROJECT}/disabled-urls`,
    'lists URLs that are sent nothing more, because they answered 410',
    many('urls', 'disabled-url'),
    { errors: UNKNOWN },
  ),
  row('POST', `${PROJECT}/disabled-urls/enable`, 'sends to such a URL again', DONE, {
    ...body('url'),
    errors: UNKNOWN,
  }),
  row(
    'GET',
    '/receivers',
    'lists the servers for which events wait, those with the most first, and whether they are down',
    many('receivers', 'receiver'),
  ),
  row('GET', '/numbers', 'lists the numbers', many('numbers', 'number')),
  row('GET', '/numbers/{number}', 'shows a number', one('number'), { errors: UNKNOWN }),
  row('PUT', '/numbers/{number}', 'makes a number, or says anew what becomes of its calls', one('number'), {
    ...body('number'),
    errors: [...OF_FILE, 'unknown_setting', 'unknown_flow', 'input_invalid'],
  }),
  row('DELETE', '/numbers/{number}', 'removes a number; live calls go on', DONE, {
    errors: [...UNKNOWN, ...OF_FILE],
  }),
  row('GET', '/prompts', 'lists the prompts', many('prompts', 'prompt')),
  row('GET', PROMPT, 'shows a prompt', one('prompt'), { errors: UNKNOWN }),
  row(
    'GET',
    `${PROMPT}/audio`,
    'is the sound of a prompt that is one',
    { status: 200, mediaType: 'audio/wav' },
    {
      errors: UNKNOWN,
    },
  ),
  row('PUT', PROMPT, 'makes a prompt of a text or of a sound, or replaces it', one('prompt'), {
    body: { schema: 'admin/prompt', isRequired: true, files: ['audio/wav', 'audio/mpeg'] },
    errors: [...OF_FILE, 'audio_malformed', 'text_too_long', 'voice_not_supported'],
  }),
  row('DELETE', PROMPT, 'removes a prompt', DONE, { errors: [...UNKNOWN, ...OF_FILE] }),
  row('GET', '/users', 'lists the phones that may register', many('users', 'user')),
  row('GET', '/users/{name}', 'shows one', one('user'), { errors: UNKNOWN }),
  row('PUT', '/users/{name}', 'makes one, or gives it another password', one('user'), {
    ...body('user'),
    errors: OF_FILE,
  }),
  row('DELETE', '/users/{name}', 'removes one, with its registrations', DONE, { errors: [...UNKNOWN, ...OF_FILE] }),
  row('GET', '/routes', 'lists the routes to carriers', many('routes', 'route')),
  row('GET', '/routes/{route_id}', 'shows a route', one('route'), { errors: UNKNOWN }),
  row('PUT', '/routes/{route_id}', 'makes a route, or changes it from the next call on', one('route'), {
    ...body('route'),
    errors: OF_FILE,
  }),
  row('DELETE', '/routes/{route_id}', 'removes a route', DONE, { errors: [...UNKNOWN, ...OF_FILE] }),
  row('GET', '/schedules', 'lists the opening hours that flows may name', many('schedules', 'schedule')),
  row('GET', '/schedules/{name}', 'shows one', one('schedule'), { errors: UNKNOWN }),
  row('PUT', '/schedules/{name}', 'makes one, or changes it from the next call on', one('schedule'), {
    ...body('schedule'),
    errors: OF_FILE,
  }),
  row('DELETE', '/schedules/{name}', 'removes one', DONE, { errors: [...UNKNOWN, ...OF_FILE] }),
];
