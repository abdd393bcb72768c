import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { starredCode } from '../../language/spoken/heard-code.ts';
import { type Action, type Moment, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { press, pressWrong, say, sayWrong, silence, strangeKey } from '../../proof/explore/actions/caller-actions.ts';
import { textsFor } from '../../proof/explore/actions/pattern-texts.ts';
import { digitsFor } from '../../proof/explore/actions/values.ts';

const ALL_DIGITS = '0123456789*#ABCD';
const KEYPAD = '0123456789*#';
/** Maximum length of an input that does not match a pattern. */
const MAX_WRONG = 16;
const MAX_HINTS = 3;
const DAYS: Readonly<Record<string, string>> = { past: '2000-01-31', future: '2099-01-31' };
const SOME_DAY = '2030-01-31';
const SOME_TIME = '09:30';
const SOME_AMOUNT = 20;
/** No type of answer begins with these keys. */
const [WRONG_DAY, WRONG_TIME, WRONG_AMOUNT, WRONG_CODE] = ['99999999', '9999', '**', '*11'] as const;

export const actions: VerbActions = {
  caller(moment): Action[] {
    const { step, flow, args, claims = '' } = moment;
    const speech = isObject(args['speech']) ? args['speech'] : undefined;
    if (claims !== '' && claims !== ALL_DIGITS && claims !== KEYPAD) return confirmations(moment, speech !== undefined);
    const typed = typedAnswers(args);
    if (typed) return typedActions(moment, typed, speech !== undefined);
    const rules = isObject(args['digits']) ? args['digits'] : {};
    const most = Number(rules['length'] ?? rules['max'] ?? 32);
    const terminator = String(rules['terminator'] ?? '#');
    const digits = claims === '' ? [] : digitsFor(step, flow);
    const words = speech === undefined ? [] : wordsFor(speech, moment);
    return [
      ...digits.map((each) =>
        press(each.length < most ? `${each}${terminator}` : each, outcomesNeeding(moment, 'digits')),
      ),
      ...words.map((each) => say(each, outcomesNeeding(moment, 'speech'))),
      silence(moment),
      ...(claims === '' ? [] : [pressWrong(moment, wrongDigits(rules, terminator, most))]),
      ...(speech?.['grammar'] === undefined ? [] : [sayWrong(moment)]),
    ];
  },
};

interface TypedAnswers {
  keys: readonly string[];
  words: string;
  wrong: string;
}

/** An answer of the type that a question asks for, as keys and as written words. */
function typedAnswers(args: JsonObject): TypedAnswers | undefined {
  const rulesOf = (type: string): JsonObject | undefined => (isObject(args[type]) ? args[type] : undefined);
  const [date, time, amount, code] = ['date', 'time', 'amount', 'code'].map(rulesOf);
  const fixed = (value: Json | undefined): string | undefined =>
    value === undefined || String(value).includes('${') ? undefined : String(value);
  if (date) {
    const day = fixed(date['earliest']) ?? fixed(date['latest']) ?? DAYS[String(date['range'])] ?? SOME_DAY;
    const [y, m, d] = day.split('-') as [y: string, m: string, d: string];
    const orders = date['order'] === undefined ? ['dmy', 'mdy'] : [String(date['order'])];
    const keys = orders.map((order) => [...order].map((letter) => ({ y, m, d })[letter]!).join(''));
    return { keys, words: day, wrong: WRONG_DAY };
  }
  if (time) {
    const moment = fixed(time['earliest']) ?? fixed(time['latest']) ?? SOME_TIME;
    return { keys: [moment.replace(':', '')], words: moment, wrong: WRONG_TIME };
  }
  if (amount) {
    const value = Math.max(
      Number(fixed(amount['min']) ?? 0),
      Math.min(SOME_AMOUNT, Number(amount['max'] ?? SOME_AMOUNT)),
    );
    const text = String(value);
    return { keys: [`${text.replace('.', '*')}#`], words: text, wrong: WRONG_AMOUNT };
  }
  if (!code) return undefined;
  const sample = sampleCode(code);
  return { keys: [`${starredCode(sample)}#`], words: sample, wrong: WRONG_CODE };
}

function sampleCode({ one_of: codes, pattern, length, min }: JsonObject): string {
  if (Array.isArray(codes) && typeof codes[0] === 'string') return codes[0];
  const made = typeof pattern === 'string' ? textsFor(pattern) : [];
  const least = Number(length ?? min ?? 1);
  return made.find((each) => each.length >= least) ?? 'A1B2C3D4'.repeat(8).slice(0, Math.max(4, least));
}

function typedActions(moment: Moment, { keys, words, wrong }: TypedAnswers, isSpoken: boolean): Action[] {
  return [
    ...keys.map((each) => press(each, outcomesNeeding(moment, 'digits'))),
    ...(isSpoken ? [say(words, outcomesNeeding(moment, 'speech')), sayWrong(moment)] : []),
    silence(moment),
    pressWrong(moment, wrong),
  ];
}

/** Digits that do not match: the terminator alone or, without a terminator, `*`. */
function wrongDigits(rules: JsonObject, terminator: string, most: number): string {
  if (terminator !== '') return terminator;
  return rules['pattern'] === undefined ? '*' : '*'.repeat(Math.min(most, MAX_WRONG));
}

/** Answers to the question whether the input is right. */
function confirmations(moment: Moment, hears: boolean): Action[] {
  const { args, claims = '' } = moment;
  const accept = isObject(args['confirm']) ? String(args['confirm']['accept'] ?? '1') : '';
  const accepted = outcomesNeeding(moment, 'digits');
  const strange = strangeKey(moment);
  return [
    ...[...claims].map((key) => press(key, key === accept ? accepted : [])),
    silence(moment),
    ...(strange === undefined ? [] : [pressWrong(moment, strange)]),
    ...(hears ? [say('yes', accepted), say('no')] : []),
  ];
}

function wordsFor({ grammar, hints }: JsonObject, { step, flow }: Moment): string[] {
  if (grammar === 'digits')
    return digitsFor(step, flow)
      .slice(0, 1)
      .map((digits) => [...digits].join(' '));
  if (grammar === 'yes_no') return ['yes', 'no'];
  const hinted = Array.isArray(hints) ? hints.filter((hint) => typeof hint === 'string' && !hint.includes('${')) : [];
  return hinted.length > 0 ? hinted.slice(0, MAX_HINTS).map(String) : ['hello there'];
}
