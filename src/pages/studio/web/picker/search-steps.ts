/**
 * Search in the list of steps: each word of the query must begin a word of the name, the verb, its search words or its
 * sentence. Pure.
 */
import { suggest } from '../../../../base/schema/suggest.ts';
import type { LanguageVerb, PickerEntry } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { StepTemplate } from '../text/step-template.ts';
import { WORDS } from './words.ts';

export interface StepItem {
  verb: string;
  name: string;
  sentence: string;
  /** Answers to what the verb asks, given by the query. */
  answers?: readonly string[];
  /** Words of the query that the new step says. */
  says?: string;
  /** Several steps, of which `verb` is that of the first. */
  template?: StepTemplate;
}

/** Words that are ignored, because they fit every step. */
const SKIPPED = /^(?:a|an|the|to|of|for|my|some|with|by|and|is|are|i|do|their|his|her|your|at|on|in|\d)$/;
const WEIGHTS = { firstOfName: 0, words: 0.9, name: 1, verb: 1, sentence: 3 } as const;
/** Added for a word of which only the beginning was typed. */
const BEGINNING = 0.5;

type Verbs = Readonly<Record<string, LanguageVerb>>;

/** Entries with their verbs, in the order of the list. */
export function listedSteps(verbs: Verbs, groups: readonly string[]): (StepItem & { entry: PickerEntry })[] {
  return Object.entries(verbs)
    .flatMap(([verb, { picker }]) => (picker === undefined ? [] : [{ ...itemOf(verb, picker), entry: picker }]))
    .toSorted(
      ({ entry: one }, { entry: other }) =>
        groups.indexOf(one.group) - groups.indexOf(other.group) || one.place - other.place,
    );
}

/** Templates as entries of the list, by their names in the reader's language. */
export const listedTemplates = (templates: readonly StepTemplate[]): (StepItem & { entry: PickerEntry })[] =>
  templates
    .map((template): StepItem & { entry: PickerEntry } => {
      const { name, sentence, words, verb } = template;
      const entry: PickerEntry = { group: 'say', place: 0, name, sentence, words: [...words], begins: null };
      return { ...itemOf(verb, entry), template, entry };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));

/** The name and the sentence in the reader's language. */
export const itemOf = (verb: string, { name, sentence }: PickerEntry): StepItem => ({
  verb,
  name: t(name),
  sentence: t(sentence),
});

/** Search words in English and in the reader's language. */
const searchWordsOf = ({ words }: PickerEntry): string[] => [words.join(', '), t(words.join(', '))].flatMap(wordsOf);

/** Steps that a query finds, the best first. `uses` counts the steps of each verb in the flow. */
export function findStepsFor(
  query: string,
  steps: readonly (StepItem & { entry: PickerEntry })[],
  uses: ReadonlyMap<string, number> = new Map(),
): StepItem[] {
  const wanted = wordsOf(query);
  const telling = wanted.filter((word) => !SKIPPED.test(word));
  const words = telling.length > 0 ? telling : wanted;
  return steps
    .map((step, index) => ({ step, index, rank: rankOf(words, step) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        (uses.get(other.step.verb) ?? 0) - (uses.get(one.step.verb) ?? 0) ||
        one.index - other.index,
    )
    .map(({ step: { entry: _, ...item } }) => item);
}

/** Sum over the words of the query. Infinite if a word is not found. */
function rankOf(words: readonly string[], { verb, name, sentence, entry }: StepItem & { entry: PickerEntry }): number {
  const [first = '', ...others] = wordsOf(name);
  const [firstInEnglish = '', ...othersInEnglish] = wordsOf(entry.name);
  const fields = [
    [WEIGHTS.firstOfName, [first, firstInEnglish]],
    [WEIGHTS.name, [...others, ...othersInEnglish]],
    [WEIGHTS.verb, verb.split('_')],
    [WEIGHTS.words, searchWordsOf(entry)],
    [WEIGHTS.sentence, [...wordsOf(entry.sentence), ...wordsOf(sentence)]],
  ] as const;
  return words.reduce((sum, word) => {
    const ranks = fields.flatMap(([weight, known]) =>
      known.map((each) =>
        each.startsWith(word) ? weight + (each === word ? 0 : BEGINNING) : Number.POSITIVE_INFINITY,
      ),
    );
    return sum + Math.min(...ranks);
  }, 0);
}

/** Words in small letters. `a/b` is one word. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('/', '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const NUMBER = /^\+?\d[\d ()/.-]{4,}$/;
const ADDRESS = /^(?:sips?|tel|user):\S+$/i;
const URL_TEXT = /^https?:\/\/\S+$/i;
/** From this number of words a query is something to say. */
const SENTENCE = 3;
const MAX_SHOWN = 40;

/** Steps that the query itself fills in: a party to call, an address, words to say. */
export function itemsFromQuery(query: string, verbs: Verbs): StepItem[] {
  const text = query.trim();
  const made = (takes: PickerEntry['takes'], name: string, more: Partial<StepItem>): StepItem[] =>
    Object.entries(verbs).flatMap(([verb, { picker }]) =>
      picker !== undefined && picker.takes === takes ? [{ ...itemOf(verb, picker), name, ...more }] : [],
    );
  if (NUMBER.test(text)) return made('party', WORDS.connect(text), { answers: [text.replaceAll(/[^+\d]/g, '')] });
  if (ADDRESS.test(text)) return made('party', WORDS.connect(text), { answers: [text] });
  if (URL_TEXT.test(text)) return made('url', WORDS.request(shortened(text)), { answers: [text] });
  const quoted = /^["“'](.+?)["”']?$/.exec(text)?.[1];
  const said = quoted ?? (wordsOf(text).length >= SENTENCE || /[.!?]$/.test(text) ? text : undefined);
  return said === undefined
    ? []
    : made('words', WORDS.say(shortened(said)), { sentence: WORDS.saySentence, says: said });
}

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text);

/** Name of the step that a misspelt query probably means. */
export function meantStep(query: string, steps: readonly (StepItem & { entry: PickerEntry })[]): StepItem | undefined {
  const [word] = wordsOf(query).toSorted((one, other) => other.length - one.length);
  if (word === undefined) return undefined;
  const known = new Map<string, StepItem>();
  for (const step of steps) {
    for (const each of [...wordsOf(step.name), ...searchWordsOf(step.entry)])
      if (!known.has(each)) known.set(each, step);
  }
  const near = suggest(word, known.keys());
  return near === undefined ? undefined : known.get(near);
}
