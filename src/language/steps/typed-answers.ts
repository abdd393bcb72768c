/**
 * Answers of a type: a date, a time, an amount or a code, keyed or spoken in the language of the step. `spoken` reads
 * them; here are their rules from the arguments of `collect`, and their status while the caller presses keys.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { ListenOptions } from '../../base/core/leg.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { decimalsOf } from '../flow/money.ts';
import { dayIn } from '../spoken/calendar.ts';
import { usualOrder } from '../spoken/dates.ts';
import { amountFromKeys, amountFromWords } from '../spoken/heard-amount.ts';
import { type CodeRules, codeFromKeys, codeFromWords } from '../spoken/heard-code.ts';
import { type DateRules, dateFromKeys, dateFromWords } from '../spoken/heard-date.ts';
import { timeFromKeys, timeFromWords } from '../spoken/heard-time.ts';
import { spokenValue } from '../spoken/spoken-value.ts';
import type { CallerInput, DigitsStatus } from './ask.ts';
import type { StepContext } from './step.ts';
import type { CollectArgs } from './verb-types.ts';

type AnswerType = 'date' | 'time' | 'amount' | 'code';
type AnswerValue = string | number;

export interface TypedAnswer {
  type: AnswerType;
  terminator: string;
  status(typed: string): DigitsStatus;
  fromKeys(typed: string): AnswerValue | undefined;
  fromWords(said: string): AnswerValue | undefined;
  grammar: NonNullable<ListenOptions['grammar']>;
  /** The value in words of the language. */
  inWords(value: AnswerValue): string;
}

type Context = Pick<StepContext<CollectArgs>, 'input' | 'locale' | 'timezone' | 'wallMs'>;

/** Date of eight keys, time of four. */
const FULL_DATE = 8;
const MAX_DATE_KEYS = 10;
const FULL_TIME = 4;
const MAX_AMOUNT_KEYS = 13;
const TERMINATOR = '#';

/** Undefined if the step asks for digits or free speech. */
export function typedAnswer(context: Context): TypedAnswer | undefined {
  const { date, time, amount, code } = context.input;
  if (date) return dateAnswer(context, date);
  if (time) return timeAnswer(context, time);
  if (amount) return amountAnswer(context, amount);
  return code && codeAnswer(context, code);
}

function dateAnswer(context: Context, given: NonNullable<CollectArgs['date']>): TypedAnswer {
  const { locale, timezone } = context;
  const language = languageOf(context);
  const { order = usualOrder(locale), range, earliest, latest } = given;
  const rules: DateRules = { order, range, earliest, latest, today: dayIn(timezone, context.wallMs()) };
  const fromKeys = (typed: string) => dateFromKeys(typed, rules);
  return {
    type: 'date',
    terminator: TERMINATOR,
    grammar: 'date',
    fromKeys,
    fromWords: (said) => dateFromWords(said, language, rules),
    status: (typed) => {
      const digits = typed.replaceAll('*', '').length;
      const isFull = digits >= FULL_DATE || typed.length >= MAX_DATE_KEYS;
      return statusOf(fromKeys(typed) !== undefined, isFull);
    },
    inWords: (value) => spokenValue(value, 'date', undefined, locale),
  };
}

function timeAnswer(context: Context, given: NonNullable<CollectArgs['time']>): TypedAnswer {
  const { locale } = context;
  const language = languageOf(context);
  const fromKeys = (typed: string) => timeFromKeys(typed, given);
  return {
    type: 'time',
    terminator: TERMINATOR,
    grammar: 'time',
    fromKeys,
    fromWords: (said) => timeFromWords(said, language, given),
    status: (typed) => statusOf(fromKeys(typed) !== undefined, typed.replace('*', '').length >= FULL_TIME),
    inWords: (value) => spokenValue(value, 'time', undefined, locale),
  };
}

function amountAnswer(context: Context, given: NonNullable<CollectArgs['amount']>): TypedAnswer {
  const { locale } = context;
  const language = languageOf(context);
  const { currency, min, max } = given;
  const decimals = currency === undefined ? 2 : decimalsOf(currency);
  const rules = { decimals, currency, min, max };
  const fromKeys = (typed: string) => amountFromKeys(typed, rules);
  return {
    type: 'amount',
    terminator: TERMINATOR,
    grammar: 'amount',
    fromKeys,
    fromWords: (said) => amountFromWords(said, language, rules),
    status: (typed) => {
      const part = typed.split('*')[1];
      const isFull = (part !== undefined && part.length >= decimals) || typed.length >= MAX_AMOUNT_KEYS;
      return statusOf(fromKeys(typed) !== undefined, isFull);
    },
    inWords: (value) => spokenValue(value, 'currency', currency, locale),
  };
}

function codeAnswer(context: Context, given: NonNullable<CollectArgs['code']>): TypedAnswer {
  const { locale } = context;
  const language = languageOf(context);
  const { min, max, length, pattern, one_of: codes } = given;
  // Anchored, because a JSON Schema pattern matches anywhere in the text.
  const mismatch = pattern === undefined ? () => undefined : compileCheck({ pattern: `^(?:${pattern})$` });
  const rules: CodeRules = {
    min: length ?? min,
    max: length ?? max,
    codes,
    fits: (text) => mismatch(text) === undefined,
  };
  const read = (typed: string) => codeFromKeys(typed, rules);
  return {
    type: 'code',
    terminator: TERMINATOR,
    grammar: 'code',
    fromKeys(typed) {
      const found = read(typed);
      return typeof found === 'object' ? found.code : undefined;
    },
    fromWords: (said) => codeFromWords(said, language, rules),
    status(typed) {
      const found = read(typed);
      if (found === 'incomplete') return 'more';
      return found === undefined ? 'wrong' : statusOf(true, found.code.length >= rules.max || codes !== undefined);
    },
    inWords: (value) => spokenValue(value, 'characters', undefined, locale),
  };
}

const languageOf = ({ input, locale }: Context): string => input.speech?.language ?? locale;

function statusOf(isValue: boolean, isFull: boolean): DigitsStatus {
  if (isFull) return isValue ? 'complete' : 'wrong';
  return isValue ? 'enough' : 'more';
}

/** Result of the step: the value, its words, and what the caller pressed or said. */
export function withValue(typed: TypedAnswer, input: CallerInput): JsonObject {
  const value = 'speech' in input ? typed.fromWords(input.speech) : typed.fromKeys(input.digits);
  if (value === undefined) throw new Error('an answer was accepted that has no value');
  return { [typed.type]: value, spoken: typed.inWords(value), ...input };
}
