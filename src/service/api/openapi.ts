/**
 * OpenAPI 3.1 description of the API, generated from the route tables, the error table and `schemas/`, so that it
 * matches them.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { describe, readSchema } from '../../base/schema/schema-files.ts';
import { API_ERRORS, type ApiErrorCode } from './api-error.ts';
import { type ApiRoute, PATH_PARAMETERS, type ResponseSpec } from './route.ts';
import { BODY_ERRORS, COMMON_ERRORS, PATH_ERRORS, WRITE_ERRORS } from './route-errors.ts';
import { ROUTES } from './routes.ts';

export function openApi(version: string): JsonObject {
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const row of ROUTES) {
    if (row.isAlias) continue;
    const path = sameAs(row.path, Object.keys(paths));
    paths[path] ??= {};
    paths[path]![row.method.toLowerCase()] = operation(row, namesOf(path), components);
  }
  const used = new Set(ROUTES.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callweave',
      version,
      description: 'A self-hosted voice and video platform: calls, conferences, rooms, broadcasts and administration.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: {
        project: { type: 'http', scheme: 'basic', description: '`app_id:app_key` of a project.' },
        admin: { type: 'http', scheme: 'bearer', description: 'A token of `admin` in the configuration.' },
      },
      schemas: components.all(),
    },
  };
}

const TAGS: Readonly<Record<ApiRoute['tag'], string>> = {
  Calls: 'Placing, monitoring and controlling single calls.',
  Conferences: 'Conferences and queues of calls.',
  Rooms: 'Calls in rooms.',
  Recordings: 'Recordings of calls.',
  Broadcasts: 'Many calls by one request, and the do-not-call list.',
  Video: 'Video rooms for browsers and phones; also below `/video/v1` and `/v1`.',
  Administration:
    'Administration of the service. Available to the studio, and to clients if the configuration has a token for it.',
  Studio: 'Signing in to the studio, `/studio`.',
  Service: 'The service itself.',
};

const KEY_PARAMETER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Key chosen by the client. A repeated request with the same key, path and body within 24 hours gets the same response, with `Idempotency-Replayed: true`, and has no further effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const PRECONDITION_PARAMETERS: readonly JsonObject[] = [
  {
    name: 'If-Match',
    in: 'header',
    description:
      '`ETag` of the version that was read. If the resource was modified since, nothing is changed and the response is 412.',
    schema: { type: 'string' },
  },
  {
    name: 'If-None-Match',
    in: 'header',
    description: '`*`, in place of `If-Match`, to create a resource that must not exist yet.',
    schema: { type: 'string' },
  },
];

/** Errors of a route, ordered by status. */
export function errorsOf(row: ApiRoute): ApiErrorCode[] {
  const codes = new Set<ApiErrorCode>([
    ...row.errors,
    ...(row.isIdempotent ? (['key_reused'] as const) : []),
    ...(row.isConditional ? (['precondition_required'] as const) : []),
    ...(row.auth === 'anybody' ? [] : COMMON_ERRORS),
    ...(row.method === 'GET' ? [] : WRITE_ERRORS),
    ...(row.method === 'GET' || row.auth !== 'admin' ? [] : (['reads_only'] as const)),
    ...(row.body ? BODY_ERRORS : []),
    ...(row.path.includes('{') ? PATH_ERRORS : []),
    // Without a configured token, admin routes do not exist.
    ...(row.tag === 'Administration' ? (['unknown_route'] as const) : []),
  ]);
  return [...codes].sort((one, other) => API_ERRORS[one].status - API_ERRORS[other].status);
}

/** Schema of a route's error body. */
export const errorSchemaOf = ({ tag }: ApiRoute): string =>
  tag === 'Administration' || tag === 'Studio' || tag === 'Service'
    ? 'responses/service-error'
    : tag === 'Broadcasts'
      ? 'responses/broadcast-error'
      : tag === 'Video'
        ? 'responses/video-error'
        : 'responses/error';

const namesOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Paths that differ only in parameter names are the same path (OpenAPI 3.1, Paths Object). */
function sameAs(path: string, known: readonly string[]): string {
  const plain = (one: string): string => one.replace(/\{\w+\}/g, '{}');
  return known.find((one) => plain(one) === plain(path)) ?? path;
}

/** `names` are the path parameters in the description, which may be those of another route. */
function operation(row: ApiRoute, names: readonly string[], components: Components): JsonObject {
  const own = namesOf(row.path);
  const parameters: JsonObject[] = [
    ...names.map((name, index) => ({
      name,
      in: 'path',
      required: true,
      description: PATH_PARAMETERS[own[index] as keyof typeof PATH_PARAMETERS],
      schema: { type: 'string' },
    })),
    ...(row.isIdempotent ? [KEY_PARAMETER] : []),
    ...(row.isConditional ? PRECONDITION_PARAMETERS : []),
    ...(row.query ?? []).map(({ name, description, schema }) => ({
      name,
      in: 'query',
      description,
      schema: { ...schema },
    })),
  ];
  return {
    operationId: operationId(row),
    tags: [row.tag],
    summary: `${row.summary[0]!.toUpperCase()}${row.summary.slice(1)}.`,
    security: SECURITY[row.auth].map((one) => ({ ...one })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body ? { requestBody: requestBody(row.body, components) } : {}),
    responses: {
      [row.response.status]: success(row.response, components),
      ...(row.response.alternativeStatus === undefined
        ? {}
        : { [row.response.alternativeStatus]: success(row.response, components) }),
      ...failures(row, components),
    },
  };
}

const SECURITY: Readonly<Record<ApiRoute['auth'], readonly JsonObject[]>> = {
  project: [{ project: [] }],
  admin: [{ admin: [] }],
  'admin or this machine': [{ admin: [] }, {}],
  anybody: [{}],
};

/** `PUT /voice/v1/call/{voice_id}/play` → `putCallByVoiceIdPlay`. */
function operationId({ method, path }: ApiRoute): string {
  const words = path
    .replace(/^\/(voice|admin|video)\/v[12]\//, (_all, family) => (family === 'voice' ? '/' : `/${family}/`))
    .replace(/\{(\w+)\}/g, 'by_$1')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function requestBody(body: NonNullable<ApiRoute['body']>, components: Components): JsonObject {
  const content: JsonObject = { 'application/json': { schema: components.reference(body.schema) } };
  for (const type of body.files ?? []) content[type] = { schema: { type: 'string', format: 'binary' } };
  return { required: body.isRequired, content };
}

function success({ schema, list, mediaType }: ResponseSpec, components: Components): JsonObject {
  const description = 'Success, or in progress.';
  if (mediaType !== undefined) return { description, content: { [mediaType]: { schema: mediaSchema(mediaType) } } };
  if (schema === undefined) return { description };
  const one = components.reference(schema);
  const shape: JsonObject =
    list === undefined
      ? one
      : {
          type: 'object',
          required: [list, 'timestamp'],
          properties: { [list]: { type: 'array', items: one }, timestamp: { type: 'string', format: 'date-time' } },
        };
  return { description, content: { 'application/json': { schema: shape } } };
}

const mediaSchema = (media: string): JsonObject =>
  media === 'application/json'
    ? { type: 'object', additionalProperties: true }
    : { type: 'string', ...(media.startsWith('text/') ? {} : { format: 'binary' }) };

function failures(row: ApiRoute, components: Components): JsonObject {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of errorsOf(row)) {
    const { status } = API_ERRORS[code];
    if (status !== row.response.status) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]): [string, Json] => [
      String(status),
      {
        description: codes.map((code) => `\`${resultOf(code, row)}\`: ${API_ERRORS[code].when}`).join('; '),
        ...(status === 429
          ? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } }
          : {}),
        content: { 'application/json': { schema: components.reference(errorSchemaOf(row)) } },
      },
    ]),
  );
}

const resultOf = (code: ApiErrorCode, { tag }: ApiRoute): number => {
  const { result, videoResult = result } = API_ERRORS[code];
  return tag === 'Video' ? videoResult : result;
};

const SHARED = 'components';
/** Annotations that are not part of JSON Schema. */
const OURS = new Set(['$schema', '$defs', 'says', 'static', 'code', 'like', 'otherwise', 'aliases', 'trim']);
const MAPS_OF_SCHEMAS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LISTS_OF_SCHEMAS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMAS = new Set(['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains']);

const SAYS_WHAT_IS_IN_IT = [
  'properties',
  'additionalProperties',
  'patternProperties',
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
];

/** Referenced schemas under flat names: definitions in a file's `$defs` become components of their own. */
class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** `name` is a file in `schemas/api/`. */
  reference(name: string): JsonObject {
    return this.#refer(`api/${name}`);
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #refer(file: string, definition?: string): JsonObject {
    const own = file.replace(/^api\//, '').replaceAll('/', '.');
    const key = definition === undefined ? own : file === SHARED ? definition : `${own}.${definition}`;
    if (!this.#schemas.has(key)) {
      // Registered before it is filled, because a schema may refer to itself.
      this.#schemas.set(key, {});
      const whole = readSchema(file);
      const written = definition === undefined ? whole : (whole['$defs'] as JsonObject)[definition];
      this.#schemas.set(key, this.#converted(written as JsonObject, file));
    }
    return { $ref: `#/components/schemas/${key}` };
  }

  #converted(schema: JsonObject, file: string): JsonObject {
    const made: JsonObject = {};
    const { like } = schema;
    if (typeof like === 'string') return { ...describe(schema), ...this.reference(like) };
    for (const [key, value] of Object.entries(schema)) {
      if (OURS.has(key)) continue;
      if (key === '$ref') Object.assign(made, this.#followed(String(value), file));
      else if (MAPS_OF_SCHEMAS.has(key) && isObject(value)) {
        made[key] = Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, this.#convertedOrPlain(inner, file)]),
        );
      } else if (LISTS_OF_SCHEMAS.has(key) && Array.isArray(value)) {
        made[key] = value.map((inner) => this.#convertedOrPlain(inner, file));
      } else made[key] = SCHEMAS.has(key) ? this.#convertedOrPlain(value, file) : value;
    }
    Object.assign(made, describe(schema));
    // Client generators treat an object without keywords as empty.
    const isObjectType = made['type'] === 'object' || (Array.isArray(made['type']) && made['type'].includes('object'));
    if (isObjectType && !SAYS_WHAT_IS_IN_IT.some((key) => key in made)) made['additionalProperties'] = true;
    return made;
  }

  #convertedOrPlain(value: Json, file: string): Json {
    return isObject(value) ? this.#converted(value, file) : value;
  }

  /** Resolves `#/$defs/x` in the same file, or `other.schema.json#/$defs/x`. */
  #followed(reference: string, file: string): JsonObject {
    const [, other = '', definition] = /^(?:(\w+)\.schema\.json)?#\/\$defs\/(\w+)$/.exec(reference) ?? [];
    if (definition === undefined) throw new Error(`${file} refers to ${reference}`);
    return this.#refer(other === '' ? file : other, definition);
  }
}
