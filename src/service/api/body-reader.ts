/** Reads request bodies by their schemas: aliases, coercion, validation and defaults. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { documentOf, type Issue } from '../../base/schema/document.ts';
import { readSchema } from '../../base/schema/schema-files.ts';
import { parseDocument } from '../../base/schema/validate.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { coerce, type ShapeSchema } from './coercion.ts';
import type { RequestBodies } from './request-bodies/by-schema.ts';

/** Error code for a validation issue. */
type CodeOf = (issue: Issue) => ApiErrorCode;

/** `where` is the name of the object in messages. */
export type BodyReader<Body> = (body: Json | undefined, where?: string) => Body;

/** `name` is a schema in `schemas/api/`. */
export function bodyReader<Name extends keyof RequestBodies>(
  name: Name,
  codeOf?: CodeOf,
): BodyReader<RequestBodies[Name]> {
  const parse = bodyParser(name, codeOf);
  return (body, where) => parse(body, where).value;
}

/** The body without defaults, for settings that are shown as written. */
export function givenReader(name: keyof RequestBodies, codeOf?: CodeOf): BodyReader<JsonObject> {
  const parse = bodyParser(name, codeOf);
  return (body, where) => parse(body, where).given;
}

/** The body both with and without defaults. */
export function bodyParser<Name extends keyof RequestBodies>(
  name: Name,
  codeOf: CodeOf = () => 'bad_request',
): BodyReader<{ value: RequestBodies[Name]; given: JsonObject }> {
  const schema = readSchema(`api/${name}`) as ShapeSchema;
  return (body, where = '') => {
    const prefix = where === '' ? '' : `${where}: `;
    if (body !== undefined && !isObject(body)) throw badRequest(`${prefix}must be a JSON object`);
    const given = coerce(body ?? {}, schema);
    const { document } = documentOf(given, 'request');
    if (!document) throw badRequest(`${prefix}contains too many values or nesting levels`);
    const { value, diagnostics, issues } = parseDocument<RequestBodies[Name]>(document, `api/${name}`);
    if (!issues) return { value, given: given as JsonObject };
    const [{ message, hint }] = diagnostics as [(typeof diagnostics)[number]];
    throw new ApiError(codeOf(issues[0]!), prefix + message, { hint });
  };
}

export const badRequest = (message: string): ApiError => new ApiError('bad_request', message);
