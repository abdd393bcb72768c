/** Says in words what a value must be, for an error of a JSON Schema; used by `issues.ts` and `compile-check.ts`. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { quoting } from '../core/diagnostic.ts';
import type { Json } from '../core/json.ts';

export const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'nothing',
};

export const listed = (values: readonly Json[], separator = ', '): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(separator);

/** “must be text or a list”. */
export const typesInWords = (types: readonly string[]): string =>
  `must be ${listed([...new Set(types.map((type) => TYPE_WORDS[type] ?? type))], ' or ')}`;

const counted = (count: unknown, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
const least = (count: unknown, noun: string): string =>
  count === 1 ? 'must not be empty' : `must have at least ${counted(count, noun)}`;
const most = (count: unknown, noun: string): string => `must have at most ${counted(count, noun)}`;

const BOUNDS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

/** Formats of texts whose names are not plain words. */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date, such as 2026-03-02',
  time: 'a time, such as 09:30:00Z',
  'date-time': 'a date with time, such as 2026-03-02T09:30:00Z',
  email: 'an e-mail address',
  uri: 'a URI',
  url: 'a URL',
  uuid: 'a UUID',
  regex: 'a regular expression',
};

export function wordsOfError({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return typesInWords([params['type'] as string | string[]].flat());
    case 'enum':
      return `must be one of ${listed(params['allowedValues'] as Json[])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'required':
      return quoting`has no ${String(params['missingProperty'])}`;
    case 'additionalProperties':
      return quoting`has the unknown key ${String(params['additionalProperty'])}`;
    case 'minLength':
      return least(params['limit'], 'character');
    case 'maxLength':
      return most(params['limit'], 'character');
    case 'minItems':
      return least(params['limit'], 'item');
    case 'maxItems':
      return most(params['limit'], 'item');
    case 'minProperties':
      return least(params['limit'], 'key');
    case 'maxProperties':
      return most(params['limit'], 'key');
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${BOUNDS[String(params['comparison'])]} ${String(params['limit'])}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'pattern':
      return quoting`does not match the pattern ${String(params['pattern'])}`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `in the format ${String(params['format'])}`}`;
    default:
      return message ?? 'does not fit';
  }
}
