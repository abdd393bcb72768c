/** Generates `docs/rest.md` from the route tables, the error table and the schemas of bodies. */
import { API_ERRORS, type ApiErrorCode } from '../service/api/api-error.ts';
import type { ApiRoute } from '../service/api/route.ts';
import { COMMON_ERRORS, PATH_ERRORS, WRITE_ERRORS } from '../service/api/route-errors.ts';
import { ROUTES } from '../service/api/routes.ts';
import { generatedNote, page, readSchema, resolveRef, type Schema, type Tables, table } from './schema-tables.ts';

const ALIASES = `\`play\`, \`connect\`, \`hold\` and \`accept\` accept both \`PUT\` and \`POST\`; \`/voice/v1/calls\` is an alias of \`/voice/v1/call\`; trailing slashes are ignored. \`OPTIONS\` needs no credentials on any path, and lists the methods of the path in \`methods\` and \`Allow\`.

A prompt or bridge that is requested before the answer of the call starts after the answer. Later results are reported by [events](webhooks.md).`;

const ONCE =
  'Requests that dial (`POST /voice/v1/call`, `/conference`, `/room/{room_id}/join`, `/broadcast`, `PUT /conference/{conference_id}`, `connect`) are idempotent with the header `Idempotency-Key`, 1 to 255 printable ASCII characters chosen by the client. A repeated request with the same key, path and body within 24 hours gets the same status and body, with `Idempotency-Replayed: true`, and makes no second call, even after a crash of the service. If the first request is still in progress, the repeated one waits for it. The same key with another path or body is refused with 422. A refused request has no effect, and may be repeated with its key. Keys apply to one project; the newest 100,000 are kept.';

const BODY_TYPE =
  'Send bodies with `Content-Type: application/json`; other types are refused with 415. [Applications in browsers](operations.md#browsers) must be allowed in the configuration.';

const EXAMPLE = `\`\`\`sh
curl -u APP_ID:APP_KEY http://127.0.0.1:8080/voice/v1/call -H 'content-type: application/json' \\
  -d '{"from": "1000", "to": "+33612345678", "flow": "survey", "input": {"customer": "c-17"},
       "event_url": "https://shop.example/events"}'
\`\`\`
\`\`\`json
{ "voice_id": "3f2c…", "state": "initiated", "status": "initiated", "msg": "", "from": "1000", "to": "+33612345678", "timestamp": "…" }
\`\`\``;

/** The response to a webhook event has the same kind of schema, although it is not a request body. */
const STEERING = 'answer';
const SHOWN = ROUTES.filter(({ isAlias }) => !isAlias);

/** Bodies with a section of their own, in the order of the routes that use them. */
const REQUESTS: readonly string[] = [
  ...new Set(SHOWN.flatMap(({ body }) => (body?.schema === undefined ? [] : [body.schema]))),
  STEERING,
];
const RESPONSES: readonly string[] = [
  ...new Set(SHOWN.flatMap(({ response }) => (response.schema === undefined ? [] : [response.schema]))),
  'responses/error',
  'responses/broadcast-error',
  'responses/service-error',
];

export function restPage(): string {
  return page(
    '# REST API',
    generatedNote('rest'),
    'JSON over HTTP; the default address is `http://127.0.0.1:8080`. Every request needs Basic credentials, `app_id:app_key`; requests of [administration](admin.md) need its token. Every response except a file is one JSON document, including errors; it is sent before the first event that the request causes ([webhooks.md](webhooks.md)). `GET /openapi.json` returns this page as OpenAPI.',
    BODY_TYPE,
    ONCE,
    ...byTag((row) => row.auth === 'project'),
    ALIASES,
    EXAMPLE,
    ...byTag((row) => row.auth !== 'project'),
    '## Bodies',
    ...REQUESTS.flatMap((name) => section(titleOf(name), name)),
    '## Responses',
    ...RESPONSES.flatMap((name) => section(responseTitle(name), name)),
    '## Errors',
    `In addition to the statuses in the tables above, every route with credentials may return ${statusesOf(COMMON_ERRORS)}, every route that makes changes ${statusesOf(WRITE_ERRORS)}, and every route with a path parameter ${statusesOf(PATH_ERRORS)}.`,
    errorTable(),
  );
}

function byTag(fits: (row: ApiRoute) => boolean): string[] {
  const rows = SHOWN.filter(fits);
  return [...new Set(rows.map(({ tag }) => tag))].flatMap((tag) => [
    `## ${tag}`,
    [
      '| route | purpose | body | response | errors |',
      '|---|---|---|---|---|',
      ...rows.filter((row) => row.tag === tag).map(routeRow),
    ].join('\n'),
  ]);
}

function routeRow(row: ApiRoute): string {
  const { body, method, path, summary, response } = row;
  const files = (body?.files ?? []).map((type) => `\`${type}\``);
  const bodies = [...(body?.schema === undefined ? [] : [link(titleOf(body.schema))]), ...files];
  const one = response.schema === undefined ? `\`${response.mediaType}\`` : link(responseTitle(response.schema));
  const many = response.list === undefined ? one : `\`${response.list}\`: list of ${one}`;
  const failures = [...row.errors].sort((one, other) => API_ERRORS[one].status - API_ERRORS[other].status);
  const codes = [...new Set(failures.map((code) => codeOf(API_ERRORS[code])))];
  const status = response.status === 200 ? '' : `${response.status}: `;
  return `| \`${method} ${path}\` | ${summary} | ${bodies.join(' or ')} | ${status}${many} | ${codes.join(', ')} |`;
}

const codeOf = ({ status, result }: { status: number; result: number }): string =>
  status === result ? String(status) : `${status}/${result}`;

const statusesOf = (codes: readonly ApiErrorCode[]): string =>
  [...new Set(codes.map((code) => API_ERRORS[code].status))].sort().join(', ');

function errorTable(): string {
  const rows = new Map<string, { status: number; result: number; when: string[] }>();
  for (const { status, result, when } of Object.values(API_ERRORS)) {
    const key = `${status} ${result}`;
    const known = rows.get(key) ?? { status, result, when: [] };
    rows.set(key, { ...known, when: [...known.when, when] });
  }
  const sorted = [...rows.values()].sort((one, other) => one.status - other.status || one.result - other.result);
  return [
    '| status | `result` | when |',
    '|---|---|---|',
    ...sorted.map(({ status, result, when }) => `| ${status} | ${result} | ${when.join('; ')} |`),
  ].join('\n');
}

const fileOf = (name: string): Schema => readSchema(`api/${name}`);

function section(title: string, name: string): string[] {
  const file = fileOf(name);
  const tables: Tables = { defs: { ...readSchema('components').$defs, ...file.$defs }, sections: {} };
  const schema = resolveRef(file, tables);
  return [`### ${title}`, file.description ?? '', table(schema, tables)];
}

const ADMIN = 'admin/';
const titleOf = (name: string): string => (name === STEERING ? 'Response to an event' : titleInFile(name));
const titleInFile = (name: string): string =>
  `${fileOf(name).title ?? name}${name.startsWith(ADMIN) ? ' (administration)' : ''}`;
const responseTitle = (name: string): string => `Response: ${titleInFile(name)}`;

/** Anchor of a heading on GitHub. */
const link = (title: string): string =>
  `[${title.replace(/^Response: | \(administration\)$/g, '')}](#${title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')})`;
