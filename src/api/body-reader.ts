/** Reads request bodies: aliases get their canonical names, values the documented types, and what does not fit is refused. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { documentOf } from '../schema/document.ts';
import { readSchema } from '../schema/schema-files.ts';
import { parseDocument } from '../schema/validate.ts';
import { ApiError } from './api-error.ts';
import { coerce, type ShapeSchema } from './coercion.ts';

/** `where` names the object in messages. */
export type BodyReader = (body: Json | undefined, where?: string) => JsonObject;

/** `name` is a schema of `schemas/api/`; `aliases` are other names of its keys, used where the key itself is not given. */
export function bodyReader(name: string, aliases: Readonly<Record<string, string>> = {}): BodyReader {
  const schema = readSchema(`api/${name}`);
  return (body, where = '') => {
    const prefix = where === '' ? '' : `${where}: `;
    if (body !== undefined && !isObject(body)) throw badRequest(`${prefix}must be a JSON object`);
    const renamed = canonical(body ?? {}, aliases);
    const { document } = documentOf(coerce(renamed, schema as ShapeSchema), 'request');
    if (!document) throw badRequest(`${prefix}has too many values or levels`);
    const [wrong] = parseDocument(document, `api/${name}`).diagnostics ?? [];
    if (wrong) {
      throw new ApiError('bad_request', prefix + wrong.message, wrong.hint === undefined ? {} : { hint: wrong.hint });
    }
    return document.value as JsonObject;
  };
}

function canonical(body: JsonObject, aliases: Readonly<Record<string, string>>): JsonObject {
  const renamed = { ...body };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(renamed, alias)) continue;
    if (!Object.hasOwn(renamed, name)) renamed[name] = renamed[alias]!;
    delete renamed[alias];
  }
  return renamed;
}

export const badRequest = (message: string): ApiError => new ApiError('bad_request', message);

export const textOf = (value: Json | undefined): string => String(value ?? '').trim();

/** The keys that are given, with the values of those that are not left out. */
export function given<Key extends string>(body: JsonObject, ...keys: Key[]): { [K in Key]?: Json } {
  return Object.fromEntries(keys.filter((key) => body[key] !== undefined).map((key) => [key, body[key]!])) as {
    [K in Key]?: Json;
  };
}
