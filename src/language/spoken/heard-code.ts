/**
 * Reads a code of letters and digits that a caller keyed or said, in upper case without separators. Undefined if other
 * characters occur, or the code does not match its rules.
 *
 * A letter is keyed as `*`, its key, and its place on the key: `*21` is A, `*93` is Y. If the possible codes are known,
 * one press for each letter is enough.
 */
import { type HeardLanguage, heardLanguage, heardWords } from './heard-words.ts';

export interface CodeRules {
  min: number;
  max: number;
  /** True if a code of this form is accepted. */
  fits(code: string): boolean;
  /** The possible codes. */
  codes?: readonly string[] | undefined;
}

const KEYS: Readonly<Record<string, string>> = {
  ...{ 2: 'ABC', 3: 'DEF', 4: 'GHI', 5: 'JKL', 6: 'MNO', 7: 'PQRS', 8: 'TUV', 9: 'WXYZ' },
};
const MAX_SPOKEN_NUMBER = 99;

export const plainCode = (code: string): string => code.toUpperCase().replace(/[^0-9A-Z]/g, '');

/** Keys that a caller presses for a code if the codes are known. */
const keyedCode = (code: string): string =>
  [...plainCode(code)].map((letter) => Object.keys(KEYS).find((key) => KEYS[key]!.includes(letter)) ?? letter).join('');

/** Keys for a code, with a star before each letter. */
export const starredCode = (code: string): string =>
  [...plainCode(code)]
    .map((letter) => {
      const key = Object.keys(KEYS).find((each) => KEYS[each]!.includes(letter));
      return key === undefined ? letter : `*${key}${KEYS[key]!.indexOf(letter) + 1}`;
    })
    .join('');

/** `incomplete`: more keys are needed to know the code. */
export function codeFromKeys(typed: string, rules: CodeRules): { code: string } | 'incomplete' | undefined {
  const decoded = decodedKeys(typed);
  if (decoded === undefined) return undefined;
  if (rules.codes !== undefined && !typed.includes('*')) {
    const found = rules.codes.map(plainCode).filter((code) => keyedCode(code) === typed || code === typed);
    if (new Set(found).size === 1) return { code: found[0]! };
    return rules.codes.some((code) => keyedCode(code).startsWith(typed)) ? 'incomplete' : undefined;
  }
  if (decoded === 'incomplete') return decoded;
  if (accepts(decoded, rules)) return { code: decoded };
  return decoded.length < rules.max ? 'incomplete' : undefined;
}

export const accepts = (code: string, { min, max, fits, codes }: CodeRules): boolean =>
  code.length >= min && code.length <= max && fits(code) && (!codes || codes.some((each) => plainCode(each) === code));

function decodedKeys(typed: string): string | 'incomplete' | undefined {
  let code = '';
  for (let at = 0; at < typed.length; ) {
    if (typed[at] !== '*') {
      code += typed[at++];
      continue;
    }
    const [key, place] = [typed[at + 1], typed[at + 2]];
    if (key === undefined || place === undefined) return KEYS[key ?? '2'] === undefined ? undefined : 'incomplete';
    const letter = KEYS[key]?.[Number(place) - 1];
    if (letter === undefined) return undefined;
    code += letter;
    at += 3;
  }
  return code;
}

export function codeFromWords(said: string, language: string, rules: CodeRules): string | undefined {
  const reader = heardLanguage(language);
  const words = heardWords(said.replace(/[-_/.,]/g, ' '));
  const code = reader ? spelledCode(words, reader) : plainCode(said);
  return code !== undefined && accepts(code, rules) ? code : undefined;
}

/** B as in Bravo, double two, seven: B227. */
function spelledCode(words: readonly string[], reader: HeardLanguage): string | undefined {
  const { phrases, letters } = reader;
  let code = '';
  let times = 1;
  for (let at = 0; at < words.length; ) {
    const repeat = phraseAt(words, at, Object.keys(phrases.repeats));
    if (repeat !== undefined && letters.get(words.slice(at, at + 2).join('')) === undefined) {
      times = phrases.repeats[repeat]!;
      at += repeat.split(' ').length;
      continue;
    }
    const next = characterAt(words, at, reader);
    if (next) {
      code += next.text.repeat(times);
      at += next.words;
      times = 1;
      const example = phraseAt(words, at, phrases.spelled);
      // The example word repeats the letter.
      if (example !== undefined && /[A-Z]$/.test(code)) at += example.split(' ').length + 1;
      continue;
    }
    const word = words[at++]!;
    if (/^[0-9a-z]+$/.test(word) && /\d/.test(word)) code += word.toUpperCase();
    else if (!phrases.skip.includes(word) && !isWritten(word)) return undefined;
    else if (!phrases.skip.includes(word)) code += word.toUpperCase();
  }
  return times === 1 && code !== '' ? code : undefined;
}

/** Letters as engines write them together: AB12 is heard as `ab`, `12`. */
const isWritten = (word: string): boolean => /^[a-z]{2,4}$/.test(word) && !/[aeiou][a-z]*[aeiou]/.test(word);

function characterAt(
  words: readonly string[],
  at: number,
  { letters, number, phrases }: HeardLanguage,
): { text: string; words: number } | undefined {
  for (const count of [2, 1]) {
    const letter = at + count <= words.length ? letters.get(words.slice(at, at + count).join('')) : undefined;
    if (letter !== undefined) return { text: letter, words: count };
  }
  if (phrases.zero.includes(words[at]!)) return { text: '0', words: 1 };
  if (/^\d+$/.test(words[at]!)) return { text: words[at]!, words: 1 };
  for (let until = Math.min(words.length, at + 4); until > at; until--) {
    const found = number(words.slice(at, until), 0);
    if (found && found.value <= MAX_SPOKEN_NUMBER) return { text: String(found.value), words: found.words };
  }
  return undefined;
}

const phraseAt = (words: readonly string[], at: number, phrases: readonly string[]): string | undefined =>
  phrases.find((phrase) => phrase.split(' ').every((word, index) => words[at + index] === word));
