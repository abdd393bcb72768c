/** Verb `pay`: input of callers, requests to the provider, and stored data. */
import { describe, expect, it } from 'vitest';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import type { Json } from '../../src/base/core/json.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { flowOf } from '../runtime/test-call.ts';
import { flowText, heard, lastLeft, startSteps } from './scripted-call.ts';

const CHARGE = 'amount: 49.9, currency: EUR';
const VISA = '4242424242424242';

const steps = (args: string, done = 'paid') => `
  first:
    pay: { ${args} }
    exits: { ${done}: later, declined: later, cancelled: later, exhausted: later, failed: later, error: later }
  later: { pause: 1h, next: bye }`;
const paying = (args: string, { done = 'paid', head = '' } = {}) => startSteps(steps(args, done), { head });

const answered = (body: Json): HttpReply => ({ ok: true, status: 200, headers: {}, body });

async function paidWith(keys: string, args = CHARGE) {
  const call = await paying(args);
  await call.press(keys);
  return call;
}

describe('pay: the card', () => {
  it.each<[string, string, string, object]>([
    ['a Visa card', `${VISA}1230123`, CHARGE, { number: VISA, expiryMonth: 12, expiryYear: 2030, securityCode: '123' }],
    ['an American Express card with its four digits', '37828224631000502311234', CHARGE, { number: '378282246310005' }],
    ['a terminator after each', `${VISA}#1230#123#`, CHARGE, { number: VISA, securityCode: '123' }],
    ['a long number by its terminator', '6304000000000000#1230123', CHARGE, { number: '6304000000000000' }],
    ['no security code', `${VISA}1230`, `${CHARGE}, security_code: false`, { number: VISA, expiryMonth: 12 }],
    ['a postal code', `${VISA}123012375001#`, `${CHARGE}, postal_code: true`, { postalCode: '75001' }],
    ['a known postal code', `${VISA}1230123`, `${CHARGE}, postal_code: "SW1A 1AA"`, { postalCode: 'SW1A 1AA' }],
  ])('%s is handed over', async (_what, keys, args, card) => {
    const call = await paidWith(keys, args);
    expect(call.requests[0]?.request.payment?.card).toMatchObject(card);
  });

  it.each([
    ['a wrong check digit', '4242424242424241#'],
    ['too short a number', '42#'],
    ['twenty digits', '42424242424242424242'],
    ['a card that is not accepted', '6011111111111117#', 'cards: [visa]'],
    ['a month that is not one', `${VISA}1330`],
    ['a card that is over', `${VISA}0226`],
    ['a security code that is too short', `${VISA}123012#`],
    ['a postal code of two digits', `${VISA}123012312#`, 'postal_code: true'],
  ])('%s is a wrong input', async (_what, keys, more = '') => {
    const call = await paidWith(keys, [CHARGE, 'attempts: 1', more].filter(Boolean).join(', '));
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'exhausted.no_match' });
    expect(call.requests).toEqual([]);
  });

  it.each([
    ['0326', 'this month', 1],
    ['0226', 'last month', 0],
    ['1225', 'last year', 0],
    ['0126', 'last month but one', 0],
  ])('accepts %s, %s, %i times in March 2026', async (expiry, _when, times) => {
    const call = await paidWith(VISA + expiry, `${CHARGE}, attempts: 1, security_code: false`);
    expect(call.requests).toHaveLength(times);
  });

  it('cancels on star at any question, and sends nothing', async () => {
    for (const keys of ['*', `${VISA}*`, `${VISA}123012*`]) {
      const call = await paidWith(keys);
      expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'cancelled' });
      expect(call.requests).toEqual([]);
    }
  });

  it('ignores keys pressed before the question, which a recording could contain', async () => {
    const call = await startSteps(
      `${steps(CHARGE).replace('first:', 'money:')}\n  first: { play: { prompt: Hello there, barge_in: false }, next: money }`,
    );
    await call.press('4242');
    await call.finishPlay();
    await call.press(`${VISA}1230123`);
    expect(call.requests[0]?.request.payment?.card.number).toBe(VISA);
  });
});

describe('pay: what is said', () => {
  it('is built in, in the language of the call, or what the flow says', async () => {
    const french = await paying(CHARGE, { head: 'defaults: { locale: fr-FR, exits: { error: broken } }' });
    expect(heard(french)).toEqual([expect.stringContaining('numéro de carte')]);
    const own = await paying(`${CHARGE}, prompts: { card_number: "Your card please" }`);
    expect(heard(own)).toEqual(['Your card please']);
    const polish = await paying(CHARGE, { head: 'defaults: { locale: pl-PL, exits: { error: broken } }' });
    expect(polish.lastPlay().audio).toEqual([
      expect.objectContaining({ text: expect.stringContaining('card number'), language: 'en-US' }),
    ]);
  });
});

describe('pay: the answer', () => {
  it.each<[HttpReply, string, object]>([
    [answered({ status: 'paid', confirmation: 'c-1', token: 't-1' }), 'paid', { confirmation: 'c-1', token: 't-1' }],
    [answered({ status: 'declined', code: 'expired_card' }), 'declined', { code: 'expired_card' }],
    [answered({ status: 'refused', message: '401' }), 'failed.refused', { message: '401' }],
    [answered({ status: 'lost', message: '500' }), 'failed.provider', { message: '500' }],
    [answered('thanks'), 'failed.provider', {}],
    [{ ok: false, reason: 'timeout', message: 'late' }, 'failed.timeout', { message: 'late' }],
    [{ ok: false, reason: 'network', message: 'cut' }, 'failed.network', { message: 'cut' }],
    [{ ok: false, reason: 'invalid', message: 'odd' }, 'failed.provider', { message: 'odd' }],
  ])('%o: has the outcome %s', async (reply, outcome, said) => {
    const call = await paidWith(`${VISA}1230123`);
    call.requests[0]!.answer(reply);
    await call.clock.settle();
    const result = { id: 'call-1:1', card_type: 'visa', last_digits: '4242', ...said };
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome, result });
  });

  it('fails without a provider, and sends nothing', async () => {
    const call = await paidWith(`${VISA}1230123`);
    call.requests[0]!.answer({ ok: false, reason: 'refused', message: 'no such provider' });
    await call.clock.settle();
    expect(lastLeft(call)).toMatchObject({ outcome: 'error', fault: { code: 'payment_failed' } });
  });

  it('gives a token its own outcome where the flow routes it', async () => {
    for (const outcome of ['paid', 'tokenized']) {
      const call = await paying('tokenize: true', { done: outcome });
      await call.press(`${VISA}1230123`);
      expect(call.requests[0]!.request.body).toMatchObject({ action: 'tokenize' });
      call.requests[0]!.answer(answered({ status: 'tokenized', token: 't' }));
      await call.clock.settle();
      expect(lastLeft(call)).toMatchObject({ outcome, result: { token: 't' } });
    }
  });

  it.each([
    ['amount: 10, currency: JPY', { amount: '10', amount_minor: 10 }],
    ['amount: 10.5, currency: KWD', { amount: '10.500', amount_minor: 10_500 }],
    ['amount: "${ 0.1 + 0.2 }", currency: EUR', { amount: '0.30', amount_minor: 30 }],
  ])('%s is charged in the units of the currency', async (args, order) => {
    const call = await paidWith(`${VISA}1230123`, args);
    expect(call.requests[0]?.request.body).toMatchObject(order);
  });

  it.each([
    'amount: "${ 21 / 2 }", currency: JPY',
    'amount: "${ 1.999 }", currency: EUR',
    'amount: 1, currency: "${ \'XQQ\' }"',
  ])('rejects the amount %s before asking for a card', async (args) => {
    const call = await paying(args);
    expect(lastLeft(call)).toMatchObject({ step: 'first', outcome: 'error', fault: { code: 'invalid_amount' } });
    expect(heard(call)).toEqual([]);
  });
});

describe('pay: what is kept', () => {
  it('keeps only the last four digits in the journal, and writes the order before sending it', async () => {
    const call = await paidWith(`${VISA}1230987`);
    const text = JSON.stringify(call.writes);
    for (const secret of [VISA, '424242424242', '1230', '"987"', '"9"']) expect(text).not.toContain(secret);
    const body = { id: 'call-1:1', action: 'charge', amount: '49.90', last_digits: '4242', card_type: 'visa' };
    expect(call.journal().find(({ kind }) => kind === 'request')).toMatchObject({ url: 'payment:', body });
    expect(call.order.indexOf('do:http')).toBeGreaterThan(call.order.lastIndexOf('commit'));
  });

  it('leaves an order in the journal if the caller hangs up, and drops the answer', async () => {
    const call = await paidWith(`${VISA}1230123`);
    await call.hangUp();
    call.requests[0]!.answer(answered({ status: 'paid', confirmation: 'c-1' }));
    await call.clock.settle();
    const kinds = call.journal().filter(({ kind }) => kind === 'request' || kind === 'ended');
    expect(kinds).toMatchObject([{ kind: 'request', body: { id: 'call-1:1', amount: '49.90' } }, { kind: 'ended' }]);
    expect(JSON.stringify(call.journal())).not.toContain('"c-1"');
  });

  it('recordings and streams hear nothing from the first question to the last, nor after a hang-up in between', async () => {
    const call = await paying(CHARGE);
    const withheld = () => call.commands.flatMap((each) => (each.type === 'withhold' ? [each.on] : []));
    expect(withheld()).toEqual([true]);
    await call.press(`${VISA}1230`);
    expect(withheld()).toEqual([true]);
    await call.press('123');
    expect(withheld()).toEqual([true, false]);
    const left = await startSteps(`${steps(CHARGE)}\n  other: { pause: 1h, next: bye }`, {
      head: 'events: { event.stop: other }',
    });
    await left.command({ type: 'event', name: 'stop', data: null });
    expect(left.commands.filter(({ type }) => type === 'withhold')).toEqual([
      { type: 'withhold', on: true },
      { type: 'withhold', on: false },
    ]);
  });

  it('replays a call with a payment from its journal', async () => {
    const call = await paidWith(`${VISA}1230123`);
    call.requests[0]!.answer(answered({ status: 'paid', confirmation: 'c-1' }));
    await call.clock.settle();
    const flow = flowOf(flowText(steps(CHARGE)));
    expect(await replayJournal(call.journal(), () => flow)).toMatchObject({ ok: true });
  });
});
