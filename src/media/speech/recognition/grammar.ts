/**
 * Interprets recognised words for a step: one of the author's phrases, digits, yes or no, or the plain text. Dates,
 * times, amounts and codes are plain text of an expected vocabulary, which the step reads.
 *
 * Invariants
 * - a match of `hints` is spelled as the author spelled it; a match of `digits` consists of 0 to 9; a match of `yes_no`
 * is `yes` or `no`;
 * - an unknown word within a phrase or number prevents a match; unknown words around it (er, please) are tolerated and
 * lower the confidence.
 */
import type { ListenOptions } from '../../../base/core/leg.ts';
import { heardLanguage } from '../../../language/spoken/heard-words.ts';
import { vocabularyOf } from '../../../language/spoken/vocabulary.ts';
import { DIGIT_PHRASES, digitsIn } from './spoken-digits.ts';
import { plainWords, spokenForms } from './spoken-forms.ts';
import type { RecognizedUtterance, RecognizedWord } from './transcriber.ts';

export interface Interpretation {
  /** Empty if nothing was recognised. */
  text: string;
  /** 0 if it was not understood; `text` is then the best guess. */
  confidence: number;
}

export interface Grammar {
  /** Expected phrases in plain words, for engines that accept a list. Undefined: any words. */
  readonly phrases: readonly string[] | undefined;
  /** Words that may surround them. */
  readonly fillerPhrases: readonly string[];
  interpret(recognized: RecognizedUtterance): Interpretation;
}

const listOf = (words: string): string[] => words.split(/, |,\n\s*/);

const YES = listOf(`yes, yeah, yep, yup, sure, okay, correct, right, absolutely, definitely, certainly, exactly,
  of course, yes please, sure thing, that is right, that's right, that's correct, that is correct, yes it is, yes i do,
  i do, affirmative, please do, ok`);
const NO = listOf(`no, nope, nah, never, negative, no thanks, no thank you, not really, no way, of course not,
  that's wrong, that's not right, not at all, absolutely not, incorrect, wrong`);
/** Sounds like an answer, but is not one. */
const UNDECIDED = ["i don't know", 'not sure', "i'm not sure", 'maybe', 'yes and no', 'no idea'];
const NO_ANSWER = '';
/** Confidence factor for each surrounding word that was not understood. */
const STRAY_COST = 0.85;
/** Words such as "I would like to talk to" before an answer do not lower its confidence. */
const MAX_STRAYS = 3;
/** Confidence factor for yes and no: a longer utterance probably means something else. */
const STRAY_COST_OF_ANSWER = 0.7;
/** Words around an answer that do not change it. */
const FILLERS = new Set(
  listOf(`er, um, uh, erm, please, the, a, i, i'd, like, want, would, to, thanks, thank, talk, speak, you, it, is, it's,
    my, number, well, oh, and, hi, hello, for, with, about, me`),
);

/** Common phrases around an answer: an engine that knows them reports fewer unknown words. */
const FILLER_PHRASES = ['please', 'i would like to', "i'd like to", 'i want to', 'talk to', 'thank you'];

interface SpokenPhrase {
  words: readonly string[];
  means: string;
}

export function grammarOf(options: Pick<ListenOptions, 'hints' | 'grammar'> & { language?: string }): Grammar {
  const { hints, grammar, language = 'en' } = options;
  if (hints.length === 0 && grammar === undefined) return freeSpeech;
  // The step reads the words of these grammars.
  if (grammar !== undefined && grammar !== 'digits' && grammar !== 'yes_no') {
    return { ...freeSpeech, phrases: vocabularyOf(grammar, language, hints) };
  }
  const more = heardLanguage(language)?.phrases;
  const forms = [
    ...hints.flatMap((hint) => spokenForms(hint).map((words): SpokenPhrase => ({ words, means: hint }))),
    ...(grammar === 'yes_no'
      ? [
          ...answers([...YES, ...(more?.yes ?? [])], 'yes'),
          ...answers([...NO, ...(more?.no ?? [])], 'no'),
          ...answers(UNDECIDED, NO_ANSWER),
        ]
      : []),
  ];
  const spoken = forms.map(({ words }) => words.join(' '));
  const understandPhrase = phraseFinder(forms, grammar === undefined ? STRAY_COST : STRAY_COST_OF_ANSWER);
  return {
    phrases: [...new Set([...spoken, ...(grammar === 'digits' ? DIGIT_PHRASES : [])])],
    fillerPhrases: hints.length > 0 ? FILLER_PHRASES : [],
    interpret(recognized) {
      const words = plain(recognized.words);
      const found = understandPhrase(words) ?? (grammar === 'digits' ? understandDigits(words) : undefined);
      return found ?? { text: textOf(recognized.words), confidence: 0 };
    },
  };
}

const freeSpeech: Grammar = {
  phrases: undefined,
  fillerPhrases: [],
  interpret({ words }) {
    return { text: textOf(words), confidence: mean(words) };
  },
};

const answers = (phrases: readonly string[], means: string): SpokenPhrase[] =>
  phrases.map((phrase) => ({ words: plainWords(phrase), means }));

/** Engines write punctuation, and sometimes several words as one. */
const plain = (words: readonly RecognizedWord[]): RecognizedWord[] =>
  words.flatMap((heard): RecognizedWord[] =>
    heard.word === undefined ? [heard] : plainWords(heard.word).map((word) => ({ ...heard, word })),
  );

function understandDigits(words: readonly RecognizedWord[]): Interpretation | undefined {
  const from = words.findIndex(
    (word) => digitsIn([word]) !== undefined || word.word === 'double' || word.word === 'triple',
  );
  if (from < 0) return undefined;
  let to = words.length;
  while (to > from && isStray(words[to - 1]!) && digitsIn([words[to - 1]!]) === undefined) to--;
  const before = words.slice(0, from);
  const digits = before.every(isStray) ? digitsIn(words.slice(from, to)) : undefined;
  if (digits === undefined) return undefined;
  return {
    text: digits,
    confidence: mean(words.slice(from, to)) * strayCost([...before, ...words.slice(to)], STRAY_COST_OF_ANSWER),
  };
}

function phraseFinder(
  forms: readonly SpokenPhrase[],
  cost: number,
): (words: readonly RecognizedWord[]) => Interpretation | undefined {
  // Compared without spaces, because engines and authors differ in compound words (check out, checkout).
  const byLetters = new Map<string, string>();
  for (const { words, means } of forms) {
    if (!byLetters.has(words.join(''))) byLetters.set(words.join(''), means);
  }
  const longest = 2 * Math.max(0, ...forms.map(({ words }) => words.length));

  /** Forty two for 42. */
  const spellOut = (words: readonly RecognizedWord[]): RecognizedWord[] =>
    words.flatMap((heard) =>
      heard.word !== undefined && /\d/.test(heard.word)
        ? (spokenForms(heard.word)[0] ?? []).map((word) => ({ ...heard, word }))
        : [heard],
    );

  /** Finds matches from left to right, the longest at each position. */
  const find = (words: readonly RecognizedWord[]): { found: Match[]; around: RecognizedWord[] } => {
    const found: Match[] = [];
    const around: RecognizedWord[] = [];
    let from = 0;
    while (from < words.length) {
      const match = matchAt(words, from);
      if (match) found.push(match);
      else around.push(words[from]!);
      from += match?.said.length ?? 1;
    }
    return { found, around };
  };

  const matchAt = (words: readonly RecognizedWord[], from: number): Match | undefined => {
    for (let to = Math.min(words.length, from + longest); to > from; to--) {
      const said = words.slice(from, to);
      const means = said.some(({ word }) => word === undefined)
        ? undefined
        : byLetters.get(said.map(({ word }) => word).join(''));
      if (means !== undefined) return { said, means };
    }
    return undefined;
  };

  return (written) => {
    const { found, around } = find(spellOut(written));
    const [first, ...more] = found;
    if (!first) return undefined;
    // Two different answers in one utterance count as none.
    if (first.means === NO_ANSWER || more.some(({ means }) => means !== first.means)) {
      return { text: textOf(written), confidence: 0 };
    }
    const said = found.flatMap((match) => match.said);
    return { text: first.means, confidence: mean(said) * strayCost(around, cost) };
  };
}

interface Match {
  said: readonly RecognizedWord[];
  means: string;
}

const isStray = ({ word }: RecognizedWord): boolean => word === undefined || FILLERS.has(word);

const strayCost = (words: readonly RecognizedWord[], each: number): number =>
  each ** Math.min(MAX_STRAYS, words.filter(({ word }) => word === undefined || !FILLERS.has(word)).length);

const mean = (words: readonly RecognizedWord[]): number =>
  words.length === 0 ? 0 : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;

const textOf = (words: readonly RecognizedWord[]): string =>
  words.flatMap(({ word }) => (word === undefined ? [] : [word])).join(' ');
