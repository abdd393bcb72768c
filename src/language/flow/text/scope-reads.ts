/**
 * Values that the expressions of a flow read: variables, inputs, and fields of results. Names are found in the code of
 * expressions (`expression-code.ts`), so that this also runs in browsers.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { NAME_CHARACTERS, PLAIN_NAME } from '../name-patterns.ts';
import type { WordsChange } from './change.ts';
import { codeOf } from './expression-code.ts';
import type { Path } from './flow-source.ts';
import { isRemark, nameInExpression } from './references.ts';

/** `vars.NAME`, `input.NAME`, or `steps.NAME.FIELD`; without a name or field if the expression reads the whole. */
export interface ScopeRead {
  scope: 'vars' | 'input' | 'steps';
  name?: string;
  field?: string;
}

/** Key of a value in sets: names cannot contain spaces. */
export const keyOf = ({ scope, name = '*', field }: ScopeRead): string =>
  scope === 'steps' ? `steps ${name} ${field ?? '*'}` : `${scope} ${name}`;

const NAME = `${PLAIN_NAME}|\`[^\`\\n]+\``;
/** Characters before a name that make it the name of a field, or part of another name. */
const JOINED = `${NAME_CHARACTERS}.\`$`;
const READ = new RegExp(
  `(?<=(?:^|[^${JOINED}])(?:\\$\\$?\\s*\\.\\s*)?)(vars|input|steps)(?![${NAME_CHARACTERS}])(?:\\s*\\.\\s*(${NAME}))?(?:\\s*\\.\\s*(${NAME}))?`,
  'gu',
);
/** Parts that read any name: the whole scope, and paths of all names. */
const ANYTHING = new RegExp(
  `\\$\\$(?!\\s*\\.\\s*[${NAME_CHARACTERS}\`])|\\*\\*|(?<![${NAME_CHARACTERS}$])\\$(?![${NAME_CHARACTERS}$.(\\[])`,
  'u',
);

export interface Reads {
  found: ScopeRead[];
  /** True if an expression may read any value. */
  any: boolean;
}

/** Reads of a part of a flow. `at`: path of the part, which decides which texts are expressions. */
export function readsIn(value: Json | undefined, at: Path): Reads {
  const reads: Reads = { found: [], any: false };
  for (const { text, isWhole } of expressionTexts(value, at)) {
    const code = codeOf(text, isWhole);
    reads.any ||= ANYTHING.test(code);
    for (const match of code.matchAll(READ)) reads.found.push(readOf(match));
  }
  return reads;
}

/** Changes that make a part of a flow read values under other paths. Undefined: the read stays. */
export function redirectedReads(
  value: Json | undefined,
  at: Path,
  to: (read: ScopeRead) => readonly string[] | undefined,
): WordsChange[] {
  return expressionTexts(value, at).flatMap(({ text, isWhole, path }): WordsChange[] => {
    const code = codeOf(text, isWhole);
    const words = [...text.matchAll(READ)].map((match) => {
      const { 0: written, 3: last = '', index } = match;
      if (code.slice(index, index + written.length) !== written) return undefined;
      const read = readOf(match);
      const names = to(read);
      if (names === undefined) return undefined;
      // The field of a variable or an input stays.
      const rest = read.scope === 'steps' || last === '' ? '' : `.${last}`;
      return names.map(nameInExpression).join('.') + rest;
    });
    return words.some((word) => word !== undefined) ? [{ do: 'words', path, pattern: READ, words }] : [];
  });
}

function readOf([, scope, name, field]: RegExpMatchArray): ScopeRead {
  const plain = (word: string): string => word.replaceAll('`', '');
  return {
    scope: scope as ScopeRead['scope'],
    ...(name !== undefined && { name: plain(name) }),
    ...(field !== undefined && scope === 'steps' && { field: plain(field) }),
  };
}

interface ExpressionText {
  text: string;
  /** True if the text is a single expression without `${ }`. */
  isWhole: boolean;
  path: Path;
}

function expressionTexts(value: Json | undefined, at: Path): ExpressionText[] {
  if (typeof value === 'string') {
    const isWhole = at.at(-1) === 'when' && at[0] === 'steps';
    return isWhole || value.includes('${') ? [{ text: value, isWhole, path: at }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => expressionTexts(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value as JsonObject).flatMap(([key, member]) =>
    isRemark([...at, key]) ? [] : expressionTexts(member, [...at, key]),
  );
}
