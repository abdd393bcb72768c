/**
 * Finds somebody in what is kept: by their number in every spelling, as a user, by the name that they gave, by an address.
 * Texts are mostly JSON, some of it inside other JSON, or encoded for URIs.
 */
export interface Person {
  isIn(text: string): boolean;
  /** The text with another word in their place. */
  withoutThem(text: string): string;
}

/** In place of somebody who is forgotten. */
export const FORGOTTEN = 'forgotten';

/** With fewer digits a number is found as a whole value only: too many other things have such digits in them. */
const MIN_DIGITS = 7;
const MAX_LENGTH = 256;

/** `+33 6 12 34 56 78`, `user:alice`, `name:Alice Martin`, `sip:alice@phones.example`. What is wrong with it. */
export function personProblem(written: string): string | undefined {
  if (written.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const [, kind, rest = ''] = /^\s*(user|name|sips?):(.*)$/isu.exec(written) ?? [];
  if (kind === undefined) return /^(?=.*\d)\s*(tel:)?\+?[\d\s().-]+$/i.test(written) ? undefined : NO_PERSON;
  return rest.trim() === '' ? NO_PERSON : undefined;
}

const NO_PERSON = 'must be a number, user:NAME, name:NAME or a SIP URI';

/** All of these are names of one person. */
export function personOf(names: readonly string[]): Person {
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

/** What people and programs put between digits; `(0)` stands in numbers with a country code. */
const MARK = '(?:[\\s().\\-/]|\\(0\\)|%20|%2[89d]|\\\\u00a0)';

const numberIn = (digits: string): string => {
  const spread = [...digits].join(`${MARK}{0,3}`);
  return `(?<!\\d)(?:\\+|%2b|\\\\u002b|0${MARK}{0,3}0${MARK}{0,3})?${spread}(?!\\d)`;
};

/** A value of its own, or the user of an address. */
const wholeValue = (value: string): string =>
  `(?<=^|"|%22|(?:user|sips?|tel)(?::|%3a))(?:${value})(?=$|"|\\\\|%22|@|%40|;|%3b|>)`;

const address = (value: string): string => `(?<![\\p{L}\\p{N}._+-])(?:${spellings(value)})(?![\\p{L}\\p{N}_-])`;

/** As it is, in JSON, in JSON inside JSON, and in URIs. */
function spellings(text: string): string {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inInner = JSON.stringify(inJson).slice(1, -1);
  const all = [text, inJson, inInner, encodeURIComponent(text), encodeURI(text)];
  return [...new Set(all)].map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
}
