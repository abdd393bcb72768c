/**
 * Types of the flow language as data (verbs, keys, outcomes), and lookup of the key at a path. `../language.ts` builds
 * the data from the schemas; completion, help and graphs use it, also in browsers.
 */
import type { Json } from '../../../base/core/json.ts';
import type { GraphVerb } from '../graph.ts';

/** Description of a value: its purpose and its allowed content. */
export interface LanguageKey {
  description?: string;
  default?: Json;
  /** A default that is not a constant, in words. */
  otherwise?: string;
  /** Allowed words. */
  enum?: Json[];
  type?: Json;
  required?: Json;
  /** `digit` for keys of the phone, `duration` for durations. */
  code?: string;
  /** Limits of texts and numbers. `says` describes what the pattern accepts. */
  pattern?: string;
  says?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  const?: Json;
  format?: string;
  /** Limits of lists and maps. */
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  /** True if a map has no other keys than `properties`. */
  closed?: boolean;
  /** Limits of the keys that the author chooses. */
  names?: LanguageKey;
  /** True if no template may give the value. */
  static?: boolean;
  properties?: Readonly<Record<string, LanguageKey>>;
  items?: LanguageKey;
  /** Description of the value of each key that the author chooses. */
  values?: LanguageKey;
}

/** Groups of the studio's list of steps. */
export type PickerGroup = 'say' | 'connect' | 'decide' | 'remember' | 'outside' | 'record' | 'end';

/** Step before a proposal: none or the answered call, a choice of the caller, data of another system, or any other. */
export type SuggestedAfter = 'start' | 'choice' | 'data' | 'any';

/** Argument that the author is asked for before a step is written. */
export interface AskedArgument {
  /** JSON pointer below the arguments in long form. Empty: the answer is the key that `*` in the next pointer means. */
  at: string;
  question: string;
  /** Example of an answer. */
  hint?: string;
  /** Proposed answer. */
  value?: string;
}

/** How the studio offers a verb, and the arguments that a new step has. */
export interface PickerEntry {
  name: string;
  group: PickerGroup;
  /** Position in the group. */
  place: number;
  sentence: string;
  /** Words by which the search also finds the verb. */
  words: readonly string[];
  /** Positions among the first proposals, by the step before. */
  suggested?: Readonly<Partial<Record<SuggestedAfter, number>>>;
  /** Kind of search text that fills in the step. */
  takes?: 'words' | 'party' | 'url';
  begins: Json;
  asks?: readonly AskedArgument[];
  /** Outcomes that do not continue the call, although they have no `kind`. */
  apart?: readonly string[];
}

export interface LanguageVerb extends GraphVerb {
  /** Absent for a verb that the studio does not offer. */
  picker?: PickerEntry;
  summary: string;
  /** Keys that the form of a step shows first. */
  essentials?: readonly string[];
  /** Condition of each outcome in words, by its name. */
  meanings?: Readonly<Record<string, string>>;
  schema: LanguageKey;
  /** Fields of the result that expressions can read. */
  result?: LanguageKey;
}

export interface Language {
  verbs: Readonly<Record<string, LanguageVerb>>;
  /** Keys that a step may have besides its verb. */
  step: LanguageKey;
  flow: LanguageKey;
}

/** Description of the value at a path inside `key`. */
export function keyAt(key: LanguageKey | undefined, path: readonly (string | number)[]): LanguageKey | undefined {
  let found = key;
  for (const part of path) {
    // A list of one item may be written without brackets.
    const inner: LanguageKey | undefined =
      typeof part === 'number' ? (found?.items ?? found) : (found?.properties?.[part] ?? found?.values);
    found = inner ?? (found?.items === undefined ? undefined : keyAt(found.items, [part]));
  }
  return found;
}

/** Description of the value at a path of a flow; undefined if the language does not define it. */
export function keyOfPath(language: Language, path: readonly (string | number)[]): LanguageKey | undefined {
  if (path[0] !== 'steps' || path.length < 3) return keyAt(language.flow, path);
  const [, , name, ...rest] = path;
  const verb = verbOf(language, name);
  return verb === undefined ? keyAt(language.step, path.slice(2)) : keyAt(verb.schema, rest);
}

/** Name of the verb that an author calls this, by its name or by its display name. */
export const verbNamed = ({ verbs }: Pick<Language, 'verbs'>, word: string): string | undefined =>
  Object.hasOwn(verbs, word)
    ? word
    : Object.keys(verbs).find((name) => verbs[name]!.label?.toLowerCase() === word.toLowerCase());

export const verbOf = (language: Language, name: string | number | undefined): LanguageVerb | undefined =>
  typeof name === 'string' && Object.hasOwn(language.verbs, name) ? language.verbs[name] : undefined;
