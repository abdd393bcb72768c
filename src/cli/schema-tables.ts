/** Renders JSON Schemas as Markdown tables: one row per key, nested keys below their parent. */
import type { Json } from '../base/core/json.ts';
import { readSchema as read } from '../base/schema/schema-files.ts';
import type { DescribedOutcome } from '../language/flow/possible-outcomes.ts';

export interface Schema {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: Json[];
  const?: Json;
  $ref?: string;
  anyOf?: Schema[];
  then?: Schema;
  else?: Schema;
  items?: Schema;
  default?: Json;
  /** Description of a default that is not a constant. */
  otherwise?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  examples?: Json[];
  /** Group of a verb. */
  group?: string;
  /** Outcomes of a verb, or those of every step. */
  outcomes?: Record<string, DescribedOutcome>;
  minimum?: number;
  maximum?: number;
  additionalProperties?: Schema | boolean;
  $defs?: Record<string, Schema>;
}

export interface Tables {
  /** Definitions for `$ref`s, by the last part of the reference. */
  defs: Readonly<Record<string, Schema>>;
  /** Definitions with a section of their own, to which tables link. */
  sections: Readonly<Record<string, string>>;
}

export const readSchema = (name: string): Schema => read(name) as Schema;

export const page = (...parts: string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

/** Note that a page is generated, and from which source. */
export const generatedNote = (topic: string): string =>
  `<!-- Made of schemas/ by \`callweave reference ${topic}\`: edit those, then make it again. -->`;

const DEEPEST = 4;

type Row = [key: string, value: string, byDefault: string, meaning: string];

/** The column of defaults is omitted if no key has one. */
export function table(schema: Schema, tables: Tables): string {
  const found = rows(schema, tables, '', 0);
  const hasDefaults = found.some(([, , byDefault]) => byDefault !== '');
  const line = ([key, value, byDefault, meaning]: Row): string =>
    `| ${(hasDefaults ? [key, value, byDefault, meaning] : [key, value, meaning]).join(' | ')} |`;
  return [
    line(['key', 'value', 'default', 'meaning']),
    `|${'---|'.repeat(hasDefaults ? 4 : 3)}`,
    ...found.map(line),
  ].join('\n');
}

function rows(schema: Schema, tables: Tables, prefix: string, depth: number): Row[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const target = resolveRef(property, tables);
    const must = required.has(key) ? ' Required.' : '';
    const meaning = cell(`${target.description ?? ''}${must}`.trim());
    const row: Row = [`\`${prefix}${key}\``, typeOf(property, tables), cell(defaultOf(target)), meaning];
    if (depth >= DEEPEST || sectionOf(property, tables) !== undefined) return [row];
    return [row, ...nested(target, tables, `${prefix}${key}`, depth + 1)];
  });
}

/** Keys of a nested map, of the items of a list, or of the map form of a value with several forms. */
function nested(schema: Schema, tables: Tables, path: string, depth: number): Row[] {
  if (schema.properties !== undefined) return rows(schema, tables, `${path}.`, depth);
  if (schema.items !== undefined && sectionOf(schema.items, tables) === undefined) {
    const item = resolveRef(schema.items, tables);
    return nested(item, tables, `${path}[]`, depth);
  }
  const { additionalProperties: values } = schema;
  if (typeof values === 'object' && sectionOf(values, tables) === undefined) {
    return nested(resolveRef(values, tables), tables, `${path}.<name>`, depth);
  }
  const form = mapForm(schema);
  return form === schema ? [] : nested(resolveRef(form, tables), tables, path, depth);
}

/** Map form of a value with several forms; otherwise the schema itself. */
export const mapForm = (schema: Schema): Schema =>
  schema.else ?? schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;

/** Constant default as written, or the description of another default. */
export const defaultOf = ({ default: constant, otherwise = '' }: Schema): string =>
  otherwise !== '' || constant === undefined || isEmpty(constant)
    ? otherwise
    : `\`${typeof constant === 'string' ? plainOrQuoted(constant) : JSON.stringify(constant)}\``;

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const plainOrQuoted = (text: string): string =>
  /^[A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9.-]*$/.test(text) ? text : JSON.stringify(text);

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Resolves a reference, and merges the keywords next to it. */
export function resolveRef(schema: Schema, tables: Tables): Schema {
  const target = tables.defs[refName(schema) ?? ''];
  if (target === undefined) return schema;
  const { $ref: _, ...own } = schema;
  return { ...resolveRef(target, tables), ...own };
}

const refName = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);

/** Section that a reference leads to, directly or through other references. */
function sectionOf(schema: Schema, tables: Tables): string | undefined {
  const name = refName(schema);
  if (name === undefined) return undefined;
  if (Object.hasOwn(tables.sections, name)) return name;
  const target = tables.defs[name];
  return target === undefined ? undefined : sectionOf(target, tables);
}

export function typeOf(schema: Schema, tables: Tables): string {
  const name = refName(schema);
  const section = sectionOf(schema, tables);
  if (section !== undefined) return `[${spacedWords(section)}](${tables.sections[section]})`;
  const target = resolveRef(schema, tables);
  if (target.title !== undefined && name !== undefined) return target.title;
  if (target.const !== undefined) return `\`${String(target.const)}\``;
  if (target.enum) return target.enum.map((value) => `\`${String(value)}\``).join(', ');
  const forms = target.anyOf ?? [target.then, target.else].filter((form) => form !== undefined);
  if (forms.length > 1) return [...new Set(forms.map((form) => typeOf(form, tables)))].join(' or ');
  const types = [target.type ?? (target.properties === undefined ? 'any' : 'object')].flat();
  return types.map((type) => plainType(type, target, tables)).join(' or ');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'list',
  boolean: '`true` or `false`',
  integer: 'whole number',
  number: 'number',
  object: 'map',
  string: 'text',
};

function plainType(type: string, { items, minimum, maximum }: Schema, tables: Tables): string {
  const name = TYPE_NAMES[type] ?? 'any value';
  if (type === 'array' && items !== undefined) return `${name} of ${typeOf(items, tables)}`;
  const isRange = /^(integer|number)$/.test(type) && minimum !== undefined && maximum !== undefined;
  return isRange ? `${name}, ${minimum} to ${maximum}` : name;
}

/** `digitRules` → `digit rules`. */
export const spacedWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
