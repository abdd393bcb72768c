/** Words that a new question begins with, in the language of the flow. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';

/** By language, the words of the keyword `picker` of the schemas. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    'I did not hear you.': 'Ich habe nichts gehört.',
    'I did not understand you.': 'Das habe ich nicht verstanden.',
    'That is not one of the choices.': 'Das steht nicht zur Auswahl.',
  },
  es: {
    'I did not hear you.': 'No le he oído.',
    'I did not understand you.': 'No le he entendido.',
    'That is not one of the choices.': 'Esa no es una de las opciones.',
  },
  fr: {
    'I did not hear you.': 'Je ne vous ai pas entendu.',
    'I did not understand you.': 'Je ne vous ai pas compris.',
    'That is not one of the choices.': 'Ce choix n’existe pas.',
  },
  it: {
    'I did not hear you.': 'Non ho sentito nulla.',
    'I did not understand you.': 'Non ho capito.',
    'That is not one of the choices.': 'Questa scelta non esiste.',
  },
};
const ANSWERS_TO_MISTAKES = ['no_input', 'no_match'];

/**
 * Arguments in the words of the flow's language, without those that `defaults.input` gives. In a language without
 * words here they are placeholders, which `check` reports.
 */
export function inWordsOf(flow: JsonObject, args: Json): Json {
  if (!isObject(args)) return args;
  const entries = Object.entries(args).flatMap(([key, value]): [string, Json][] => {
    if (typeof value !== 'string' || !ANSWERS_TO_MISTAKES.includes(key)) return [[key, value]];
    if (valueAt(flow, ['defaults', 'input', key]) !== undefined) return [];
    return [[key, inLanguageOf(flow, value)]];
  });
  return Object.fromEntries(entries);
}

/** English words in the language of the flow, or as a placeholder if it has no words here. */
export function inLanguageOf(flow: JsonObject, words: string): string {
  const locale = valueAt(flow, ['defaults', 'locale']);
  const language = typeof locale === 'string' ? locale.slice(0, 2).toLowerCase() : 'en';
  return language === 'en' ? words : (WORDS[language]?.[words] ?? `[${words}]`);
}
