/** Formats a number in a language: voices read "2,5" in German, but read JSON's "2.5" there as "2 point 5". */

const MAX_FRACTION_DIGITS = 20;

/** Formats a number for speech, without grouping, because voices read groups of digits separately. */
export function spokenNumber(value: number | boolean, locale: string | undefined): string {
  if (typeof value === 'boolean' || Number.isSafeInteger(value) || locale === undefined) return String(value);
  const [supported = 'en'] = supportedOf(locale);
  return new Intl.NumberFormat(supported, {
    useGrouping: false,
    maximumFractionDigits: MAX_FRACTION_DIGITS,
    numberingSystem: 'latn',
  }).format(value);
}

/** An unknown locale must not make the prompt fail. */
function supportedOf(locale: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale);
  } catch {
    return [];
  }
}
