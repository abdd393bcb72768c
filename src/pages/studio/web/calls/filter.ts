/**
 * Query language for calls: `step:menu for>30s from:+33 -state:failed order`. All terms must match; a word without a
 * key is searched in all fields. Used by `call-list.tsx`.
 *
 * Invariants
 * - no function throws: an invalid term is a problem with its position, and the other terms still filter;
 * - a quoted term is literal; `-` negates a term.
 */

import { listText, t } from '../../../shared/web/words/translate.ts';
import type { CallRow } from '../call-rows/call-row.ts';
import { resultWords } from '../journal/result-words.ts';

export interface FilterProblem {
  /** Position of the term in the text. */
  from: number;
  to: number;
  message: string;
}

export interface CallFilterTerms {
  problems: FilterProblem[];
  /** Number of valid terms. */
  terms: number;
  /** `nowMs` is needed for the duration of live calls. */
  test(call: CallRow, nowMs: number): boolean;
}

type Test = (call: CallRow, nowMs: number) => boolean;

/** Fields that a word is searched in. A number also matches without its plus sign. */
const TEXTS: Readonly<Record<string, (call: CallRow) => readonly (string | undefined)[]>> = {
  from: ({ from }) => [from],
  to: ({ to }) => [to],
  flow: ({ flow }) => [flow],
  step: ({ step }) => [step],
  state: ({ state }) => [state],
  id: ({ id }) => [id],
  cause: ({ cause }) => (cause === undefined ? [] : [cause, resultWords(cause)]),
  broadcast: ({ broadcast }) => [broadcast],
  owner: ({ owner }) => [owner],
};
const AMOUNTS: Readonly<Record<string, (call: CallRow, nowMs: number) => number | undefined>> = {
  for: ({ startedMs, endedMs }, nowMs) => (endedMs ?? nowMs) - startedMs,
  ago: ({ startedMs }, nowMs) => nowMs - startedMs,
  quality: ({ mos }) => mos,
  silence: ({ silenceMs }) => silenceMs,
};
const CHOICES: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  is: {
    live: ({ endedMs }) => endedMs === undefined,
    ended: ({ endedMs }) => endedMs !== undefined,
    recorded: ({ isRecorded }) => isRecorded,
  },
  direction: {
    in: ({ direction }) => direction === 'in',
    out: ({ direction }) => direction === 'out',
  },
};
const DAY = 'day';
export const FILTER_KEYS = [...Object.keys(TEXTS), ...Object.keys(AMOUNTS), ...Object.keys(CHOICES), DAY];

const TERM = /-?(?:[a-z]+(?:[:<>]=?|>=|<=))?(?:"[^"]*"?|[^\s"]+)|\S+/gi;
const KEYED = /^(-?)([a-z]+)(:|<=|>=|<|>)(.*)$/is;
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Terms of a text, in their order. */
export const termsIn = (text: string): string[] => [...text.matchAll(TERM)].map(([term]) => term);

export function readFilter(text: string): CallFilterTerms {
  const problems: FilterProblem[] = [];
  const tests: Test[] = [];
  for (const { 0: term, index } of text.matchAll(TERM)) {
    const found = readTerm(term);
    if (typeof found === 'string') problems.push({ from: index, to: index + term.length, message: found });
    else tests.push(found);
  }
  return { problems, terms: tests.length, test: (call, nowMs) => tests.every((each) => each(call, nowMs)) };
}

/** Returns the test for a term, or an error message. */
function readTerm(term: string): Test | string {
  const keyed = KEYED.exec(term);
  if (keyed === null) {
    const isTurned = term.startsWith('-') && term.length > 1;
    const wanted = wordIn(isTurned ? term.slice(1) : term);
    const everywhere: Test = (call) => Object.values(TEXTS).some((textsOf) => isIn(wanted, textsOf(call)));
    return isTurned ? turned(everywhere) : everywhere;
  }
  const [, minus, written = '', sign = ':', rest = ''] = keyed;
  const key = written.toLowerCase();
  const found = testOf(key, sign, wordIn(rest));
  return typeof found === 'function' && minus === '-' ? turned(found) : found;
}

function testOf(key: string, sign: string, value: string): Test | string {
  if (Object.hasOwn(AMOUNTS, key)) return amountTest(key, sign, value);
  if (key === DAY) return dayTest(sign, value);
  if (value === '')
    return t('{key}: has no value; write for example {key}:{value}', { key, value: key === 'is' ? 'live' : 'menu' });
  if (Object.hasOwn(CHOICES, key)) {
    const choices = CHOICES[key]!;
    const chosen = Object.hasOwn(choices, value) ? choices[value] : undefined;
    return (
      chosen ??
      t('{key} is one of {keys}, not {value}', { key, keys: listText(Object.keys(choices), 'disjunction'), value })
    );
  }
  if (!Object.hasOwn(TEXTS, key)) return t('there is no {key}; there are {keys}', { key, keys: listText(FILTER_KEYS) });
  if (sign !== ':') return t('{key} takes ":", as in {key}:{value}', { key, value });
  return (call) => isIn(value, TEXTS[key]!(call));
}

function amountTest(key: string, sign: string, value: string): Test | string {
  const amount = key === 'quality' ? Number(value || Number.NaN) : millisecondsIn(value);
  if (Number.isNaN(amount))
    return key === 'quality'
      ? t('{key} takes a number from 1 to 4.5, as in {example}', { key, example: `${key}>3.5` })
      : t('{key} takes a time, as in {example}', { key, example: `${key}>30s` });
  if (sign === ':')
    return t('{key} is compared: {more} or {less}', { key, more: `${key}>${value}`, less: `${key}<${value}` });
  return (call, nowMs) => {
    const own = AMOUNTS[key]!(call, nowMs);
    if (own === undefined) return false;
    if (sign === '>') return own > amount;
    if (sign === '<') return own < amount;
    return sign === '>=' ? own >= amount : own <= amount;
  };
}

/** Days are those of the reader's time zone, as in the list. */
function dayTest(sign: string, value: string): Test | string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return t('day takes a date, as in day>=2026-11-30');
  return ({ startedMs }) => {
    const own = dayOf(startedMs);
    if (sign === ':') return own === value;
    if (sign === '>') return own > value;
    if (sign === '<') return own < value;
    return sign === '>=' ? own >= value : own <= value;
  };
}

/** `2026-11-30` */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The default unit is seconds. */
function millisecondsIn(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h|d)?$/.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number) * UNITS_MS[unit]!;
}

const wordIn = (text: string): string => text.replace(/^"|"$/g, '').toLowerCase();
const isIn = (wanted: string, texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text?.toLowerCase().includes(wanted));
const turned =
  (test: Test): Test =>
  (call, nowMs) =>
    !test(call, nowMs);
