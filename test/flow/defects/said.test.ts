/** Prompts compared with what steps do: keys, numbers of digits and choices, in five languages. */
import { describe, expect, it } from 'vitest';
import { saidCounts } from '../../../src/language/flow/said/said-counts.ts';
import { saidKeys } from '../../../src/language/flow/said/said-keys.ts';
import { SAID_LANGUAGES } from '../../../src/language/flow/said/said-words.ts';
import { applyEdits } from '../../../src/language/flow/text/text-edits.ts';
import { brief, check, checkWhole } from '../check-flow.ts';
import { CLINIC } from './seeded.ts';

/** Each defect is found at the places with «, and by no other finding. */
function reports(code: string, flows: readonly string[], { isRepaired = false } = {}): void {
  it.each(flows.map((text) => [text.match(/[^\n]*«[^\n]*/)?.[0].trim() ?? '', text] as const))(
    `reports ${code} for %s`,
    (_name, marked) => {
      const text = marked.replaceAll('«', '');
      const places = marked
        .split('«')
        .slice(0, -1)
        .map((_, index, parts) => {
          const before = parts
            .slice(0, index + 1)
            .join('')
            .split('\n');
          return `${before.length}:${before.at(-1)!.length + 1} ${code}`;
        });
      const { diagnostics } = check(text);
      expect(brief(diagnostics).toSorted()).toEqual(places.toSorted());
      if (!isRepaired) return;
      const { text: repaired } = applyEdits(
        text,
        diagnostics.flatMap(({ fix }) => fix ?? []),
      );
      expect(repaired).not.toBe(text);
      expect(brief(check(repaired).diagnostics)).toEqual([]);
    },
  );
}

const HEAD = `flow: a
defaults: { input: { no_input: [again], no_match: [again] }, exits: { error: bye } }
prompts: { again: Once more please. }
start: first
steps:
`;
const flow = (steps: string): string => `${HEAD}  first: ${steps}\n  bye: { hangup: normal }\n`;

const menu = (prompt: string, choices: string): string =>
  flow(
    `{ menu: { prompt: ${JSON.stringify(prompt)}, choices: { ${choices} } }, exits: { ${exitsOf(choices)}, exhausted: bye } }`,
  );
const exitsOf = (choices: string): string =>
  [...choices.matchAll(/([\w-]+)»?: \{/g)].map(([, name]) => `${name}: bye`).join(', ');
const two = (one: string, other: string): string =>
  `bills: { dtmf: «"1", say: [${one}] }, outages: { dtmf: «"2", say: [${other}] }`;

describe('keys the other way round', () => {
  reports(
    'said-choice?',
    [
      menu('For outages press 1, for your bill press 2.', 'bills: { dtmf: «"1" }, outages: { dtmf: «"2" }'),
      menu('Press 1 for outages, or 2 for bills.', 'bills: { dtmf: «"1" }, outages: { dtmf: «"2" }'),
      menu('To report an outage, press one. To pay a bill, press two.', 'bill: { dtmf: «"1" }, outage: { dtmf: «"2" }'),
      menu('For billing dial 2. For an outage push the 1 key.', 'bill: { dtmf: «"1" }, outages: { dtmf: «"2" }'),
      menu('For outages press 1, for bills 2.', 'bills: { dtmf: «"1" }, outages: { dtmf: «"2" }'),
      menu('Für Störungen drücken Sie die 1, für Rechnungen die 2.', two('Rechnung', 'Störung')),
      menu('Drücken Sie die Eins für Störungen, drücken Sie die Zwei für Rechnungen.', two('Rechnungen', 'Störungen')),
      menu(
        'Wenn Sie eine Störung melden möchten, wählen Sie bitte die 1. Für Ihre Rechnung die 2 drücken.',
        two('Rechnung', 'Störung'),
      ),
      menu('Pour une panne, tapez 1. Pour une facture, tapez 2.', two('facture', 'panne')),
      menu('Appuyez sur le 1 pour une panne, sur le 2 pour une facture.', two('facture', 'panne')),
      menu('Para averías, pulse 1; para facturas, pulse el 2.', two('factura', 'avería')),
      menu('Marque uno para averías o dos para facturas.', two('facturas', 'averías')),
      menu('Per guasti premere 1, per fatture premere 2.', two('fattura', 'guasto')),
      menu('Prema il tasto 1 per i guasti, prema il tasto 2 per le fatture.', two('fatture', 'guasti')),
    ],
    { isRepaired: true },
  );
  reports('said-choice?', [
    menu(
      'For outages press 3, for bills press 2, for our hours press 1.',
      'outages: { dtmf: «"1" }, bills: { dtmf: "2" }, three: { dtmf: "3" }',
    ),
  ]);

  it.each([
    [
      'a choice whose own key has its name too',
      'For the state of an order press 1, for questions about orders press 2.',
      'order: { dtmf: "1" }, agent: { dtmf: "2" }',
    ],
    [
      'a negated choice',
      'Press 1 if you agree, 2 if you do not agree.',
      'agreed: { dtmf: "1" }, refused: { dtmf: "2" }',
    ],
    ['names that say nothing', 'For outages press 1, for bills press 2.', 'one: { dtmf: "1" }, two: { dtmf: "2" }'],
    [
      'a greeting before the first key',
      'Thank you for calling about your order, press 1 for sales, 2 for orders.',
      'sales: { dtmf: "1" }, orders: { dtmf: "2" }',
    ],
    [
      'words before and after the keys',
      'For sales press 1 to be connected, for orders press 2.',
      'sales: { dtmf: "1" }, orders: { dtmf: "2" }',
    ],
  ])('accepts a menu with %s', (_name, prompt, choices) => {
    expect(brief(check(menu(prompt, choices)).diagnostics)).toEqual([]);
  });
});

describe('choices that no prompt names', () => {
  reports('unsaid-choice?', [
    menu('For outages press 1.', 'outages: { dtmf: "1" }, «bills: { dtmf: "2" }'),
    menu(
      'Für Störungen drücken Sie die 1, für Fragen die 3.',
      'one: { dtmf: "1" }, «bills: { dtmf: "2" }, three: { dtmf: "3" }',
    ),
    menu('Pour une panne, tapez 2.', 'outages: { dtmf: "2" }, «bills: { dtmf: "1", say: [facture] }'),
    menu(
      'Para averías, pulse 1. Para facturas, pulse 2.',
      'outages: { dtmf: "1" }, bills: { dtmf: "2" }, «desk: { dtmf: "0" }',
    ),
    menu('Per guasti premere 1 o 2.', 'outages: { dtmf: "1" }, more: { dtmf: "2" }, «bills: { dtmf: "3" }'),
  ]);

  const languages = (prompts: Readonly<Record<string, string>>): string =>
    menu('ask', 'outages: { dtmf: "1" }, «bills: { dtmf: "2" }')
      .replace('"ask"', 'ask')
      .replace('prompts: {', `prompts: { ask: ${JSON.stringify(prompts)},`);
  const ALL = {
    'en-US': 'For outages press 1, for bills press 2.',
    'de-DE': 'Für Störungen drücken Sie die 1, für Rechnungen die 2.',
    'fr-FR': 'Pour une panne, tapez 1. Pour une facture, tapez 2.',
    'es-ES': 'Para averías, pulse 1. Para facturas, pulse 2.',
    'it-IT': 'Per guasti premere 1, per fatture premere 2.',
  };
  reports('unsaid-choice?', [
    languages({ ...ALL, 'en-US': 'For outages press 1.' }),
    languages({ ...ALL, 'de-DE': 'Für Störungen drücken Sie die 1.' }),
    languages({ ...ALL, 'fr-FR': 'Pour une panne, tapez 1.' }),
    languages({ ...ALL, 'es-ES': 'Para averías, pulse 1.' }),
    languages({ ...ALL, 'it-IT': 'Per guasti premere 1.', 'de-DE': 'Für Störungen die 1 drücken.' }),
  ]);

  it('names the languages in which a choice is not named', () => {
    const left = { ...ALL, 'de-DE': 'Für Störungen die 1 drücken.', 'it-IT': 'Per guasti premere 1.' };
    const [found] = check(languages(left).replace('«', '')).diagnostics;
    expect(found?.message).toBe('no prompt in de-DE, it-IT names `bills`, whose key is `2`');
    expect(brief(check(languages(ALL).replace('«', '')).diagnostics)).toEqual([]);
  });

  it.each([
    [
      'keys from one to five',
      'Press a key from one to five.',
      'one: { dtmf: "1" }, two: { dtmf: "2" }, five: { dtmf: "5" }',
    ],
    ['a range of keys', 'Press 1 to 3.', 'one: { dtmf: "1" }, two: { dtmf: "2" }, three: { dtmf: "3" }'],
    ['phrases', 'Say sales, or press 2 for support.', 'sales: { dtmf: "1", say: [sales] }, support: { dtmf: "2" }'],
    ['a list of keys', 'Press 1, 2 or 3.', 'one: { dtmf: "1" }, two: { dtmf: "2" }, three: { dtmf: "3" }'],
    ['no keys at all', 'What can we do for you?', 'one: { dtmf: "1" }, two: { dtmf: "2" }'],
  ])('accepts a menu with %s', (_name, prompt, choices) => {
    expect(brief(check(menu(prompt, choices)).diagnostics)).toEqual([]);
  });

  it('accepts keys that the announcement before the menu names', () => {
    const text = `${HEAD}  first: { play: "For sales press 1, for support press 2.", next: ask }
  ask: { menu: { prompt: "To repeat, press 9.", choices: { sales: { dtmf: "1" }, support: { dtmf: "2" }, again: { dtmf: "9" } } }, exits: { sales: bye, support: bye, again: first, exhausted: bye } }
  bye: { play: "Thank you. Goodbye.", next: $end }
`;
    expect(brief(check(text).diagnostics)).toEqual([]);
  });
});

const collect = (args: string): string => flow(`{ collect: { ${args} }, exits: { collected: bye, exhausted: bye } }`);

describe('numbers of digits', () => {
  reports(
    'said-length?',
    [
      collect('prompt: "Please enter the nine digits.", digits: { length: «8 }'),
      collect('prompt: "Please enter your 5-digit code.", digits: { length: «4 }'),
      collect('prompt: "Bitte geben Sie Ihre achtstellige Nummer ein.", digits: { length: «6 }'),
      collect('prompt: "Bitte geben Sie die sechs Ziffern ein.", digits: { length: «5 }'),
      collect('prompt: "Entrez votre code à quatre chiffres.", digits: { length: «6 }'),
      collect('prompt: "Introduzca los cinco dígitos de su código.", digits: { length: «4 }'),
      collect('prompt: "Inserisca le dieci cifre del numero.", digits: { length: «9 }'),
    ],
    { isRepaired: true },
  );
  reports('said-length?', [
    collect('prompt: «"Please enter four to six digits.", digits: { length: 8 }'),
    collect('prompt: «"Please enter at least ten digits.", digits: { max: 8 }'),
    collect('prompt: «"Bis zu zwölf Ziffern, bitte. Das sind höchstens 12 Ziffern.", digits: { max: 8 }'),
    collect('prompt: «"Please enter your nine digits.", digits: { min: 4, max: 8 }'),
    collect('prompt: «"Entrez les dix chiffres.", digits: { min: 6, max: 12, pattern: "[0-9]{6}|[0-9]{12}" }'),
  ]);

  it.each([
    ['parts that add up', 'Enter two digits for the day and two digits for the month.', '{ length: 4 }'],
    ['digits each', 'Enter the day and the month, two digits each.', '{ length: 4 }'],
    ['the end of a longer number', 'Enter the last four digits of your card.', '{ length: 16 }'],
    ['a range within the bounds', 'An account number has four to eight digits.', '{ min: 4, max: 8 }'],
    ['the upper bound', 'Enter up to eight digits.', '{ min: 2, max: 8 }'],
  ])('accepts a question with %s', (_name, prompt, digits) => {
    expect(brief(check(collect(`prompt: "${prompt}", digits: ${digits}`)).diagnostics)).toEqual([]);
  });
});

describe('keys that end, confirm or continue', () => {
  reports(
    'said-digit?',
    [
      collect('prompt: "Enter your number, then press star.", digits: { terminator: «"#" }'),
      collect('prompt: "Enter your number followed by the hash key.", digits: { terminator: «"*" }'),
      collect('prompt: "Geben Sie die Nummer ein, und drücken Sie die Sterntaste.", digits: { terminator: «"#" }'),
      collect('prompt: "Tapez votre numéro, puis appuyez sur étoile.", digits: { terminator: «"#" }'),
      collect('prompt: "Introduzca el número seguido de almohadilla.", digits: { terminator: «"*" }'),
      collect('prompt: "Digiti il numero e prema cancelletto.", digits: { terminator: «"*" }'),
      flow(
        '{ record: { prompt: "Please speak, which we record, and press star at the end.", terminator: «"#" }, exits: { recorded: bye, silence: bye } }',
      ),
      flow(
        '{ queue: { name: desk, agents: ["user:anna"], position: "Press star to leave.", leave_key: «"#", timeout: 5m }, exits: { dequeued: bye, abandoned: bye, full: busy, timeout: busy } }\n  busy: { play: "Everybody is busy.", next: bye }',
      ),
      ...[
        'Enter your number. When you are done, press now the star key.',
        'Geben Sie die Nummer ein. Drücken Sie am Ende den Stern.',
        'Geben Sie die Nummer ein. Drücken Sie, wenn Sie fertig sind, die Sterntaste.',
        'Tapez votre numéro. Appuyez ensuite sur étoile.',
        'Tapez votre numéro. Appuyez, une fois terminé, sur la touche étoile.',
        'Introduzca el número. Pulse al final asterisco.',
        'Introduzca el número y pulse, al terminar, la tecla asterisco.',
        'Digiti il numero. Prema alla fine asterisco.',
      ].map((prompt) => collect(`prompt: "${prompt}", digits: { terminator: «"#" }`)),
      ...['Press two to take it.', 'Drücken Sie die Zwei.', 'Appuyez sur le deux.', 'Pulse dos.', 'Premere due.'].map(
        (prompt) =>
          flow(
            `{ bridge: { to: "user:anna", screen: { prompt: "${prompt}", accept: «"1" } }, exits: { completed: bye, failed: bye } }`,
          ),
      ),
      ...[
        'For more press eight.',
        'Für weitere drücken Sie die acht.',
        'Pour la suite, tapez 8.',
        'Para más, pulse ocho.',
        'Per altri prema otto.',
      ].map((more) =>
        flow(
          `{ menu: { prompt: Which team?, each: [a, b], per_page: 1, say: "For \${ item } press \${ key }.", more: «"9", say_more: "${more}" }, exits: { chosen: bye, empty: bye, exhausted: bye } }`,
        ),
      ),
    ],
    { isRepaired: true },
  );
  reports('said-digit?', [
    collect('prompt: «"Enter your number, then press star.", digits: { max: 8 }'),
    collect(
      'prompt: "Your code please.", digits: { length: 4 }, confirm: { prompt: «"Press 3 if that is right, press 2 to change it." }',
    ),
    collect(
      'prompt: "Ihr Code bitte.", digits: { length: 4 }, confirm: { prompt: «"Wenn das stimmt, drücken Sie die 4." }',
    ),
    flow(
      '{ record: { prompt: «"Please speak, which we record, and press star at the end." }, exits: { recorded: bye, silence: bye } }',
    ),
    flow(
      '{ bridge: { to: "user:anna", screen: { prompt: «"Press two to take the call." } }, exits: { completed: bye, failed: bye } }',
    ),
    flow('{ serve: { queue: desk, ready: «"Press 5 to pause." }, exits: { left: bye } }'),
    flow(
      '{ queue: { name: desk, agents: ["user:anna"], position: «"You are number ${ result.position }. Press star to leave.", leave_key: "#", callback: { flow: back, key: "1" }, timeout: 5m }, exits: { dequeued: bye, abandoned: bye, callback: bye, no_callback: busy, full: busy, timeout: busy } }\n  busy: { play: "Everybody is busy.", next: bye }',
    ),
    `${HEAD}  first: { play: «"Press star to leave the conference.", next: meet }
  meet: { conference: { name: team, leave_key: "#" }, exits: { left: bye, ended: bye, full: bye } }
  bye: { play: "Thank you. Goodbye.", next: $end }
`,
    `${HEAD}  first: { play: «"Mit der Raute geht es hinaus. Drücken Sie die Raute.", next: meet }
  meet: { conference: { name: team, leave_key: "*" }, exits: { left: bye, ended: bye, full: bye } }
  bye: { play: "Thank you. Goodbye.", next: $end }
`,
  ]);
  const confirmed = (prompt: string, args: string): string =>
    collect(`prompt: "Your code please.", digits: { length: 4 }, confirm: { prompt: ${prompt}${args} }`);
  reports('said-choice?', [
    confirmed('«"Press 2 if that is right, press 1 to enter it again."', ''),
    confirmed('"If it is wrong, press one."', ', accept: «"1"'),
    confirmed('«"Wenn das richtig ist, drücken Sie die 2."', ''),
    confirmed('«"Si c’est correct, tapez 2, pour corriger tapez 1."', ''),
    confirmed('«"Si es correcto, pulse 2."', ''),
    confirmed('«"Se è corretto prema 2, per ripetere prema 1."', ''),
  ]);
});

describe('keys while a caller waits', () => {
  const waits = (prompt: string, keys: string, exits = ''): string => `${HEAD}  first:
    queue: { name: desk, agents: ["user:anna"], timeout: 5m, waiting: music${keys} }
    exits: { dequeued: bye, full: busy, timeout: busy${exits} }
  busy: { play: "Everybody is busy.", next: bye }
  bye: { hangup: normal }
flows:
  music:
    start: say
    steps:
      say: { play: «"${prompt}", exits: { done: $end, error: $end } }
`;
  const LEAVE = ', abandoned: bye';
  reports('said-digit?', [
    waits('Please wait, or press 1 to leave a message.', ', leave_key: "9"', LEAVE),
    waits('Please wait, or press one to leave a message.', ''),
    waits('Bitte warten Sie, oder drücken Sie die Raute.', ', leave_key: "*"', LEAVE),
    waits('Patientez, ou tapez 2.', ', leave_key: "1"', LEAVE),
    waits('Espere, o pulse 3.', ''),
    waits('Attenda, o prema 4.', ', leave_key: "5"', LEAVE),
    waits(
      'To be called back press 3.',
      ', leave_key: "1", callback: { flow: a, key: "2" }',
      `${LEAVE}, callback: bye, no_callback: busy`,
    ),
  ]);

  it.each([
    ['the leave_key', 'Press 1 to leave.', ', leave_key: "1"', LEAVE],
    ['no key', 'Please wait.', '', ''],
    ['a key that only the call knows', 'Press 1 to leave.', ', leave_key: "${ call.to }"', LEAVE],
  ])('accepts a waiting flow that says %s', (_name, prompt, keys, exits) => {
    expect(brief(check(waits(prompt, keys, exits).replace('«', '')).diagnostics)).toEqual([]);
  });
});

describe('items of a list', () => {
  const items = (say: string): string =>
    flow(
      `{ menu: { prompt: Which team?, each: [{ name: a }, { name: b }], say: ${say}, say_more: "For more press 9." }, exits: { chosen: bye, empty: bye, exhausted: bye } }`,
    );
  reports('unsaid-key?', [
    items('«"For ${ item.name }."'),
    items('«"For ${ item.name } press 1."'),
    items('«["The team", "${ item.name }"]'),
    items('«{ text: "Für ${ item.name }, Nummer ${ index + 1 }." }'),
    items('«"Pour ${ item.name }"'),
  ]);
});

describe('reader of prompts', () => {
  it.each([
    ['Press 1 or 2.', ['1', '2']],
    ['Press one to five.', ['1', '2', '3', '4', '5']],
    ['Press star six.', ['*6']],
    ['Please press the pound key.', ['#']],
    ['Press one of the keys.', []],
    ['Do not press charges. We have 3 shops.', []],
    ['For room ten press 10, for room twenty press 20, to end press star.', ['10', '20', '*']],
    ['Tapez un code.', []],
    ['Tapez un.', ['1']],
    ['Drücken Sie auf die Taste 7.', ['7']],
    ['Premi 1, 2 o 3.', ['1', '2', '3']],
    ['Press ${ key }.', []],
  ])('finds the keys in the text: %s', (text, keys) => {
    expect(saidKeys(text).flatMap((said) => said.keys)).toEqual(keys);
  });

  it.each([
    ['a four-digit PIN', [[4, 4]]],
    ['4 to 6 digits', [[4, 6]]],
    ['up to twelve digits', [[0, 12]]],
    ['eine 8-stellige Nummer', [[8, 8]]],
    ['the last four digits', []],
    ['your digits', []],
  ])('finds the number of digits in: %s', (text, counts) => {
    expect(saidCounts(text).map(({ least, most }) => [least, most])).toEqual(counts);
  });

  it('knows the number words of each language', () => {
    expect(SAID_LANGUAGES.map(({ numbers }) => [0, 2, 12, 17, 20].map((number) => numbers[number]))).toEqual([
      ['zero', 'two', 'twelve', 'seventeen', 'twenty'],
      ['null', 'zwei', 'zwölf', 'siebzehn', 'zwanzig'],
      ['cero', 'dos', 'doce', 'diecisiete', 'veinte'],
      ['zéro', 'deux', 'douze', 'dix-sept', 'vingt'],
      ['zero', 'due', 'dodici', 'diciassette', 'venti'],
    ]);
  });
});

it('finds nothing in the correct flow of a clinic', () => {
  expect(brief(checkWhole(CLINIC).diagnostics)).toEqual([]);
});
