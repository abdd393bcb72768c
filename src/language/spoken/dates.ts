/** Dates, times and durations in words. Undefined if the text is not of this type. */
import { SAY_AS } from '../ssml/interpret-as.ts';
import { counted, type NumberWords, type UnitNames } from './words.ts';

const DATE_FORMATS = SAY_AS['date'] as readonly string[];

/** Default order of date parts in the language. */
export const usualOrder = (language: string): 'mdy' | 'dmy' => (language.toLowerCase() === 'en-us' ? 'mdy' : 'dmy');

interface DateParts {
  day?: number;
  month?: number;
  year?: string;
}

/** `24/12/2026`, `2026-12-24`, `24.12.`, `24122026`, `24 December 2026`. */
export function date(
  text: string,
  format: string | undefined,
  words: NumberWords,
  language: string,
): string | undefined {
  const parts = readDate(text.trim(), format, words.language, language);
  if (!parts) return undefined;
  const { day, month, year } = parts;
  if (day !== undefined && (day < 1 || day > 31)) return undefined;
  if (month !== undefined && (month < 1 || month > 12)) return undefined;
  const monthName = month === undefined ? undefined : nameOfMonth(month, words.language);
  const yearName = year === undefined ? undefined : spokenYear(year, words);
  return arrange(day, monthName, yearName, words, language);
}

function readDate(text: string, format: string | undefined, base: string, language: string): DateParts | undefined {
  const known = DATE_FORMATS.find((name) => name === format?.toLowerCase());
  const order = known ?? (/^\d{4}\D\d{1,2}\D\d{1,2}$/.test(text) ? 'ymd' : usualOrder(language));
  const fields = fieldsOf(text, order, base);
  if (fields?.length !== order.length) return undefined;
  const parts: DateParts = {};
  for (const [index, letter] of [...order].entries()) {
    const field = fields[index]!;
    if (letter === 'y') {
      if (field.length > 4 || field.length === 3) return undefined;
      parts.year = field;
    } else if (field.length > 2) {
      return undefined;
    } else if (letter === 'm') parts.month = Number(field);
    else parts.day = Number(field);
  }
  return parts;
}

function fieldsOf(text: string, order: string, language: string): string[] | undefined {
  let plain = text;
  const lower = text.toLowerCase();
  for (let month = 1; month <= 12; month++) {
    const name = [nameOfMonth(month, language), nameOfMonth(month, language, 'short').replace(/\.$/, '')].find((word) =>
      lower.includes(word.toLowerCase()),
    );
    if (name === undefined) continue;
    const at = lower.indexOf(name.toLowerCase());
    plain = `${text.slice(0, at)} ${month} ${text.slice(at + name.length)}`;
    break;
  }
  if (/^\d+$/.test(plain) && order.length > 1) {
    // Without separators, parts are found by their widths: 24122026, 0312, 202612.
    const widths = [...order].map((letter) => (letter === 'y' ? plain.length - 2 * (order.length - 1) : 2));
    const sum = widths.reduce((sum, width) => sum + width, 0);
    if (sum !== plain.length || widths.some((width) => width !== 2 && width !== 4)) return undefined;
    let at = 0;
    return widths.map((width) => {
      at += width;
      return plain.slice(at - width, at);
    });
  }
  const fields = plain.replace(/(\d)(st|nd|rd|th|er|º|ª|°)\b/gi, '$1').match(/\d+/g);
  return fields &&
    /^[\s\d./\-,:]*$/.test(
      plain.replace(/\b(of|de|del|di|st|nd|rd|th|er)\b|[º°ª]/gi, '').replace(/(\d)(st|nd|rd|th|er)/gi, '$1'),
    )
    ? fields
    : undefined;
}

function arrange(
  day: number | undefined,
  month: string | undefined,
  year: string | undefined,
  words: NumberWords,
  language: string,
): string {
  const joined = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join(' ');
  const dayName = day === undefined ? undefined : spokenDay(day, words);
  if (words.language === 'es') return [dayName, month, year].filter((part) => part !== undefined).join(' de ');
  if (words.language !== 'en' || day === undefined || month === undefined) return joined(dayName, month, year);
  const front = language.toLowerCase() === 'en-us' ? `${month} ${dayName}` : `the ${dayName} of ${month}`;
  return year === undefined ? front : `${front}, ${year}`;
}

/** Day of a month: an ordinal in English and German; in other languages a cardinal, except for the first. */
function spokenDay(day: number, words: NumberWords): string {
  if (words.language === 'de') return `${words.ordinal(day)}r`;
  return words.language === 'en' || day === 1 ? words.ordinal(day) : words.cardinal(day);
}

/** 1999 → nineteen ninety-nine, neunzehnhundertneunundneunzig; 2026 → twenty twenty-six; 05 → oh five. */
function spokenYear(year: string, words: NumberWords): string {
  const number = Number(year);
  if (year.length === 2) {
    if (words.language !== 'en' || number >= 10) return words.cardinal(number);
    return number === 0 ? 'two thousand' : `oh ${words.cardinal(number)}`;
  }
  const [century, rest] = [Math.floor(number / 100), number % 100];
  if (words.language === 'en' && number >= 1000 && !(number >= 2000 && number < 2010)) {
    if (rest === 0) return number % 1000 === 0 ? words.cardinal(number) : `${words.cardinal(century)} hundred`;
    const late = rest < 10 ? `oh ${words.cardinal(rest)}` : words.cardinal(rest);
    return `${words.cardinal(century)} ${late}`;
  }
  if (words.language === 'de' && number >= 1100 && number < 2000) {
    return `${words.cardinal(century)}hundert${rest === 0 ? '' : words.cardinal(rest)}`;
  }
  return words.cardinal(number);
}

const monthNames = new Map<string, string>();

function nameOfMonth(month: number, language: string, width: 'long' | 'short' = 'long'): string {
  const key = `${language} ${width} ${month}`;
  const known = monthNames.get(key);
  if (known !== undefined) return known;
  const name = new Intl.DateTimeFormat(language, { month: width, timeZone: 'UTC' }).format(
    Date.UTC(2026, month - 1, 15),
  );
  monthNames.set(key, name);
  return name;
}

/** `14:05:30`, `2:05 pm`, `1405`, `2pm`. */
export function time(text: string, format: string | undefined, words: NumberWords): string | undefined {
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(?:[:.m](\d{2}))?s?\s*([ap])?\.?\s*(?:m\.?)?$/i.exec(spread(text.trim()));
  if (!match) return undefined;
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map((field) => Number(field ?? 0));
  const half = match[4]?.toLowerCase();
  if (hour > 24 || minute > 59 || second > 59 || (half !== undefined && (hour < 1 || hour > 12))) return undefined;
  const hour24 = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  const twelve = format?.toLowerCase() === 'hms12' || (format === undefined && half !== undefined);
  if (!twelve) return time24(hour24, minute, second, words);
  const isClear = hour > 12 || hour === 0;
  const found = half ?? (isClear ? (hour24 >= 12 && hour24 < 24 ? 'p' : 'a') : undefined);
  return time12(hour24, minute, second, found, words);
}

/** `1405` → `14:05` */
const spread = (text: string): string =>
  text.replace(/^(\d{2})(\d{2})(\d{2})?$/, (_, h, m, s) => `${h}:${m}${s === undefined ? '' : `:${s}`}`);

function time24(hour: number, minute: number, second: number, words: NumberWords): string {
  const count = (number: number, unit: UnitNames) => counted(words, number, unit);
  const tail = second === 0 ? '' : ` ${words.and} ${count(second, words.seconds)}`;
  switch (words.language) {
    case 'en':
      if (minute === 0) return `${hour < 10 ? 'zero ' : ''}${words.cardinal(hour)} hundred hours${tail}`;
      return `${words.cardinal(hour)} ${minute < 10 ? 'oh ' : ''}${words.cardinal(minute)}${tail}`;
    case 'de':
      return `${hour === 1 ? 'ein' : words.cardinal(hour)} Uhr${minute === 0 ? '' : ` ${words.cardinal(minute)}`}${tail}`;
    case 'fr':
      return `${count(hour, words.hours)}${minute === 0 ? '' : ` ${words.cardinal(minute, true)}`}${tail}`;
    case 'es':
      return `${count(hour, words.hours)}${minute === 0 ? '' : ` ${words.and} ${count(minute, words.minutes)}`}${tail}`;
    default:
      return `ore ${words.cardinal(hour, true)}${minute === 0 ? '' : ` ${words.and} ${words.cardinal(minute)}`}${tail}`;
  }
}

const DAY_PARTS: Readonly<Record<string, (hour: number) => string>> = {
  de: (hour) => (hour < 5 ? 'nachts' : hour < 12 ? 'morgens' : hour < 18 ? 'nachmittags' : 'abends'),
  es: (hour) => (hour < 12 ? 'de la mañana' : hour < 20 ? 'de la tarde' : 'de la noche'),
  fr: (hour) => (hour < 12 ? 'du matin' : hour < 18 ? "de l'après-midi" : 'du soir'),
  it: (hour) => (hour < 12 ? 'di mattina' : hour < 18 ? 'del pomeriggio' : 'di sera'),
};

/** Without `half`, am or pm is omitted. */
function time12(hour24: number, minute: number, second: number, half: string | undefined, words: NumberWords): string {
  const hour = hour24 % 12 === 0 ? 12 : hour24 % 12;
  const tail = second === 0 ? '' : ` ${words.and} ${counted(words, second, words.seconds)}`;
  if (words.language === 'en') {
    const full = half === undefined ? " o'clock" : '';
    const late = minute === 0 ? full : ` ${minute < 10 ? 'oh ' : ''}${words.cardinal(minute)}`;
    return `${words.cardinal(hour)}${late}${tail}${half === undefined ? '' : half === 'a' ? ' AM' : ' PM'}`;
  }
  const part = half === undefined ? '' : ` ${DAY_PARTS[words.language]!(hour24)}`;
  if (words.language !== 'es') return `${time24(hour, minute, second, words)}${part}`;
  const late = minute === 0 ? '' : ` ${words.and} ${words.cardinal(minute)}`;
  return `${words.cardinal(hour, true)}${late}${tail}${part}`;
}

/**
 * `01:18:30`, `1h18m30s`, `18'30"`. Without a format, three fields are hours, minutes and seconds, and two are minutes
 * and seconds.
 */
export function duration(text: string, format: string | undefined, words: NumberWords): string | undefined {
  const named = /^(?:(\d{1,6})\s*h)?\s*(?:(\d{1,6})\s*(?:m|min|'))?\s*(?:(\d{1,6})\s*(?:s|sec|"|''))?$/i.exec(
    text.trim(),
  );
  let fields: (number | undefined)[];
  if (named && /\D/.test(text)) {
    fields = named.slice(1).map((field) => (field === undefined ? undefined : Number(field)));
  } else {
    const numbers = /^\d{1,6}(?:[:.]\d{1,6}){0,2}$/.test(text.trim())
      ? text.trim().split(/[:.]/).map(Number)
      : undefined;
    const order = format?.toLowerCase() ?? (numbers?.length === 3 ? 'hms' : 'ms');
    if (!numbers || numbers.length !== order.length) return undefined;
    fields = ['h', 'm', 's'].map((letter) => (order.includes(letter) ? numbers[order.indexOf(letter)] : undefined));
  }
  const units = [words.hours, words.minutes, words.seconds];
  const said = fields.flatMap((field, index) =>
    field === undefined || field === 0 ? [] : [counted(words, field, units[index]!)],
  );
  if (said.length === 0) return fields.some((field) => field === 0) ? counted(words, 0, words.seconds) : undefined;
  const last = said.pop()!;
  return said.length === 0 ? last : `${said.join(', ')} ${words.and} ${last}`;
}
