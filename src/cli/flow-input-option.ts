/** Parses `--input name=value` by the declared type of the input, so that the text `01234` stays a text. */
import { quoting } from '../base/core/diagnostic.ts';
import { type Json, type JsonObject, parseJson } from '../base/core/json.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { UsageError } from './terminal.ts';

/** Values as written. */
export type GivenInput = Readonly<Record<string, string>>;

export function parseInput(text: string, before: GivenInput): GivenInput {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`${text} is not an input`, 'write --input name=value');
  return { ...before, [name]: value };
}

/** Converts the values to their types. The schema is checked later. */
export function readInput({ input }: CompiledFlow, given: GivenInput): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const schema = Object.hasOwn(input, name) ? input[name]!.schema : {};
      return [name, typedValue(name, text, [schema['type'] ?? []].flat().map(String))];
    }),
  );
}

/** Without a declared type, a value that parses as JSON is JSON; any other is a text. */
function typedValue(name: string, text: string, types: readonly string[]): Json {
  const value = parseJson(text);
  const others = types.filter((type) => type !== 'string');
  if (value !== undefined && (types.length === 0 || others.some((type) => isOf(value, type)))) return value;
  if (types.length === 0 || types.includes('string')) return text;
  const wanted = others.map((type) => WORDS[type] ?? type).join(' or ');
  const message = `${quoting`input ${name}`} is ${wanted}, and ${JSON.stringify(text)} is not`;
  throw new UsageError(message, HINTS[others[0]!]);
}

const WORDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

const HINTS: Readonly<Record<string, string>> = {
  object: 'write it as JSON, in quotes of the shell: --input \'name={"key": "value"}\'',
  array: "write it as JSON, in quotes of the shell: --input 'name=[1, 2]'",
};

function isOf(value: Json, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
