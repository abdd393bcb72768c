/** Payments: invalid amounts, paths with two payments, and unknown providers. */
import { describe } from 'vitest';
import { seeded } from './seeded.ts';

const GREET = '  greet: { play: welcome, next: opening }\n';
const paying = (args: string, exits: string, more = ''): [string, string] => [
  GREET,
  `${GREET.replace('opening', 'deposit')}  deposit:\n    pay: { ${args}, meanwhile: one_moment }\n    exits: { ${exits} }\n${more}`,
];
const PAID = 'paid: opening, cancelled: opening, declined: opening, exhausted: opening';
const DEPOSIT = 'amount: 20, currency: EUR';
const UNSURE = `${PAID}, failed.refused: opening`;
const say = (name: string, next: string) => `  ${name}: { play: one_moment, next: ${next} }\n`;

describe('amounts', () => {
  const money = (args: string) => paying(args, `${PAID}, failed: opening`);
  seeded('unknown-currency', [
    money('amount: 20, currency: «EUS'),
    money('currency: «XYZ, amount: 5'),
    money('amount: 9.99, currency: «"EEE"'),
    money('amount: "${ vars.visits }", currency: «DOL'),
    money('amount: 1, description: Deposit, currency: «ABC'),
  ]);
  seeded('wrong-amount', [
    money('amount: «19.999, currency: EUR'),
    money('amount: «10.5, currency: JPY'),
    money('currency: USD, amount: «0.001'),
    money('amount: «1.2345, currency: KWD'),
    money('currency: KRW, description: Deposit, amount: «0.5'),
  ]);
});

describe('a payment with an unknown result', () => {
  seeded('paid-twice?', [
    paying(DEPOSIT, `${PAID}, «failed: deposit`),
    paying(DEPOSIT, `${UNSURE}, failed.network: opening, failed.provider: opening, «failed.timeout: deposit`),
    paying(
      DEPOSIT,
      `${UNSURE}, failed.timeout: opening, «failed.network: again, failed.provider: opening`,
      say('again', 'deposit'),
    ),

    paying(DEPOSIT, `${PAID}, «failed: tones`, '  tones: { send_digits: "1", next: deposit }\n'),
    paying(DEPOSIT, `${PAID}, «failed: one`, say('one', 'two') + say('two', 'deposit')),
    paying(
      DEPOSIT,
      `${PAID}, «failed: other`,
      `  other:\n    pay: { amount: 20, currency: EUR, meanwhile: one_moment }\n    exits: { ${PAID}, failed: opening }\n`,
    ),
  ]);
});

describe('providers', () => {
  const configured = { users: [], numbers: [], prefixes: [], secrets: [], payments: ['bank', 'test'] };
  const by = (args: string) => paying(args, `${PAID}, failed: opening`);
  seeded(
    'unknown-provider?',
    [
      by(`${DEPOSIT}, provider: «bnak`),
      by(`provider: «Bank, ${DEPOSIT}`),
      by(`${DEPOSIT}, provider: «"stripe"`),
      by(`amount: 5, provider: «tests, currency: GBP`),
      by(`${DEPOSIT}, security_code: false, provider: «card`),
    ],
    { configured },
  );
});

describe('missing parts', () => {
  const paid = (args: string): [string, string] => [
    GREET,
    `${GREET.replace('opening', 'deposit')}  deposit:\n    «pay: { ${args} }\n    exits: { ${PAID}, failed: opening }\n`,
  ];
  seeded('no-meanwhile?', [
    paid(DEPOSIT),
    paid(`${DEPOSIT}, timeout: 10s`),
    paid(`${DEPOSIT}, provider: bank`),
    paid('amount: 5, currency: GBP, postal_code: true'),
    paid(`${DEPOSIT}, timeout: 1m, cards: [visa]`),
  ]);
});
