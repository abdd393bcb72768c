/**
 * The verb `pay`: collects card data by DTMF, sends them to a payment provider, and returns the result.
 * `card.ts` validates card data; `base/http/payments` has the providers.
 *
 * Invariants
 *  - while card data are entered, digits are masked, and recordings, streams and recognition receive silence;
 *  - card data exist only in the memory of this step and in the request to the provider; the journal has only the card
 *     type and the last four digits.
 */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { HttpAnswer } from '../../base/core/http-exchange.ts';
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { PaymentCard, PaymentOrder } from '../../base/core/payment.ts';
import { readAmount } from '../../language/flow/money.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { ask, type DigitsStatus, type Exhausted } from '../../language/steps/ask.ts';
import { fetchReply, playMeanwhile } from '../../language/steps/http-request.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import { defineStep, type ResultOf, type StepContext, type Waiting } from '../../language/steps/step.ts';
import type { PayArgs, PayOutcome } from '../../language/steps/verb-types.ts';
import { cardTypeOf, codeLengthOf, MAX_NUMBER, numberStatus, readExpiry } from './card.ts';
import WORDS from './words.json' with { type: 'json' };

type Context = StepContext<PayArgs>;
/** Result of the step if it has no card. */
type Unanswered = Exhausted | ResultOf<'cancelled'>;
type PromptName = keyof NonNullable<PayArgs['prompts']>;

const KEYS = '0123456789*#';
const CANCEL = '*';
const EXPIRY_LENGTH = 4;
const SHORTEST_POSTAL_CODE = 3;
const MAX_POSTAL_CODE = 10;
const SHOWN_DIGITS = 4;

export const step = defineStep<PayArgs, PayOutcome>({
  verb: 'pay',
  async *run(context) {
    const { leg, input } = context;
    const order = orderOf(context);
    yield* ensureAnswered(context);
    // Digits pressed before `withhold` may be audible in recordings and streams, so they are not accepted as card data.
    leg.takeTypedAhead();
    leg.send({ type: 'withhold', on: true });
    const card = yield* askForCard(context);
    leg.send({ type: 'withhold', on: false });
    if ('outcome' in card) return card;
    const shown = { card_type: cardTypeOf(card.number), last_digits: card.number.slice(-SHOWN_DIGITS) };
    await playMeanwhile(context, input.meanwhile);
    const sent: PaymentOrder = { ...order, ...shown };
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url: `payment:${input.provider ?? ''}`,
      headers: {},
      body: { ...sent },
      timeoutMs: durationMs(input.timeout),
      payment: { order: sent, card, ...(input.provider !== undefined && { provider: input.provider }) },
    });
    const { outcome, said } = outcomeOf(context, reply);
    return { outcome, result: { id: order.id, ...shown, ...said } };
  },
});

function orderOf({ call, runNumber, input }: Context): Omit<PaymentOrder, 'card_type' | 'last_digits'> {
  const { amount, currency, description } = input;
  // Idempotency key: equal after a crash, so that the provider can ignore a repeated request.
  const id = `${call['id']}:${runNumber}`;
  if (input.tokenize || amount === undefined || currency === undefined) {
    return defined({ id, action: 'tokenize' as const, description });
  }
  const read = readAmount(amount, currency);
  if (!read) throw new FaultError(fault('invalid_amount', `there is no amount ${amount} in ${currency}`));
  return defined({ id, action: 'charge' as const, amount: read.text, amount_minor: read.minor, currency, description });
}

// Card data

async function* askForCard(context: Context): Waiting<PaymentCard | Unanswered> {
  const { cards, security_code: asksForCode, postal_code: postalCode } = context.input;
  const number = yield* askFor(context, 'card_number', MAX_NUMBER, (typed) => {
    const isAccepted = cards === undefined || (cards as readonly string[]).includes(cardTypeOf(typed));
    return isAccepted ? numberStatus(typed) : 'more';
  });
  if (typeof number !== 'string') return number;
  const now = context.wallMs();
  const expiry = yield* askFor(context, 'expiry', EXPIRY_LENGTH, (typed) =>
    readExpiry(typed, now) ? 'complete' : 'more',
  );
  if (typeof expiry !== 'string') return expiry;
  const { month, year } = readExpiry(expiry, now)!;
  const card: PaymentCard = { number, expiryMonth: month, expiryYear: year };
  if (asksForCode) {
    const length = codeLengthOf(number);
    const code = yield* askFor(context, 'security_code', length, (typed) =>
      typed.length === length ? 'complete' : 'more',
    );
    if (typeof code !== 'string') return code;
    card.securityCode = code;
  }
  if (typeof postalCode === 'string') card.postalCode = postalCode;
  else if (postalCode) {
    const code = yield* askFor(context, 'postal_code', MAX_POSTAL_CODE, (typed) =>
      typed.length < SHORTEST_POSTAL_CODE ? 'more' : typed.length === MAX_POSTAL_CODE ? 'complete' : 'enough',
    );
    if (typeof code !== 'string') return code;
    card.postalCode = code;
  }
  return card;
}

/** Asks one question. Digits that are not an answer at the length `most` are invalid at once. */
async function* askFor(
  context: Context,
  name: PromptName,
  most: number,
  check: (typed: string) => DigitsStatus,
): Waiting<string | Unanswered> {
  const { attempts, start_timeout, inter_digit_timeout, security_code: asksForCode } = context.input;
  const isLongCode = name === 'security_code' && asksForCode && most === SHOWN_DIGITS;
  const prompt = promptOf(context, name, isLongCode ? 'security_code_amex' : name);
  const answer = yield* ask(context, {
    args: {
      prompt,
      attempts,
      start_timeout,
      inter_digit_timeout,
      barge_in: true,
      typeahead: 'keep',
      no_input: [prompt],
      no_match: [[promptOf(context, 'no_match', 'no_match'), prompt].flat()],
      sensitive: true,
    },
    claims: KEYS,
    terminator: '#',
    check: (typed) => {
      if (typed.includes(CANCEL)) return 'complete';
      const status = check(typed);
      return status === 'more' && typed.length >= most ? 'wrong' : status;
    },
  });
  if ('outcome' in answer) return answer;
  const digits = 'digits' in answer ? answer.digits : '';
  return digits.includes(CANCEL) ? { outcome: 'cancelled' } : digits;
}

/** Prompt of the flow, else the built-in text in the language of the call, else English text in an English voice. */
function promptOf({ input, locale }: Context, name: PromptName, text: keyof (typeof WORDS)['en']): Json {
  const own = input.prompts?.[name];
  if (own !== undefined) return own;
  const language = locale.split('-')[0]!.toLowerCase();
  const words = Object.hasOwn(WORDS, language) ? WORDS[language as keyof typeof WORDS] : undefined;
  return words ? { text: words[text] } : { text: WORDS.en[text], language: 'en-US' };
}

// Response of the provider

const FAILURES: Readonly<Record<Exclude<Extract<HttpAnswer, { ok: false }>['reason'], 'refused'>, PayOutcome>> = {
  timeout: 'failed.timeout',
  network: 'failed.network',
  too_large: 'failed.provider',
  invalid: 'failed.provider',
};
const OUTCOMES: Readonly<Record<string, PayOutcome>> = {
  paid: 'paid',
  tokenized: 'tokenized',
  declined: 'declined',
  refused: 'failed.refused',
  lost: 'failed.provider',
};

function outcomeOf(context: Context, reply: HttpAnswer): { outcome: PayOutcome; said: JsonObject } {
  if (!reply.ok) {
    // The request was refused before it was sent.
    if (reply.reason === 'refused') throw new FaultError(fault('payment_failed', reply.message));
    return { outcome: FAILURES[reply.reason], said: { message: reply.message } };
  }
  const { status, ...said } = isObject(reply.body) ? reply.body : {};
  const outcome = (typeof status === 'string' ? OUTCOMES[status] : undefined) ?? 'failed.provider';
  return { outcome: outcome === 'tokenized' && !context.routes(outcome) ? 'paid' : outcome, said };
}
