/** Content of the broadcast form and the request body made of it. Pure; used by `new-broadcast.tsx`. */
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { NEEDED } from '../shell/refusal.ts';

export interface BroadcastForm {
  name: string;
  flow: string;
  from: string;
  /** One number for each line. */
  numbers: string;
  callsPerSecond: string;
  atOnce: string;
  retries: string;
  retryAfter: string;
  /** Additional fields as JSON. They override the fields of the form. */
  more: string;
}

export const EMPTY_FORM: BroadcastForm = {
  ...{
    name: '',
    flow: '',
    from: '',
    numbers: '',
    callsPerSecond: '',
    atOnce: '',
    retries: '',
    retryAfter: '',
    more: '',
  },
};

export type Order = Record<string, Json>;

/** Validation errors, by field. */
export type Problems = Partial<Record<keyof BroadcastForm, string>>;

export function readOrder(form: BroadcastForm): { order: Order; problems?: undefined } | { problems: Problems } {
  const problems: Problems = {};
  const number = (field: 'callsPerSecond' | 'atOnce' | 'retries' | 'retryAfter'): number | undefined => {
    const written = form[field].trim();
    if (written === '') return undefined;
    const value = Number(written);
    if (Number.isFinite(value) && value >= 0) return value;
    problems[field] = t('Needs a number, 0 or more.');
    return undefined;
  };
  const pace = {
    calls_per_second: number('callsPerSecond'),
    max_concurrent: number('atOnce'),
    number_of_retries: number('retries'),
    interval_between_retries: number('retryAfter'),
  };
  if (form.flow === '') problems.flow = t('Choose a flow.');
  if (form.from.trim() === '') problems.from = NEEDED;
  const more = readMore(form.more);
  if (typeof more === 'string') problems.more = more;
  if (Object.keys(problems).length > 0 || typeof more === 'string') return { problems };
  const numbers = numbersIn(form.numbers);
  const { call_param: moreParameters, ...rest } = more;
  const parameters = { ...withoutGaps(pace), ...(isObject(moreParameters) ? moreParameters : {}) };
  return {
    order: {
      application_name: form.name.trim() === '' ? form.flow : form.name.trim(),
      from: form.from.trim(),
      flow: form.flow,
      ...(numbers.length > 0 && { broadcast_numbers_array: numbers }),
      ...(Object.keys(parameters).length > 0 && { call_param: parameters }),
      ...rest,
    },
  };
}

/** A choice of numbers to rehearse with: a count of generated ones, those of the broadcast, or what suits the form. */
export type RehearsedNumbers = number | 'given' | 'auto';

/** Generated numbers of a rehearsal without numbers of its own. */
export const GENERATED = 100;
/** Maximum number of numbers in a rehearsal. */
const MAX_REHEARSED = 10_000;

/** Count of generated numbers. Undefined if the given numbers are rehearsed. */
export function generatedCount(wanted: RehearsedNumbers, given: number): number | undefined {
  if (wanted === 'given') return undefined;
  if (wanted !== 'auto') return wanted;
  if (given === 0) return GENERATED;
  return given > MAX_REHEARSED ? MAX_REHEARSED : undefined;
}

/** Phone numbers of a pasted text: one for each line, separated by commas, or the first column of a table. */
export const numbersIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.split(/[,;\t]/)[0]!.trim())
    .filter((line) => line !== '');

function readMore(text: string): Order | string {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : t('Must be a JSON object, such as {"amd": true}.');
  } catch (error) {
    return t('Must be JSON: {message}.', { message: (error as Error).message });
  }
}

const isObject = (value: Json | undefined): value is Order =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutGaps = (values: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined));
