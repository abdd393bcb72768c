/** Languages of the pages, and the one that a person reads: chosen in this browser, or the first of the browser. */

export interface PageLanguage {
  /** BCP 47 code, which names the file of its texts. */
  code: string;
  /** Name in the language itself. */
  name: string;
  direction: 'ltr' | 'rtl';
  /** Locale of numbers and dates. Default: the code. */
  locale?: string;
}

export const ENGLISH: PageLanguage = { code: 'en', name: 'English', direction: 'ltr' };

export const LANGUAGES: readonly PageLanguage[] = [
  ENGLISH,
  { code: 'de', name: 'Deutsch', direction: 'ltr' },
  { code: 'fr', name: 'Français', direction: 'ltr' },
  // The digits are those of telephone keys.
  { code: 'ar', name: 'العربية', direction: 'rtl', locale: 'ar-u-nu-latn' },
];

const STORED = 'callweave-language';
const codeOf = (tag: string): string => tag.toLowerCase().split('-')[0]!;

/** The first language of the list that the pages have. Default: English. */
export const languageFor = (tags: readonly string[]): PageLanguage =>
  tags.flatMap((tag) => LANGUAGES.filter(({ code }) => code === codeOf(tag)))[0] ?? ENGLISH;

/** Locale of numbers and dates: the reader's own variety of the language, if the browser names one. */
export const localeFor = ({ code, locale }: PageLanguage, tags: readonly string[]): string =>
  locale ?? tags.find((tag) => codeOf(tag) === code) ?? code;

/** Code of the language that was chosen in this browser. Undefined if the browser's language decides. */
export function chosenLanguage(): string | undefined {
  try {
    const stored = localStorage.getItem(STORED);
    return LANGUAGES.find(({ code }) => code === stored)?.code;
  } catch {
    // Browsers can refuse storage.
    return undefined;
  }
}

/** Keeps the choice; undefined lets the browser's language decide again. It is in force when a page is loaded next. */
export function keepLanguage(code: string | undefined): void {
  try {
    if (code === undefined) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, code);
  } catch {
    // The browser's language then remains.
  }
}
