/** Changes single terms in the text of a filter, so that plain fields and the text agree. Pure; see `filter.ts`. */
import { termsIn } from './filter.ts';

/** Value of the first term with this key: `flow` in `flow:menu is:ended` is `menu`. */
export function termValue(text: string, key: string, sign = ':'): string {
  const found = termsIn(text).find((term) => term.startsWith(key + sign));
  return found?.slice(key.length + sign.length).replaceAll('"', '') ?? '';
}

/** Replaces the term with this key. An empty value removes it. All other terms keep their places. */
export function withValue(text: string, key: string, value: string, sign = ':'): string {
  const written = /\s/.test(value) ? `"${value}"` : value;
  return replaced(text, (term) => term.startsWith(key + sign), value === '' ? undefined : `${key}${sign}${written}`);
}

/** The one of these terms that the text has, or an empty text. */
export const chosenOf = (text: string, among: readonly string[]): string =>
  termsIn(text).find((term) => among.includes(term)) ?? '';

/** Puts one of these terms in place of the others. */
export const withChosen = (text: string, among: readonly string[], chosen: string): string =>
  replaced(text, (term) => among.includes(term), chosen === '' ? undefined : chosen);

function replaced(text: string, isOld: (term: string) => boolean, next: string | undefined): string {
  const terms = termsIn(text);
  const at = terms.findIndex(isOld);
  const rest = terms.map((term, index) => (index === at ? next : isOld(term) ? undefined : term));
  return [...rest, at < 0 ? next : undefined].filter((term) => term !== undefined).join(' ');
}
