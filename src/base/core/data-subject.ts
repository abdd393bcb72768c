/**
 * Person whose data can be searched and deleted. Finds the person in stored texts: by a number in any spelling, a user name, a given name or an address. Most texts are
 * JSON, some with JSON inside, or encoded for URIs.
 */
export interface DataSubject {
  isIn(text: string): boolean;
  /** The text with a placeholder instead of the names of the person. */
  withoutThem(text: string): string;
}

/** Placeholder for a deleted person. */
export const FORGOTTEN = 'forgotten';

/**
 * A number with fewer digits is only found as a whole value, because such short digit sequences occur in other data.
 */
const MIN_DIGITS = 7;
const MAX_LENGTH = 256;

/**
 * Returns the reason why a name of a person is invalid. Valid: `+33 6 12 34 56 78`, `user:alice`, `name:Alice Martin`,
 * `sip:alice@phones.example`.
 */
export function dataSubjectProblem(written: string): string | undefined {
  if (written.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const [, kind, rest = ''] = /^\s*(user|name|sips?):(.*)$/isu.exec(written) ?? [];
  if (kind === undefined) return /^(?=.*\d)\s*(tel:)?\+?[\d\s().-]+$/i.test(written) ? undefined : NO_PERSON;
  return rest.trim() === '' ? NO_PERSON : undefined;
}

const NO_PERSON = 'must be a number, user:NAME, name:NAME or a SIP URI';

/** Matches any of these names, which belong to one person. */
export function dataSubjectOf(names: readonly string[]): DataSubject {
  const source = names.map(patternOf).join('|');
  const pattern = new RegExp(source, 'iu');
  return {
    isIn: (text) => pattern.test(text),
    withoutThem: (text) => text.replace(new RegExp(source, 'giu'), FORGOTTEN),
  };
}

function patternOf(written: string): string {
  const [, kind, rest = ''] = /^\s*(user|name|sips?):(.*)$/isu.exec(written) ?? [];
  if (kind !== undefined) {
    const name = rest.trim();
    return /^sips?$/i.test(kind) ? address(name) : wholeValue(spellings(name));
  }
  const digits = written.replace(/\D/g, '').replace(/^00/, '');
  if (digits.length >= MIN_DIGITS) return numberIn(digits);
  return wholeValue(`(?:\\+|%2b|00)?${digits}`);
}

/** Separators between digits; `(0)` occurs in numbers with a country code. */
const MARK = '(?:[\\s().\\-/]|\\(0\\)|%20|%2[89d]|\\\\u00a0)';

const numberIn = (digits: string): string => {
  const spread = [...digits].join(`${MARK}{0,3}`);
  return `(?<!\\d)(?:\\+|%2b|\\\\u002b|0${MARK}{0,3}0${MARK}{0,3})?${spread}(?!\\d)`;
};

/** A whole value, or the user part of an address. */
const wholeValue = (value: string): string =>
  `(?<=^|"|%22|(?:user|sips?|tel)(?::|%3a))(?:${value})(?=$|"|\\\\|%22|@|%40|;|%3b|>)`;

const address = (value: string): string => `(?<![\\p{L}\\p{N}._+-])(?:${spellings(value)})(?![\\p{L}\\p{N}_-])`;

/** The text as it is, in JSON, in JSON inside JSON, and in URIs. */
function spellings(text: string): string {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inInner = JSON.stringify(inJson).slice(1, -1);
  const all = [text, inJson, inInner, encodeURIComponent(text), encodeURI(text)];
  return [...new Set(all)].map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
}
