/** Requests to payment providers, and their accepted answers. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import type { PaymentCard, PaymentOrder, PaymentProvider } from '../../src/base/core/payment.ts';
import { createFlowHttpClient } from '../../src/base/http/flow-http-client.ts';
import type { HttpClientRequest } from '../../src/base/http/http-client.ts';

const CARD: PaymentCard = {
  number: '4242424242424242',
  expiryMonth: 7,
  expiryYear: 2030,
  securityCode: '123',
  postalCode: '75001',
};
const ORDER: PaymentOrder = {
  ...{
    id: 'call-1:4',
    action: 'charge',
    amount: '49.90',
    amount_minor: 4990,
    currency: 'EUR',
    description: 'Tea & cake',
  },
  ...{ card_type: 'visa', last_digits: '4242' },
} as const;
const BANK: PaymentProvider = {
  ...{ name: 'bank', adapter: 'generic', url: 'https://bank.example/pay', headers: { authorization: 'Bearer k' } },
} as const;
const STRIPE: PaymentProvider = { name: 'stripe', adapter: 'stripe', key: 'sk_test', moto: true };
const SIMULATED: PaymentProvider = { name: 'sim', adapter: 'simulated' };

type Answer = { status: number; body: Json };

async function paid(provider: PaymentProvider, answers: Answer[], { order = ORDER, card = CARD, wanted = '' } = {}) {
  const requests: HttpClientRequest[] = [];
  const http = createFlowHttpClient({
    sign: () => undefined,
    paymentProviders: () => [provider],
    client: {
      urlProblem: () => undefined,
      close: async () => {},
      async send(request) {
        requests.push(request);
        const answer = answers[requests.length - 1];
        if (!answer) return { failure: 'timeout', code: '' };
        return { status: answer.status, headers: {}, body: Buffer.from(JSON.stringify(answer.body)) };
      },
    },
  });
  const payment = { order, card, ...(wanted !== '' && { provider: wanted }) };
  const asked = {
    name: 'pay',
    method: 'POST',
    url: 'payment:',
    headers: {},
    timeoutMs: 1000,
    body: { ...order },
    payment,
  };
  const reply = await http(asked, 'shop', new AbortController().signal);
  return { requests, reply, said: reply.ok ? reply.body : reply.reason };
}

const fieldsOf = ({ body }: HttpClientRequest) => Object.fromEntries(new URLSearchParams(String(body)));
const TOKEN: PaymentOrder = { id: 'call-1:4', action: 'tokenize', card_type: 'visa', last_digits: '4242' };

describe('a custom payment provider', () => {
  it('receives the order with the card, its credentials and an idempotency key', async () => {
    const { requests } = await paid(BANK, [{ status: 200, body: { status: 'paid' } }]);
    expect(requests).toHaveLength(1);
    expect(requests[0]!.url.href).toBe('https://bank.example/pay');
    expect(requests[0]!.headers).toMatchObject({ authorization: 'Bearer k', 'idempotency-key': 'call-1:4' });
    expect(JSON.parse(String(requests[0]!.body))).toEqual({
      ...ORDER,
      card: {
        number: '4242424242424242',
        expiry_month: 7,
        expiry_year: 2030,
        security_code: '123',
        postal_code: '75001',
      },
    });
  });

  it.each<[string, number, Json, Json]>([
    ['paid', 200, { status: 'paid', confirmation: 'c', token: 't' }, { status: 'paid', confirmation: 'c', token: 't' }],
    ['declined by its body', 200, { status: 'declined', code: 'x' }, { status: 'declined', code: 'x' }],
    ['declined by its status', 402, { message: 'no money' }, { status: 'declined', message: 'no money' }],
    ['declined without a word', 402, null, { status: 'declined' }],
    ['a request that is refused', 401, null, { status: 'refused', message: 'the provider refused the request (401)' }],
    ['a failure', 503, null, { status: 'lost', message: 'the provider answered 503' }],
    ['an answer that says nothing', 200, null, { status: 'lost', message: 'the answer does not say what was done' }],
    [
      'a token in place of a charge',
      200,
      { status: 'tokenized', token: 't' },
      { status: 'lost', message: 'the answer does not say what was done' },
    ],
    ['what is not a text', 200, { status: 'paid', confirmation: { a: 1 } }, { status: 'paid' }],
    ['a long text, cut', 200, { status: 'paid', token: 'x'.repeat(999) }, { status: 'paid', token: 'x'.repeat(200) }],
  ])('returns the result for %s', async (_what, status, body, said) => {
    expect((await paid(BANK, [{ status, body }])).said).toEqual(said);
  });

  it('is not quoted when it repeats the card', async () => {
    const body = { status: 'declined', message: 'card 4242 4242-4242 4242 is lost', code: '123', secret: 'x' };
    expect((await paid(BANK, [{ status: 200, body }])).said).toEqual({ status: 'declined' });
  });

  it('is reported as timeout without an answer, and as refused if it is not configured', async () => {
    expect((await paid(BANK, [])).said).toBe('timeout');
    const { said, requests } = await paid(BANK, [], { wanted: 'chat' });
    expect([said, requests]).toEqual(['refused', []]);
  });
});

describe('Stripe', () => {
  const METHOD = { status: 200, body: { id: 'pm_1', card: { last4: '4242' } } };

  it('creates a payment method from the card, and charges it, each with its own key', async () => {
    const { requests, said } = await paid(STRIPE, [METHOD, { status: 200, body: { id: 'pi_1', status: 'succeeded' } }]);
    expect(said).toEqual({ status: 'paid', confirmation: 'pi_1', token: 'pm_1' });
    expect(requests.map(({ url, headers }) => [url.pathname, headers['idempotency-key']])).toEqual([
      ['/v1/payment_methods', 'call-1:4:card'],
      ['/v1/payment_intents', 'call-1:4:charge'],
    ]);
    expect(requests[0]!.headers).toMatchObject({
      authorization: 'Bearer sk_test',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(fieldsOf(requests[0]!)).toEqual({
      type: 'card',
      'card[number]': '4242424242424242',
      'card[exp_month]': '7',
      'card[exp_year]': '2030',
      'card[cvc]': '123',
      'billing_details[address][postal_code]': '75001',
    });
    expect(fieldsOf(requests[1]!)).toMatchObject({
      ...{ amount: '4990', currency: 'eur', payment_method: 'pm_1', confirm: 'true', description: 'Tea & cake' },
      ...{ error_on_requires_action: 'true', 'payment_method_options[card][moto]': 'true' },
    });
    expect(String(requests[1]!.body)).not.toContain('4242');
  });

  it('creates only the payment method for a token', async () => {
    const { requests, said } = await paid(STRIPE, [METHOD], { order: TOKEN });
    expect([said, requests.length]).toEqual([{ status: 'tokenized', token: 'pm_1' }, 1]);
  });

  it.each<[string, Answer[], Json]>([
    [
      'a card that the bank refuses',
      [METHOD, { status: 402, body: { error: { code: 'card_declined', decline_code: 'lost_card', message: 'No.' } } }],
      { status: 'declined', code: 'lost_card', message: 'No.' },
    ],
    [
      'a number that is wrong',
      [{ status: 402, body: { error: { code: 'incorrect_number' } } }],
      { status: 'declined', code: 'incorrect_number' },
    ],
    [
      'a wrong key',
      [{ status: 401, body: {} }],
      { status: 'refused', message: 'the provider refused the request (401)' },
    ],
    ['a failure', [METHOD, { status: 500, body: {} }], { status: 'lost', message: 'the provider answered 500' }],
    [
      'a payment that needs more',
      [METHOD, { status: 200, body: { id: 'pi', status: 'requires_action' } }],
      { status: 'declined', code: 'requires_action' },
    ],
    ['no answer to the charge', [METHOD], 'timeout'],
  ])('reports the result of %s', async (_what, answers, expected) => {
    expect((await paid(STRIPE, answers)).said).toEqual(expected);
  });
});

it.each<[string, PaymentOrder['action'], Json]>([
  [
    '4242424242424242',
    'charge',
    { status: 'paid', confirmation: expect.stringMatching(/^sim-/), token: expect.stringMatching(/^tok-/) },
  ],
  ['4242424242424242', 'tokenize', { status: 'tokenized', token: expect.stringMatching(/^tok-/) }],
  ['4000000000000002', 'charge', expect.objectContaining({ status: 'declined', code: 'card_declined' })],
  ['4000000000009995', 'charge', expect.objectContaining({ status: 'declined', code: 'insufficient_funds' })],
  ['4000000000000119', 'charge', expect.objectContaining({ status: 'lost' })],
  ['4000000000000259', 'charge', 'timeout'],
])('answers %s, %s, without a network by the simulated provider', async (number, action, said) => {
  const order = action === 'charge' ? ORDER : TOKEN;
  const { requests, said: found } = await paid(SIMULATED, [], { order, card: { ...CARD, number } });
  expect([found, requests]).toEqual([said, []]);
});
