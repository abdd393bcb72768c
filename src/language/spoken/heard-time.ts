/**
 * Reads a time of day that a caller keyed or said, as `14:30`. Undefined if it is not a time, or outside of the
 * accepted period. A time that may be before or after noon is chosen so that it is in the period.
 */
import { type HeardLanguage, heardLanguage, heardWords } from './heard-words.ts';

export interface TimeRules {
  /** `HH:MM`, as is `latest`. */
  earliest?: string | undefined;
  latest?: string | undefined;
}

interface Clock {
  /** Minutes since midnight. */
  minutes: number;
  /** True if it may also be meant twelve hours later. */
  isOpen: boolean;
}

const HOUR = 60;
const NOON = 12 * HOUR;
const DAY = 24 * HOUR;

/** Reads `1430`, `930`, `9`, and `9*30` with a separator. */
export function timeFromKeys(typed: string, rules: TimeRules): string | undefined {
  const match = typed.includes('*') ? /^(\d{1,2})\*(\d{1,2})$/.exec(typed) : /^(\d{1,2}?)(\d{2})?$/.exec(typed);
  return match ? chosen(clockOf(match[1]!, match[2]), rules) : undefined;
}

export function timeFromWords(said: string, language: string, rules: TimeRules): string | undefined {
  const reader = heardLanguage(language);
  const words = heardWords(said.replace(/(\d)\s?[:.h]\s?(\d{2})\b/gi, '$1h$2'));
  const { rest, half } = reader ? withoutHalf(words, reader) : { rest: words, half: undefined };
  const clock = writtenTime(rest, said) ?? (reader && spokenTime(rest, reader));
  if (!clock) return undefined;
  return half ? chosen(inHalf(clock, half), rules) : chosen(clock, rules);
}

function clockOf(hours: string, minutes = '0'): Clock | undefined {
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (hour >= 24 || minute >= HOUR) return undefined;
  // A leading zero is the 24-hour clock.
  return { minutes: hour * HOUR + minute, isOpen: hour > 0 && hour <= 12 && !hours.startsWith('0') };
}

/** The time, or the same time twelve hours away if only that is in the period. */
function chosen(clock: Clock | undefined, { earliest = '00:00', latest = '24:00' }: TimeRules): string | undefined {
  if (!clock) return undefined;
  const both = clock.isOpen ? [clock.minutes, (clock.minutes + NOON) % DAY] : [clock.minutes];
  return both.map(textOf).find((text) => text >= earliest && text <= latest);
}

const textOf = (minutes: number): string =>
  [Math.floor(minutes / HOUR), minutes % HOUR].map((part) => String(part).padStart(2, '0')).join(':');

// Words

/** 14:30, 2h30, 9: as engines write times. */
function writtenTime(words: readonly string[], said: string): Clock | undefined {
  const match = /(?<!\d)(\d{1,2})(?:\s?[:.h]\s?(\d{2}))(?!\d)/i.exec(said);
  if (match) return clockOf(match[1]!, match[2]);
  const [only, ...others] = words.filter((word) => /^\d+$/.test(word));
  return only !== undefined && others.length === 0 && words.length === 1 && only.length <= 2
    ? clockOf(only)
    : undefined;
}

interface DayPart {
  from: number;
  until: number;
}

/** Removes the words for a part of the day: in the evening. */
function withoutHalf(words: readonly string[], { phrases }: HeardLanguage): { rest: string[]; half?: DayPart } {
  const text = words.filter((word) => !phrases.skip.includes(word)).join(' ');
  for (const [phrase, [from, until]] of Object.entries(phrases.halves)) {
    const core = phrase
      .split(' ')
      .filter((word) => !phrases.skip.includes(word))
      .join(' ');
    if (!` ${text} `.endsWith(` ${core} `) || text === core) continue;
    const rest = text.slice(0, -core.length).trim().split(' ');
    return { rest, half: { from: from! * HOUR, until: until! * HOUR } };
  }
  return { rest: text.split(' ') };
}

/** Half past two in the afternoon: 14:30; twelve at night: 00:00. */
function inHalf({ minutes, isOpen }: Clock, { from, until }: DayPart): Clock | undefined {
  const isIn = (each: number): boolean => (each >= from && each < until) || (each + DAY >= from && each + DAY < until);
  const both = isOpen ? [minutes, (minutes + NOON) % DAY] : [minutes];
  const found = both.find(isIn);
  return found === undefined ? undefined : { minutes: found, isOpen: false };
}

function spokenTime(words: readonly string[], reader: HeardLanguage): Clock | undefined {
  const { skip, joins, moments, times } = reader.phrases;
  const kept = words.filter((word) => !skip.includes(word));
  const moment = Object.keys(moments).find((each) => each === kept.join(' '));
  if (moment !== undefined) return { ...clockOf(...(moments[moment]!.split(':') as [string, string]))!, isOpen: false };
  for (const [template, offset] of Object.entries(times)) {
    const pattern = template.split(' ').filter((word) => !skip.includes(word));
    const found = matched(kept, pattern, reader) ?? matched(without(kept, joins), without(pattern, joins), reader);
    const clock = found && clockAt(found, offset);
    if (clock) return clock;
  }
  return undefined;
}

const without = (words: readonly string[], left: readonly string[]): string[] =>
  words.filter((word) => !left.includes(word));

interface Said {
  hour: number;
  minute: number;
}

/** Numbers of `{h}` and `{m}` if all words fit the pattern. */
function matched(words: readonly string[], pattern: readonly string[], reader: HeardLanguage): Said | undefined {
  const said: Said = { hour: 0, minute: 0 };
  let at = 0;
  for (const part of pattern) {
    if (part !== '{h}' && part !== '{m}') {
      if (words[at++] !== part) return undefined;
      continue;
    }
    const number = at < words.length ? reader.number(words, at) : undefined;
    if (!number) return undefined;
    said[part === '{h}' ? 'hour' : 'minute'] = number.value;
    at += number.words;
  }
  return at === words.length ? said : undefined;
}

function clockAt({ hour, minute }: Said, offset: number | string): Clock | undefined {
  if (hour >= 24 || minute >= HOUR || (offset === 'u' && minute >= 10)) return undefined;
  const shift = typeof offset === 'number' ? offset : offset === '-m' ? -minute : minute;
  return { minutes: (hour * HOUR + shift + DAY) % DAY, isOpen: hour > 0 && hour <= 12 };
}
