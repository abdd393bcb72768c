import type { JsonObject } from '../../base/core/json.ts';
import { type Action, outcomesNeeding, type VerbActions } from '../../proof/explore/actions/action.ts';
import { press, pressWrong, silence } from '../../proof/explore/actions/caller-actions.ts';
import { failures, reply } from '../../proof/explore/actions/outside-actions.ts';

/** A test card of each type, with its security code. */
const CARDS: Readonly<Record<string, readonly [number: string, code: string]>> = {
  visa: ['4242424242424242', '123'],
  mastercard: ['5555555555554444', '123'],
  amex: ['378282246310005', '1234'],
  discover: ['6011111111111117', '123'],
  diners: ['30569309025904', '123'],
  jcb: ['3566002020360505', '123'],
  unionpay: ['6200000000000005#', '123'],
  maestro: ['6304000000000000#', '123'],
};
const EXPIRY = '1299';
const POSTAL_CODE = '1000#';

export const actions: VerbActions = {
  caller: (moment): Action[] => [
    // The provider answers only after them.
    press(keysOf(moment.args), [...outcomesNeeding(moment, 'digits'), ...outcomesNeeding(moment, 'reply')]),
    press('*', ['cancelled']),
    silence(moment),
    pressWrong(moment, '#'),
  ],
  outside: (moment): Action[] => [
    moment.args['tokenize'] === true
      ? reply(moment, 'tokenized', { body: { status: 'tokenized', token: 't1' } }, ['paid', 'tokenized'])
      : reply(moment, 'paid', { body: { status: 'paid', confirmation: 'c1' } }, ['paid']),
    reply(moment, 'declined', { status: 402 }, ['declined']),
    reply(moment, 'refused', { status: 400 }, ['failed.refused']),
    ...failures(moment),
  ],
};

/** Digits for all questions of the step, pressed without waiting for the prompts. */
function keysOf({ cards, security_code: asksForCode, postal_code: postalCode }: JsonObject): string {
  const kind = Array.isArray(cards) ? String(cards[0]) : 'visa';
  const [number, code] = CARDS[kind] ?? CARDS['visa']!;
  return [number, EXPIRY, asksForCode === false ? '' : code, postalCode === true ? POSTAL_CODE : ''].join('');
}
