/**
 * The flow language as data: verbs, keys, outcomes; what a place in a flow means. Neighbours: `../language.ts` makes it of
 * the schemas; completion, help and graphs use it, in browsers, too.
 */
import type { Json } from '../../core/json.ts';
import type { GraphVerb } from '../graph.ts';

/** A value: what it is for, and what may be in it. */
export interface LanguageKey {
  description?: string;
  default?: Json;
  /** A default that is not a constant, in words. */
  otherwise?: string;
  /** The words to choose from. */
  enum?: Json[];
  type?: Json;
  required?: Json;
  properties?: Readonly<Record<string, LanguageKey>>;
  items?: LanguageKey;
  /** Of each key that the author names. */
  values?: LanguageKey;
}

export interface LanguageVerb extends GraphVerb {
  summary: string;
  /** When each outcome is possible, by its name. */
  meanings?: Readonly<Record<string, string>>;
  schema: LanguageKey;
  /** What expressions find of it. */
  result?: LanguageKey;
}

export interface Language {
  verbs: Readonly<Record<string, LanguageVerb>>;
  /** What stands beside the verb. */
  step: LanguageKey;
  flow: LanguageKey;
}

/** The key at a path inside a value. */
export function keyAt(key: LanguageKey | undefined, path: readonly (string | number)[]): LanguageKey | undefined {
  let found = key;
  for (const part of path) {
    // A list of one may be written without brackets.
    const inner: LanguageKey | undefined =
      typeof part === 'number' ? (found?.items ?? found) : (found?.properties?.[part] ?? found?.values);
    found = inner ?? (found?.items === undefined ? undefined : keyAt(found.items, [part]));
  }
  return found;
}

/** What a path of a flow means: undefined where the language does not know it. */
export function keyOfPath(language: Language, path: readonly (string | number)[]): LanguageKey | undefined {
  if (path[0] !== 'steps' || path.length < 3) return keyAt(language.flow, path);
  const [, , name, ...rest] = path;
  const verb = verbOf(language, name);
  return verb === undefined ? keyAt(language.step, path.slice(2)) : keyAt(verb.schema, rest);
}

export const verbOf = (language: Language, name: string | number | undefined): LanguageVerb | undefined =>
  typeof name === 'string' && Object.hasOwn(language.verbs, name) ? language.verbs[name] : undefined;
