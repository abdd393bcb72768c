/**
 * Rows of a broadcast's numbers as stored by `broadcasts.lua`: short keys, and strings for values that the functions do
 * not read.
 */
import { defined, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Attempt, NumberRow, NumberState, Result } from '../../../calls/broadcast/broadcast.ts';

interface KeptRow {
  n: number;
  p: string;
  i?: string;
  s: NumberState;
  a: number;
  d: number;
  t: number;
  c?: string;
  r?: [code: Result['code'], reason: string, cause: string];
  an?: number;
  en?: number;
  ab?: NonNullable<Attempt['answeredBy']>;
  o?: string;
}

export function rowOf(text: string): NumberRow {
  const { n, p, i, s, a, d, t, c, r, an, en, ab, o } = JSON.parse(text) as KeptRow;
  const row = { number: n, phone: p, state: s, attempts: a, dueMs: d, changedMs: t, callId: c };
  const input = i === undefined ? undefined : (JSON.parse(i) as JsonObject);
  // While a number is being called, the result of its last call is not shown.
  if (s === 'calling') return defined<NumberRow>({ ...row, input });
  const result = r && defined<Result>({ code: r[0], reason: r[1], cause: r[2] === '' ? undefined : Number(r[2]) });
  const output = o === undefined ? undefined : (JSON.parse(o) as Json);
  return defined<NumberRow>({ ...row, input, result, answeredMs: an, endedMs: en, answeredBy: ab, output });
}

export const lastCallOf = ({ callId, answeredMs, endedMs, answeredBy, output }: Attempt): string =>
  JSON.stringify({
    c: callId,
    an: answeredMs === undefined ? undefined : Math.round(answeredMs),
    en: Math.round(endedMs),
    ab: answeredBy,
    o: output === undefined ? undefined : JSON.stringify(output),
  });
