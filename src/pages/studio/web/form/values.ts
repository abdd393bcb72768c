/**
 * Reads what is typed in a field, and says in a sentence why a value is not accepted. Pure.
 *
 * Invariant: a value that is read without a problem satisfies its schema.
 */
import { isObject, type Json } from '../../../../base/core/json.ts';
import type { LanguageKey } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { readDuration, sayDuration, writeDuration } from './durations.ts';
import type { EditorKind } from './fields.ts';
import { isTemplate, problemOf, saysOf, typesOf } from './limits.ts';

export type ReadText = { value: Json | undefined; problem?: undefined } | { problem: string };

/** An empty field clears the value. */
export function readTyped(typed: string, key: LanguageKey, editor: EditorKind): ReadText {
  if (editor === 'expression') return readCondition(typed);
  const text = editor === 'long' ? typed : typed.trim();
  if (text.trim() === '') return { value: undefined };
  if (isTemplate(text)) return readTemplate(text, key);
  const value = parsed(text, key, editor);
  if (value === undefined) return { problem: `${expected(key, editor)}` };
  const problem = problemOf(value, key);
  return problem === undefined ? { value } : { problem };
}

/** A condition is an expression without `${ }`. The check of the service reads it fully. */
export function readCondition(typed: string): ReadText {
  const text = typed.trim();
  if (text === '') return { value: undefined };
  if (isTemplate(text)) return { problem: t('A condition is written without ${ }') };
  const unclosed = unclosedIn(text);
  if (unclosed !== undefined) return { problem: t('A {character} is missing', { character: unclosed }) };
  return { value: text === 'true' ? true : text === 'false' ? false : text };
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The character that closes what is still open in an expression. */
function unclosedIn(expression: string): string | undefined {
  const open: string[] = [];
  let quote = '';
  for (const char of expression) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (PAIRS[char] !== undefined) open.push(PAIRS[char]);
    else if (char === open.at(-1)) open.pop();
  }
  return quote === '' ? open.at(-1) : quote;
}

function readTemplate(text: string, key: LanguageKey): ReadText {
  if (key.static) return { problem: t('No variables are possible here') };
  const unclosed = /\$\{[^}]*$/.test(text);
  return unclosed ? { problem: t('A {character} is missing', { character: '}' }) } : { value: text };
}

/** True for yes in English and in the reader's language. */
const isYes = (text: string): boolean => /^(yes|true)$/i.test(text) || text.toLowerCase() === t('yes').toLowerCase();
const NO = /^(no|off|false)$/i;
const isNo = (text: string): boolean => NO.test(text) || text.toLowerCase() === t('no').toLowerCase();

function parsed(text: string, key: LanguageKey, editor: EditorKind): Json | undefined {
  const types = typesOf(key);
  if (editor === 'duration') {
    if (types.has('boolean') && isNo(text)) return false;
    const ms = readDuration(text);
    return ms === undefined ? undefined : writeDuration(ms);
  }
  const number = /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : undefined;
  if (editor === 'number') return number;
  if (types.has('boolean') && (isYes(text) || isNo(text))) return isYes(text);
  if (number !== undefined && (types.has('integer') || types.has('number'))) return number;
  return types.has('string') || types.size === 0 ? text : undefined;
}

function expected(key: LanguageKey, editor: EditorKind): string {
  const { minimum, maximum } = key;
  if (editor === 'duration') return t('A duration, such as 6 seconds or 1 min 30');
  if (minimum !== undefined && maximum !== undefined)
    return t('Needs a number between {minimum} and {maximum}', { minimum, maximum });
  return saysOf(key) ?? t('Needs a number');
}

/** Text of a value in its field. */
export function shownValue(value: Json | undefined, editor: EditorKind): string {
  if (value === undefined || value === null) return '';
  if (editor === 'duration' && typeof value === 'string') return isTemplate(value) ? value : sayDuration(value);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The default in words, for an empty field. */
export function defaultWords({ default: value, otherwise }: LanguageKey, editor: EditorKind): string | undefined {
  if (value !== undefined) return shownValue(value, editor);
  const words = otherwise?.replaceAll('`', '');
  return words === undefined ? undefined : shownValue(words, editor);
}

/** A value in a few words, for the heading of a fold. */
export function briefly(value: Json, editor: EditorKind): string {
  if (Array.isArray(value))
    return value.length === 1
      ? briefly(value[0]!, editor)
      : t('{count, plural, one {# entry} other {# entries}}', { count: value.length });
  if (isObject(value)) return Object.keys(value).join(', ');
  const words = shownValue(value, editor);
  return words.length > 24 ? `${words.slice(0, 23)}…` : words;
}

/** A value of a row as it is typed: numbers and yes or no without quotes. */
export const rowText = (value: Json): string =>
  typeof value === 'string' && !/^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? value : JSON.stringify(value);

export function readRow(typed: string): Json {
  const text = typed.trim();
  if (/^(true|false|null|-?\d+(\.\d+)?|".*"|[[{].*)$/s.test(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return text;
    }
  }
  return text;
}
