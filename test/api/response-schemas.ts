/** Schema check of every response that the rig gets, by the table of routes. */
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import { API_ERRORS } from '../../src/service/api/api-error.ts';
import { errorSchemaOf, errorsOf } from '../../src/service/api/openapi.ts';
import type { ApiRoute } from '../../src/service/api/route.ts';
import { ROUTES } from '../../src/service/api/routes.ts';

/** Routes with fewer parameters come first, because they are more specific. */
const ROWS = ROUTES.map((row) => ({ row, names: row.path.split('{').length, pattern: patternOf(row.path) })).sort(
  (one, other) => one.names - other.names,
);

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
}

/** Returns the schema violation of a response. Undefined if it is valid, or if its route has no schema. */
export function schemaViolation(method: string, path: string, status: number, body: JsonObject): string | undefined {
  const asked = path
    .split('?')[0]!
    .replace(/^\/voice\/v1\/calls(?=\/|$)/i, '/voice/v1/call')
    .replace(/^(?:\/video\/v1|\/v1)(?=\/)/i, '/video/v2');
  const fitting = ROWS.filter(({ pattern }) => pattern.test(asked)).map(({ row }) => row);
  const row = fitting.find((one) => one.method === method) ?? (status >= 400 ? fitting[0] : undefined);
  if (!row) return undefined;
  const isAnswer = status < 400 || status === row.response.alternativeStatus;
  const wrong =
    undeclared(row, method, status) ?? (isAnswer ? wrongAnswer(row, status, body) : fits(errorSchemaOf(row), body));
  return wrong === undefined ? undefined : `${method} ${asked} answers ${status} ${JSON.stringify(body)}: ${wrong}`;
}

/** A status that `/openapi.json` does not know of. */
function undeclared(row: ApiRoute, method: string, status: number): string | undefined {
  if (row.method !== method) return undefined;
  const { status: usual, alternativeStatus } = row.response;
  const declared: (number | undefined)[] = [
    usual,
    alternativeStatus,
    ...errorsOf(row).map((code) => API_ERRORS[code].status),
  ];
  return declared.includes(status) ? undefined : `the status is not one of ${declared.join(', ')}`;
}

function wrongAnswer({ response, isAlias }: ApiRoute, status: number, body: JsonObject): string | undefined {
  if (status !== response.status && status < 400) return `the status is ${response.status}`;
  // The response of this alias has the schema of the route that it was resolved to.
  const name = isAlias && 'bridge_id' in body ? response.schema?.replace(/play$/, 'connect') : response.schema;
  if (name === undefined) return undefined;
  if (response.list === undefined) return fits(name, body);
  const list = body[response.list];
  if (!Array.isArray(list)) return `there is no list of ${response.list}`;
  return list.map((item) => fits(name, item as JsonObject)).find((wrong) => wrong !== undefined);
}

const fits = (name: string, body: JsonObject): string | undefined => compileCheck(readSchema(`api/${name}`))(body);
