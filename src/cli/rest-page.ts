/** Generates `docs/rest.md` from the route tables, the error table and the schemas of bodies. */
import { API_ERRORS, type ApiErrorCode } from '../api/api-error.ts';
import type { ApiRoute } from '../api/route.ts';
import { COMMON_ERRORS, PATH_ERRORS, WRITE_ERRORS } from '../api/route-errors.ts';
import { ROUTES } from '../api/routes.ts';
import { generatedNote, page, readSchema, resolveRef, type Schema, type Tables, table } from './schema-tables.ts';

const ALIASES = `\`PUT\` and \`POST\` are alike on \`play\`, \`connect\`, \`hold\` and \`accept\`; \`/voice/v1/calls\` is \`/voice/v1/call\`; trailing slashes do not matter. \`OPTIONS\` on any path needs no credentials, and lists in \`methods\` and \`Allow\` what is taken there.

A prompt or a bridge that is requested before the call is answered waits until it is. Later results come as [events](webhooks.md).`;

const ONCE =
  'A request that dials (`POST /voice/v1/call`, `/conference`, `/room/{room_id}/join`, `/broadcast`, `PUT /conference/{conference_id}`, `connect`) counts once with the header `Idempotency-Key`, 1 to 255 printable ASCII characters that the client chooses. Another request with the same key, path and body within 24 hours gets the same answer, status and body, with `Idempotency-Replayed: true`, and makes no second call, also after a crash of the service; one that comes while the first is under way waits for it. The same key with another path or body is refused with 422. A request that was refused made nothing, and may be repeated with its key. Keys are those of one project; the newest 100,000 are kept.';

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
    `Beside what the tables above say, every route with credentials may answer ${statusesOf(COMMON_ERRORS)}, one that changes something ${statusesOf(WRITE_ERRORS)}, and one with a name in its path ${statusesOf(PATH_ERRORS)}.`,
    errorTable(),
  );
}

function byTag(fits: (row: ApiRoute) => boolean): string[] {
  const rows = SHOWN.filter(fits);
  return [...new Set(rows.map(({ tag }) => tag))].flatMap((tag) => [
    `## ${tag}`,
    [
      '| route | does | body | answer | may fail with |',
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
const titleOf = (name: string): string => (name === STEERING ? 'Answering an event' : titleInFile(name));
const titleInFile = (name: string): string =>
  `${fileOf(name).title ?? name}${name.startsWith(ADMIN) ? ' (administration)' : ''}`;
const responseTitle = (name: string): string => `Response: ${titleInFile(name)}`;

/** Anchor of a heading on GitHub. */
const link = (title: string): string =>
  `[${title.replace(/^Response: | \(administration\)$/g, '')}](#${title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')})`;
