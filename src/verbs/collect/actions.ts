import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type Action, type Moment, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { press, pressWrong, say, sayWrong, silence, strangeKey } from '../../proof/explore/actions/caller-actions.ts';
import { digitsFor } from '../../proof/explore/actions/values.ts';

const ALL_DIGITS = '0123456789*#ABCD';
/** Maximum length of an input that does not match a pattern. */
const MAX_WRONG = 16;
const MAX_HINTS = 3;

export const actions: VerbActions = {
  caller(moment): Action[] {
    const { step, flow, args, claims = '' } = moment;
    const speech = isObject(args['speech']) ? args['speech'] : undefined;
    if (claims !== '' && claims !== ALL_DIGITS) return confirmations(moment, speech !== undefined);
    const rules = isObject(args['digits']) ? args['digits'] : {};
    const most = Number(rules['length'] ?? rules['max'] ?? 32);
    const terminator = String(rules['terminator'] ?? '#');
    const typed = claims === '' ? [] : digitsFor(step, flow);
    const words = speech === undefined ? [] : wordsFor(speech, moment);
    return [
      ...typed.map((each) =>
        press(each.length < most ? `${each}${terminator}` : each, outcomesNeeding(moment, 'digits')),
      ),
      ...words.map((each) => say(each, outcomesNeeding(moment, 'speech'))),
      silence(moment),
      ...(claims === '' ? [] : [pressWrong(moment, wrongDigits(rules, terminator, most))]),
      ...(speech?.['grammar'] === undefined ? [] : [sayWrong(moment)]),
    ];
  },
};

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
