/**
 * Translates the texts of the pages. The English text in the code is the key: without a translation it is shown itself.
 * Texts with values are messages of the ICU format: `{name}`, `{count, plural, one {# step} other {# steps}}`,
 * `<b>{name}</b>`. Texts without values are shown as they are written.
 *
 * Invariant: the language is set once, before the modules of a page are evaluated (`start-page.ts`), so that constants
 * may contain translated texts.
 */
import { IntlMessageFormat } from 'intl-messageformat';

/** English text → translation. */
export type Catalogue = Readonly<Record<string, string>>;
/** Values by their names in the text. */
export type TextValues = Readonly<Record<string, string | number>>;
/** Child of an element. Without the types of Preact, which would bring those of browsers into other code. */
export type TextNode = object | string | number | bigint | boolean | null | undefined;
/** Values that may be elements; a function draws what its tag contains. */
export type TextNodes = Readonly<Record<string, TextNode | ((content: TextNode) => TextNode)>>;

let catalogue: Catalogue = {};
let locale: string | undefined;
const formats = new Map<string, IntlMessageFormat>();

/** Sets the language of all texts, numbers and dates. The default locale is that of the system. */
export function setLanguage(texts: Catalogue, itsLocale?: string): void {
  catalogue = texts;
  locale = itsLocale;
  formats.clear();
}

/** The text in the reader's language. Throws if a value is missing. */
export function t(text: string, values?: TextValues): string {
  const translated = translationOf(text);
  return values === undefined ? translated : String(formatOf(translated).format(values));
}

/** Like `t`, for a sentence that contains elements. */
export function tNodes(text: string, nodes: TextNodes): TextNode {
  return formatOf(translationOf(text)).format(nodes as Record<string, never>) as TextNode;
}

/** `Call ## verb` has a note for translators, which tells two meanings of an English text apart. */
const NOTE = / ## .*$/;

const translationOf = (text: string): string =>
  Object.hasOwn(catalogue, text) ? catalogue[text]! : text.replace(NOTE, '');

function formatOf(text: string): IntlMessageFormat {
  let format = formats.get(text);
  if (format === undefined) {
    format = new IntlMessageFormat(text, locale ?? 'en');
    formats.set(text, format);
  }
  return format;
}

/** Locale for `Intl` and `toLocaleString`. Undefined: that of the system. */
export const pageLocale = (): string | undefined => locale;

/** `1,234` in the reader's language. */
export const numberText = (value: number): string => value.toLocaleString(locale);

/** `a, b and c` in the reader's language, or `a, b or c`. */
export const listText = (parts: Iterable<string>, type: 'conjunction' | 'disjunction' = 'conjunction'): string =>
  new Intl.ListFormat(locale ?? 'en', { type }).format(parts);

/** A label inside a sentence: `Opening hours` → `opening hours`. German nouns keep their capital letters. */
export const inSentence = (label: string): string =>
  locale?.startsWith('de') === true ? label : label.toLocaleLowerCase(locale);

/** `25 minutes ago` in the reader's language. */
export const agoText = (count: number, unit: 'day' | 'hour' | 'minute'): string =>
  new Intl.RelativeTimeFormat(locale ?? 'en').format(-count, unit);
