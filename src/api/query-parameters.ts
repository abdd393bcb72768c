/** Reads the query strings of lists: every parameter by a rule of its own, and none that nobody knows. */

import type { NumberQuery, NumberStatus } from '../calls/broadcast/broadcasts.ts';
import { defined } from '../core/json.ts';
import { ApiError } from './api-error.ts';

const LONGEST_VALUE = 1000;

/** What a text means; undefined: nothing. */
export type QueryParser<Value> = { parse(text: string): Value | undefined; expected: string };
type Readers<Query> = { readonly [Name in keyof Query]-?: QueryParser<NonNullable<Query[Name]>> };

export function readQuery<Query extends object>(
  url: string,
  { readers, defaults }: { readers: Readers<Query>; defaults: Query },
): Query {
  const query: Query = { ...defaults };
  const names = Object.keys(readers) as (keyof Query & string)[];
  const given = new URL(url, 'http://localhost').searchParams;
  for (const written of given.keys()) {
    if (names.some((name) => name === written)) continue;
    throw new ApiError('bad_request', `there is no parameter ${written.slice(0, 64)}`, {
      hint: `the parameters are ${names.join(', ')}`,
    });
  }
  for (const name of names) {
    const value = given.get(name);
    if (value === null || value.trim() === '') continue;
    const read = readers[name].parse(value.slice(0, LONGEST_VALUE));
    if (read === undefined) {
      throw new ApiError('bad_request', `${name} is not as it must be`, { hint: readers[name].expected });
    }
    query[name] = read;
  }
  return query;
}

const between = (least: number, most: number): QueryParser<number> => ({
  parse(text) {
    const digits = text.trim();
    // A zero in front is nobody's mistake, a row of them is.
    const isShort = /^\d+$/.test(digits) && digits.length <= String(most).length + 1;
    const value = isShort ? Number(digits) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  },
  expected: `${least} to ${most}`,
});

export const word = <Word extends string>(...words: Word[]): QueryParser<Word> => ({
  parse: (text) => words.find((one) => one === text.trim().toLowerCase()),
  expected: words.join(', '),
});

export const text: QueryParser<string> = { parse: (written) => written.trim(), expected: 'a text' };

/** A plus that was not written %2B arrives as a space. */
export const plusOf = (written: string): string => (written.startsWith(' ') ? `+${written.trim()}` : written.trim());

export const number: QueryParser<string> = { parse: plusOf, expected: 'a number' };

export interface PageQuery {
  limit: number;
  cursor?: string;
}

export const PAGE = { readers: { limit: between(1, 500), cursor: text }, defaults: { limit: 100 } as PageQuery };

/** `limit=0`: the totals alone. */
export const LARGEST_REPORT = 10_000;

interface ReportQuery {
  limit: number;
  cursor?: string;
  state?: NumberStatus;
  code?: 'success' | 'failed';
  reason?: string;
  number?: string;
}

const REPORT_READERS = {
  readers: {
    limit: between(0, LARGEST_REPORT),
    cursor: text,
    state: word('queued', 'ringing', 'connected', 'disconnected'),
    code: word('success', 'failed'),
    reason: text,
    number,
  },
  defaults: { limit: LARGEST_REPORT } as ReportQuery,
};

export function readReportQuery(url: string): NumberQuery {
  const { number, ...query } = readQuery(url, REPORT_READERS);
  return defined({ ...query, phone: number });
}

const STOP = { readers: { hangup: word('true', 'false') }, defaults: {} as { hangup?: 'true' | 'false' } };

export const readStopQuery = (url: string): boolean => readQuery(url, STOP).hangup === 'true';
