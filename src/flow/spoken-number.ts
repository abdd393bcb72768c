/** A number as it is written in a language: voices read "2,5" in German, and "2 point 5" of what JSON writes. */

const MAX_FRACTION_DIGITS = 20;

/** Formats a number for speech, without grouping: voices read groups of digits apart. */
export function spokenNumber(value: number | boolean, locale: string | undefined): string {
  if (typeof value === 'boolean' || Number.isSafeInteger(value) || locale === undefined) return String(value);
  const [supported = 'en'] = supportedOf(locale);
  return new Intl.NumberFormat(supported, {
    useGrouping: false,
    maximumFractionDigits: MAX_FRACTION_DIGITS,
    numberingSystem: 'latn',
  }).format(value);
}

/** A locale that nobody knows is not a reason to be silent. */
function supportedOf(locale: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale);
  } catch {
    return [];
  }
}
