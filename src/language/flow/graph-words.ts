/**
 * Texts of a step's card in a graph: a summary of the step in a line or two, and short facts next to it. Incomplete
 * arguments give shorter texts, never an error.
 */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { valueBelow } from './possible-outcomes.ts';

/** Maximum length of a text on a card. */
const MAX_WORDS = 160;
const MAX_NESTING = 4;

export type WordsOf = (prompt: Json | undefined) => string;

/** Looks up the words of prompts in the flow's table, in the step's locale or else the flow's. */
export function promptWords(root: JsonObject): { in(locale: string): WordsOf } {
  const table = isObject(root['prompts']) ? root['prompts'] : {};
  const defaults = isObject(root['defaults']) ? root['defaults'] : {};
  const usual = typeof defaults['locale'] === 'string' ? defaults['locale'] : 'en-US';
  return {
    in(locale) {
      const locales = [locale || usual, (locale || usual).split('-')[0]!, usual, usual.split('-')[0]!];
      return (prompt) => firstWords(prompt, table, locales, 0).slice(0, MAX_WORDS);
    },
  };
}

function firstWords(prompt: Json | undefined, table: JsonObject, locales: readonly string[], depth: number): string {
  if (prompt === undefined || prompt === null || depth > MAX_NESTING) return '';
  if (typeof prompt === 'string') {
    if (!Object.hasOwn(table, prompt)) return prompt;
    const entry = table[prompt];
    return typeof entry === 'string' ? entry : firstWords(entry, {}, locales, depth + 1) || prompt;
  }
  if (Array.isArray(prompt)) {
    for (const piece of prompt.slice(0, 5)) {
      const words = firstWords(piece, table, locales, depth + 1);
      if (words !== '') return words;
    }
    return '';
  }
  if (!isObject(prompt)) return String(prompt);
  for (const key of ['text', 'audio', 'ssml', 'prompt']) {
    if (typeof prompt[key] === 'string') return firstWords(prompt[key], {}, locales, depth + 1);
  }
  const spoken = locales.find((locale) => Object.hasOwn(prompt, locale));
  const [first] = Object.values(prompt);
  return firstWords(spoken === undefined ? first : prompt[spoken], {}, locales, depth + 1);
}

/** Text of a card: a string contains pointers to arguments in braces, such as `GET {/get}`. */
export type CardText =
  | string
  /** Pointer to a prompt, whose words are shown. */
  | { readonly prompt: string }
  /** Pointer to a map, whose keys are shown. */
  | { readonly keys: string; readonly joined?: string }
  /** Pointer to a map, whose keys and values are shown. */
  | { readonly entries: string };

/** Short fact next to a card. Pointers that have no value are looked up in `defaults`. */
export type Badge = { readonly defaults?: Readonly<Record<string, Json>> } & (
  | { readonly count: string; readonly one: string; readonly many: string }
  /** Shown if all pointers in braces have a value and, with `if`, one of these pointers has one. */
  | { readonly says: string; readonly if?: readonly string[] }
);

/** The first text of the card that is not empty. `raw` contains the arguments as written, `args` their long form. */
export function aboutOf(card: readonly CardText[], raw: Json, args: JsonObject, words: WordsOf): string {
  for (const text of card) {
    const shown = textOf(text, args, words);
    if (shown !== '') return shown;
  }
  // A template may stand for all arguments.
  return typeof raw === 'string' && card.some((text) => typeof text === 'string') ? raw : '';
}

function textOf(text: CardText, args: JsonObject, words: WordsOf): string {
  if (typeof text === 'string') return filled(text, (pointer) => valueBelow(args, pointer)) ?? '';
  if ('prompt' in text) return words(valueBelow(args, text.prompt));
  if ('keys' in text) return Object.keys(mapIn(valueBelow(args, text.keys))).join(text.joined ?? ', ');
  return Object.entries(mapIn(valueBelow(args, text.entries)))
    .map((entry) => entry.map((part) => flatWords(part)).join(' '))
    .join(', ');
}

const mapIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Replaces the pointers in braces by values; undefined if one of them has no value. */
function filled(text: string, valueAt: (pointer: string) => Json | undefined): string | undefined {
  let isComplete = true;
  const made = text.replaceAll(/\{([^}]*)\}/g, (_, pointer: string) => {
    const value = valueAt(pointer);
    isComplete &&= value !== undefined && value !== null;
    return flatWords(value);
  });
  return isComplete ? made.trim() : undefined;
}

/** Short text for any value. */
function flatWords(value: Json | undefined, depth = 0): string {
  if (value === undefined || value === null || depth > MAX_NESTING) return '';
  if (Array.isArray(value))
    return value
      .slice(0, 6)
      .map((item) => flatWords(item, depth + 1))
      .filter(Boolean)
      .join(', ')
      .slice(0, MAX_WORDS);
  if (isObject(value)) return flatWords(Object.values(value)[0], depth + 1);
  return String(value).slice(0, MAX_WORDS);
}

/** Keys of a choice, or of an argument that accepts keys: `1`, or `1 2`. */
export function keysOf(written: Json | undefined): string {
  const keys = isObject(written) ? written['dtmf'] : written;
  return (Array.isArray(keys) ? keys : [keys])
    .filter((key) => typeof key === 'string' || typeof key === 'number')
    .join(' ')
    .slice(0, 12);
}

export function badgesOf(badges: readonly Badge[], args: JsonObject, step: JsonObject): string[] {
  const shown = badges.flatMap((badge) => badgeText(badge, args) ?? []);
  const { max_visits: visits } = step;
  if (visits !== undefined && visits !== null) shown.push(`≤ ${counted(visits, 'visit', 'visits')}`);
  return shown.map((text) => text.slice(0, 24));
}

function badgeText(badge: Badge, args: JsonObject): string | undefined {
  const valueAt = (pointer: string): Json | undefined => valueBelow(args, pointer) ?? badge.defaults?.[pointer];
  if ('count' in badge) {
    const count = valueAt(badge.count);
    return count === undefined || typeof count === 'object' ? undefined : counted(count, badge.one, badge.many);
  }
  const isShown = badge.if?.some((pointer) => hasValue(args, pointer.split('/').slice(1))) ?? true;
  return isShown ? filled(badge.says, valueAt) : undefined;
}

const counted = (count: Json, one: string, many: string): string => `${flatWords(count)} ${count === 1 ? one : many}`;

/** True for a value other than `false` at these keys, of which `*` is any key. */
function hasValue(value: Json | undefined, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null && value !== false;
  if (key === '*') return Object.values(mapIn(value)).some((inner) => hasValue(inner, rest));
  return hasValue(valueBelow(value ?? null, `/${key}`), rest);
}
