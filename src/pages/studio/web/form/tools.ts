/**
 * Arguments of an agent's tools as the form shows them: a name, a kind, and whether the agent must say it. Pure;
 * `tools-editor.tsx` draws them.
 *
 * Invariant: a schema that is not read here is never rewritten.
 */
import { isEqualJson, isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import type { Language, LanguageKey } from '../../../../language/flow/text/language.ts';
import { argumentChanges } from '../../../../language/flow/text/set-argument.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { problemOf } from './limits.ts';

export const KINDS = ['text', 'number', 'whole', 'yes-no', 'words', 'date'] as const;
export type ArgumentKind = (typeof KINDS)[number];

/** Keys of a schema that a kind has; the others are those of any kind. */
const SCHEMAS: Readonly<Record<ArgumentKind, JsonObject>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  whole: { type: 'integer' },
  'yes-no': { type: 'boolean' },
  words: { type: 'string' },
  date: { type: 'string', format: 'date' },
};
const RANGE = ['minimum', 'maximum'];
const KNOWN = ['type', 'format', 'enum', 'default', 'description', ...RANGE];

export interface ToolArgument {
  kind: ArgumentKind;
  /** Words to choose from. */
  words: readonly string[];
  /** Value if the agent does not say it. Undefined if it must. */
  otherwise: Json | undefined;
}

/** Undefined for a schema that the form cannot show. */
export function readArgument(schema: Json): ToolArgument | undefined {
  if (!isObject(schema) || Object.keys(schema).some((key) => !KNOWN.includes(key))) return undefined;
  const { type, format, enum: listed } = schema;
  const otherwise = schema['default'];
  const hasRange = RANGE.some((key) => schema[key] !== undefined);
  if (listed !== undefined) {
    const isWords = Array.isArray(listed) && listed.every((word) => typeof word === 'string');
    if (!isWords || (type !== undefined && type !== 'string') || format !== undefined || hasRange) return undefined;
    return { kind: 'words', words: listed.map(String), otherwise };
  }
  const kind = KINDS.find(
    (each) => each !== 'words' && isEqualJson(SCHEMAS[each]['type'], type) && SCHEMAS[each]['format'] === format,
  );
  if (kind === undefined || (hasRange && !isNumeric(kind))) return undefined;
  return { kind, words: [], otherwise };
}

const isNumeric = (kind: ArgumentKind): boolean => kind === 'number' || kind === 'whole';

/** Words that a new list begins with. */
const FIRST_WORDS = ['first', 'second'];

/** The schema with another kind. A default of another kind, and a range that it cannot have, are left out. */
export function ofKind(schema: JsonObject, kind: ArgumentKind): JsonObject {
  const { type: _, format: __, enum: ___, default: otherwise, minimum, maximum, ...others } = schema;
  const range = isNumeric(kind)
    ? { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
    : {};
  const words: JsonObject = kind === 'words' ? { enum: FIRST_WORDS } : {};
  const made: JsonObject = { ...SCHEMAS[kind], ...words, ...range, ...others };
  return otherwise === undefined ? made : { ...made, default: blankOf(made) };
}

/** The schema of an argument that the agent must say, or may leave out. */
export function required(schema: JsonObject, isRequired: boolean): JsonObject {
  const { default: _, ...rest } = schema;
  return isRequired ? rest : { ...rest, default: blankOf(schema) };
}

function blankOf({ type, enum: listed, minimum }: JsonObject): Json {
  if (Array.isArray(listed)) return listed[0] ?? '';
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? Math.max(Number(minimum ?? 0), 0) : '';
}

/** The words of a list that is typed with commas. */
export const wordsIn = (typed: string): string[] => [
  ...new Set(
    typed
      .split(/[,،]/)
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
];

/** Changes of the pairs of a map at a path that differ. */
export function mapChanges(path: Path, now: JsonObject, next: JsonObject): Change[] {
  const gone = Object.keys(now).filter((key) => !Object.hasOwn(next, key));
  const changed = Object.keys(next).filter((key) => !isEqualJson(now[key], next[key]));
  return [
    ...gone.map((key): Change => ({ do: 'remove', path: [...path, key] })),
    ...changed.map(
      (key): Change =>
        Object.hasOwn(now, key)
          ? { do: 'set', path: [...path, key], value: next[key]! }
          : { do: 'add', path, key, value: next[key]! },
    ),
  ];
}

/** Name in a flow: `Book a table` is `book_a_table`. */
export const nameFrom = (title: string): string => title.trim().toLowerCase().replaceAll(/\s+/g, '_');

/** Reason against a name among others of a map with this schema. */
export function problemOfName(
  { names: limits }: LanguageKey,
  name: string,
  others: readonly string[],
): string | undefined {
  if (others.includes(name)) return t('There is {name} already', { name });
  return limits && problemOf(name, limits);
}

interface ToolPlace {
  step: string;
  /** Path of the tool below the step. */
  path: Path;
}

/** Adds a tool or a lookup. `target`: where the step leads when the agent calls it; a lookup has none. */
export function addedTool(
  flow: JsonObject,
  { step, path, tool, target }: ToolPlace & { tool: JsonObject; target: string | undefined },
  language: Language,
): Change[] | EditRefusal {
  return together(
    argumentChanges(flow, { step, path, value: tool }, language),
    target === undefined ? [] : argumentChanges(flow, { step, path: exitOf(path), value: target }, language),
  );
}

/** Removes a tool with its target, or a lookup. */
export const removedTool = (
  flow: JsonObject,
  { step, path, isLookup }: ToolPlace & { isLookup: boolean },
  language: Language,
): Change[] | EditRefusal =>
  together(
    argumentChanges(flow, { step, path, value: undefined }, language),
    isLookup ? [] : argumentChanges(flow, { step, path: exitOf(path), value: undefined }, language),
  );

const exitOf = (path: Path): Path => ['exits', path.at(-1)!];

function together(one: Change[] | EditRefusal, other: Change[] | EditRefusal): Change[] | EditRefusal {
  if (isRefusal(one)) return one;
  return isRefusal(other) ? other : [...one, ...other];
}
