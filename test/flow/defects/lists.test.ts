import { describe, expect, it } from 'vitest';
import { CLINIC, findings, seeded } from './seeded.ts';

const WARD = `    menu:
      prompt: ward_menu
      choices: { heart: { dtmf: "1" }, bone: { dtmf: "2" } }
    set: { ward: "\${ result.choice }" }
    exits: { heart: by_insurance, bone: by_insurance, exhausted: message }`;
const SAY = '"For ${ item.name } press ${ key }."';
const MORE = 'say_more: "For more press 9."';
/** The menu of wards as one of doctors. */
const menu = (args: string, set = '{ note: "${ result.item.name }" }', exits = ''): [string, string] => [
  WARD,
  `    menu: { prompt: welcome, ${args} }
    set: ${set}
    exits: { chosen: by_insurance, empty: message, ${exits}exhausted: message }`,
];
const OTHER = [
  " and vars.ward = 'heart'",
  '',
  'whisper: "A patient of ${ vars.ward }"',
  'whisper: A patient',
  '  ward: { enum: [heart, bone, child] }\n',
  '',
  '  ward_menu: { en-US: "For the heart ward press 1, for the bone ward press 2." }\n',
  '',
];
const each = (args: string, ...rest: string[]) => [...OTHER, ...menu(args, ...rest)];
const DOCTORS = 'each: "${ vars.doctors }"';

describe('menus of lists', () => {
  seeded('not-a-list', [
    each(`each: "\${ «vars.note }", say: ${SAY}, ${MORE}`, '{ note: "${ result.choice }" }'),
    each(`each: "\${ «vars.visits + 1 }", say: ${SAY}, ${MORE}`, '{ note: "${ result.choice }" }'),
    each(`each: «heart, say: it, ${MORE}`.replace('say: it', `say: ${SAY}`), '{ note: "${ result.choice }" }'),
    each(`each: "\${ «$count(vars.doctors) }", say: ${SAY}, ${MORE}`, '{ note: "${ result.choice }" }'),
    each(`each: "\${ «vars.insured }", say: ${SAY}, ${MORE}`, '{ note: "${ result.choice }" }'),
  ]);
  seeded('item-keys', [
    each(`${DOCTORS}, say: ${SAY}, per_page: «9, ${MORE}`),
    each(
      `«each: "\${ vars.doctors }", say: ${SAY}, more: "0", choices: { desk: { dtmf: "1" }, two: { dtmf: "2" } }`,
      '{ note: "${ result.choice }" }',
      'desk: ring, two: ring, ',
    ).map((part) => part.replace('«each: ', 'each: «').replace('more: "0"', 'more: "0", say_more: welcome')),
    each(
      `${DOCTORS}, say: ${SAY}, per_page: «8, more: "*", choices: { desk: { dtmf: "12" }, b: { dtmf: "2" } }, say_more: welcome`,
      '{ note: "${ result.choice }" }',
      'desk: ring, b: ring, ',
    ),
    each(
      `${DOCTORS}, say: ${SAY}, more: «"0", choices: { desk: { dtmf: "0" } }, say_more: welcome`,
      '{ note: "${ result.choice }" }',
      'desk: ring, ',
    ),
    each(
      `${DOCTORS}, say: ${SAY}, per_page: 3, choices: «{ desk: { dtmf: "9" } }, say_more: welcome`,
      '{ note: "${ result.choice }" }',
      'desk: ring, ',
    ),
  ]);
  seeded('unsaid-more?', [
    each(`«${DOCTORS}, say: ${SAY}`),
    each(`«${DOCTORS}, say: ${SAY}, per_page: 3`),
    each(`«${DOCTORS}, say: ${SAY}, more: "0"`),
    each(`«each: "\${ vars.doctors[phone = '1'] }", say: ${SAY}`),
    each(`«each: [{ name: Ann }, { name: Bob }], say: ${SAY}, per_page: 1`),
  ]);
  seeded('unknown-field?', [
    each(`${DOCTORS}, say: "For \${ item.«nam } press \${ key }.", ${MORE}`),
    each(`${DOCTORS}, say: ["For \${ item.«Name } press \${ key }.", welcome], ${MORE}`),
    each(`${DOCTORS}, say: ${SAY}, phrases: "\${ item.«fone }", ${MORE}`),
    each(`${DOCTORS}, say: ${SAY}, ${MORE}`, '{ note: "${ result.item.«nmae }" }'),
    each(`${DOCTORS}, say: ${SAY}, ${MORE}`, '{ note: "${ result.item.name }", pick: "${ result.«indx }" }'),
  ]);
  seeded('unknown-scope', [
    each(`${DOCTORS}, say: "For \${ «itm.name } press \${ key }.", ${MORE}`),
    each(`${DOCTORS}, say: ${SAY}, phrases: "\${ «doctor.name }", ${MORE}`),
    each(`${DOCTORS}, say: ${SAY}, say_more: "After \${ «item.name }"`),
    each(`${DOCTORS}, say: ${SAY}, ${MORE}`, '{ note: "${ «item.name }" }'),
    each(`${DOCTORS}, say: ["\${ «indx }: press \${ key }"], ${MORE}`),
  ]);
});

const loop = (list: string, input: string, more = ''): string[] => [
  ...OTHER,
  WARD,
  `    for_each: { list: ${list}, flow: one, input: ${input}, outcomes: [stop] }
    exits: { done: by_insurance, empty: message, stop: message${more} }`,
];

describe('loops', () => {
  seeded('not-a-list', [
    loop('"${ «vars.note }"', '{}'),
    loop('"${ «vars.visits }"', '{}'),
    loop('«"some of them"', '{}'),
    loop('"${ «$string(vars.doctors) }"', '{}'),
    loop('"${ «vars.visits > 3 }"', '{}'),
  ]);
  seeded('unknown-field?', [
    loop('"${ vars.doctors }"', '{ name: "${ item.«nam }" }'),
    loop('"${ vars.doctors }"', '{ name: "Dr ${ item.«Name }" }'),
    loop('"${ vars.doctors }"', '{ a: { b: "${ item.«fone }" } }'),
    loop('"${ vars.doctors[phone = \'1\'] }"', '{ name: "${ $uppercase(item.«names) }" }'),
    loop('"${ $reverse(vars.doctors) }"', '{ name: "${ item.«tel }" }'),
  ]);
  seeded(
    'unrouted-outcome',
    [
      [
        ...loop('"${ vars.doctors }"', '{}').slice(0, -1),
        loop('"${ vars.doctors }"', '{}')
          .at(-1)!
          .replace('    for_each', '    for_each')
          .replace(', stop: message', ''),
      ],
    ].map((parts) => [...parts.slice(0, -2), `  ward:\n${parts.at(-2)}`, `  «ward:\n${parts.at(-1)}`]),
  );
});

describe('one value of a list', () => {
  const noted = (expression: string): string[] => [
    '  thanks: { play: goodbye, next: report }',
    `  thanks: { play: [goodbye, "The doctor is \${ ${expression} }."], next: report }`,
  ];
  seeded('needs-index?', [
    noted('«vars.doctors.name'),
    noted('«vars.doctors'),
    noted('«$$.vars.doctors.name'),
    noted("'Dr ' & «vars.doctors.name"),
    noted('$uppercase(«vars.doctors.name)'),
    noted("vars.insured ? «vars.doctors.name : 'not known'"),
    ['next: report }\n  report', 'set: { note: "${ «vars.doctors.name }" }, next: report }\n  report'],
    [
      'to: "${ vars.doctors[$$.vars.pick].phone }"',
      'to: "${ vars.doctors[$$.vars.pick].phone & «vars.doctors.phone }"',
    ],
    ['/patients/${ $encodeUrlComponent(vars.patient) }', '/doctors/${ «vars.doctors.phone }'],
    ['whisper: "A patient of ${ vars.ward }"', 'whisper: { text: "A patient of ${ «vars.doctors.name }" }'],
  ]);
  it.each([
    'vars.doctors[0].name',
    'vars.doctors[-1].name',
    "vars.doctors[phone = '1'].name",
    "$join(vars.doctors.name, ', ')",
    '$count(vars.doctors.name)',
    "$count(vars.doctors) = 1 ? vars.doctors.name : 'many'",
    "'1' in vars.doctors.phone ? 'yes' : 'no'",
    '$sum(vars.doctors.($number(phone)))',
  ])('accepts %s in a sentence', (expression) => {
    const [from, to] = noted(expression) as [string, string];
    expect(findings(CLINIC.replace(from, to))).toEqual([]);
  });
});
