/**
 * Converts setting values to the text of form fields and back, by their schema. Pure; used by `schema-form.tsx`.
 *
 * Invariants
 * - an empty field is null if its schema allows that, and removes the setting; otherwise it is omitted, so that the
 *   service's default applies;
 * - a value that cannot be parsed is a problem of its field, and nothing is sent.
 */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { NEEDED } from '../shell/refusal.ts';
import { limitProblem } from './limits.ts';
import type { OpenApiSchema } from './openapi.ts';

export type FieldKind = 'text' | 'secret' | 'long' | 'number' | 'choice' | 'switch' | 'list' | 'json';

export function kindOf(name: string, schema: OpenApiSchema): FieldKind {
  const types = typesOf(schema);
  if (/password|secret|(^|_)pin$/.test(name)) return 'secret';
  if (schema.enum) return 'choice';
  if (types.has('boolean')) return 'switch';
  if (types.has('array') && !schema.anyOf && isPlain(schema.items)) return 'list';
  if (types.has('object') || types.has('array')) return 'json';
  if (types.has('integer') || types.has('number')) return types.has('string') ? 'text' : 'number';
  return (schema.maxLength ?? 0) >= 4000 ? 'long' : 'text';
}

function typesOf({ type, anyOf = [] }: OpenApiSchema): Set<string> {
  return new Set([...[type ?? []].flat(), ...anyOf.flatMap((each) => [...typesOf(each)])]);
}

const isPlain = (schema: OpenApiSchema | undefined): boolean =>
  schema !== undefined && [...typesOf(schema)].every((type) => !/object|array/.test(type));

/** Text of a field. */
export function writtenOf(value: Json | undefined, kind: FieldKind): string {
  if (value === undefined || value === null) return '';
  if (kind === 'list' && Array.isArray(value)) return value.map(String).join('\n');
  if (kind === 'json') return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return String(value);
}

export type Read = { value: Json | undefined; problem?: undefined } | { problem: string };

/** Value of a field. If it is empty, null where the schema allows it, and undefined elsewhere. */
export function readField(written: string, kind: FieldKind, schema: OpenApiSchema): Read {
  const text = kind === 'secret' ? written : written.trim();
  if (text === '') return { value: typesOf(schema).has('null') ? null : undefined };
  switch (kind) {
    case 'switch':
      return { value: text === 'true' };
    case 'number': {
      const value = Number(text);
      return Number.isFinite(value) ? { value } : { problem: t('Needs a number.') };
    }
    case 'list':
      return {
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .map((line) => numberWhereItMayBe(line, schema.items)),
      };
    case 'json':
      return readJson(text, schema);
    default:
      return { value: text };
  }
}

const numberWhereItMayBe = (text: string, schema: OpenApiSchema | undefined): Json =>
  schema && typesOf(schema).has('integer') && /^-?\d+$/.test(text) ? Number(text) : text;

/** Text that does not look like JSON is accepted as a string if the schema allows one. */
function readJson(text: string, schema: OpenApiSchema): Read {
  if (!/^[[{"]/.test(text) && typesOf(schema).has('string')) return { value: text };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: t('Must be JSON: {message}.', { message: (error as Error).message }) };
  }
}

/** Request body of a form, or the problems of its fields. */
export function readForm(
  fields: Readonly<Record<string, string>>,
  schema: OpenApiSchema,
): { body: Record<string, Json>; problems?: undefined } | { problems: Record<string, string> } {
  const body: Record<string, Json> = {};
  const problems: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const read = readField(fields[name] ?? '', kindOf(name, property), property);
    if (read.problem !== undefined) problems[name] = read.problem;
    else if (read.value === undefined) {
      if (schema.required?.includes(name)) problems[name] = NEEDED;
    } else {
      const problem = limitProblem(read.value, property);
      if (problem === undefined) body[name] = read.value;
      else problems[name] = problem;
    }
  }
  return Object.keys(problems).length > 0 ? { problems } : { body };
}
