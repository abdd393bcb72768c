/**
 * A value in words of a language, for the function `$spoken` of expressions: `2026-12-24` as a date, `14:30` as a time,
 * `12.5` as an amount. In a language without number words, in the form that its readers write.
 */
import { SAY_AS } from '../ssml/interpret-as.ts';
import { sayAs } from './say-as.ts';
import { wordsFor } from './words.ts';

export const SPOKEN_TYPES: readonly string[] = Object.keys(SAY_AS);

const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:T|$)/;
const ISO_TIME = /^(?:\d{4}-\d{2}-\d{2}T)?(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/** `detail`: the currency (ISO 4217) of an amount, or the format of a date or time, as in SSML. */
export function spokenValue(value: string | number, type: string, detail: string | undefined, locale: string): string {
  switch (type) {
    case 'date':
      return spokenDate(String(value), detail, locale);
    case 'time':
      return spokenTime(String(value), detail, locale);
    case 'currency':
      return spokenAmount(value, detail, locale);
    default:
      return sayAs(
        typeof value === 'number' ? numberText(value, locale) : value,
        { interpretAs: type, format: detail },
        locale,
      );
  }
}

function spokenDate(text: string, format: string | undefined, locale: string): string {
  const iso = ISO_DATE.exec(text)?.[1];
  if (iso === undefined) return sayAs(text, { interpretAs: 'date', format }, locale);
  if (wordsFor(locale)) return sayAs(iso, { interpretAs: 'date', format: 'ymd' }, locale);
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${iso}T00:00:00Z`));
}

function spokenTime(text: string, format: string | undefined, locale: string): string {
  const iso = ISO_TIME.exec(text)?.[1];
  if (iso === undefined) return sayAs(text, { interpretAs: 'time', format }, locale);
  const clock = format ?? usualClock(locale);
  if (wordsFor(locale)) {
    return sayAs(clock === 'hms12' ? withHalf(iso) : iso, { interpretAs: 'time', format: clock }, locale);
  }
  const date = new Date(`1970-01-01T${iso}:00Z`);
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }).format(date);
}

/** 14:30: 2:30 pm */
function withHalf(iso: string): string {
  const hour = Number(iso.slice(0, 2));
  return `${hour % 12 || 12}${iso.slice(2)} ${hour < 12 ? 'am' : 'pm'}`;
}

/** Twelve hours where people say them so. In English, words for 24 hours are those of timetables. */
const usualClock = (locale: string): string =>
  locale.toLowerCase().startsWith('en') || new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12
    ? 'hms12'
    : 'hms24';

function spokenAmount(value: string | number, currency: string | undefined, locale: string): string {
  const number = Number(value);
  const isNumber = String(value).trim() !== '' && Number.isFinite(number);
  if (currency !== undefined && isNumber && !wordsFor(locale)) {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(number);
  }
  const text = isNumber ? numberText(number, locale) : String(value);
  return sayAs(currency === undefined ? text : `${text} ${currency}`, { interpretAs: 'currency' }, locale);
}

const numberText = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 10, numberingSystem: 'latn' }).format(
    value,
  );
