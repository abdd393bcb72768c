/** Content of the broadcast form and the request body made of it. Pure; used by `new-broadcast.tsx`. */
import type { Json } from '../../../../base/core/json.ts';

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
    problems[field] = 'must be a number';
    return undefined;
  };
  const pace = {
    calls_per_second: number('callsPerSecond'),
    max_concurrent: number('atOnce'),
    number_of_retries: number('retries'),
    interval_between_retries: number('retryAfter'),
  };
  if (form.flow === '') problems.flow = 'must be chosen';
  if (form.from.trim() === '') problems.from = 'must be given';
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
    return isObject(value) ? value : 'must be a JSON object: {"amd": true}';
  } catch (error) {
    return `must be JSON: ${(error as Error).message}`;
  }
}

const isObject = (value: Json | undefined): value is Order =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutGaps = (values: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined));
