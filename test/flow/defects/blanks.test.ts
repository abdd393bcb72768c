/** Values that may be missing or null where a value is needed, each at its place, and the guards that make them safe. */
import { describe, expect, it } from 'vitest';
import { CLINIC, type Defect, findings, seeded } from './seeded.ts';

const DIGITS = 'digits: { length: 6 } }';
const SPOKEN = 'digits: { length: 6 }, speech: {} }';
const SET = 'set: { patient: "${ result.digits }" }';
const VISITS = 'visits: "${ result.body.visits }"';
const COUNT = 'visits: "${ vars.visits + 1 }"';
const RETURNS = `        required: [visits]
        properties:
          visits: { type: integer }
`;
const PROMPT = 'prompt: ward_menu';
const WHISPER = 'whisper: "A patient of ${ vars.ward }"';
const NULLABLE: Defect = ['          visits: { type: integer }', '          visits: { type: [integer, "null"] }'];
const OPTIONAL: Defect = ['        required: [visits]\n', ''];
const NAMED: Defect = [
  '          insured: { type: boolean }\n',
  '          insured: { type: boolean }\n          name: { type: string }\n          title: { type: [string, "null"] }\n',
];

it('has the parts that are replaced', () => {
  for (const part of [DIGITS, SET, VISITS, COUNT, RETURNS, PROMPT, WHISPER]) expect(CLINIC).toContain(part);
});

describe('a question for keys or words', () => {
  const spoken = (set: string): Defect => [DIGITS, SPOKEN, SET, set];
  seeded('may-be-missing?', [
    spoken('set: { patient: "${ «result.digits }" }'),
    spoken('set: { patient: "${ $trim(«result.digits) }" }'),
    spoken('set: { patient: "${ $substring(«result.digits, 0, 6) }" }'),
    spoken('set: { patient: "${ result.digits ?? \'000000\' }", note: "${ «result.speech }" }'),
    spoken('set: { patient: "${ ($typed := result.digits; «$typed) }" }'),
    [
      ...spoken('set: { patient: "${ result.digits ?? \'000000\' }" }'),
      COUNT,
      `${COUNT}, note: "\${ «steps.ask_patient.digits }"`,
    ],
  ]);
});

describe('an answer of a service', () => {
  seeded('may-be-null?', [
    [...NULLABLE, VISITS, 'visits: "${ «result.body.visits }"'],
    [...NULLABLE, VISITS, 'visits: "${ «result.body.visits + 1 }"'],
    [...NULLABLE, VISITS, 'visits: "${ $round(«result.body.visits) }"'],
    [...NULLABLE, VISITS, 'visits: "${ «result.body.visits > 3 ? 3 : 0 }"'],
    [...NULLABLE, VISITS, 'visits: "${ $exists(result.body.visits) ? «result.body.visits : 0 }"'],
    [...NULLABLE, VISITS, 'visits: 1, note: "${ «result.body.visits & \' visits\' }"'],
    [...NULLABLE, VISITS, 'visits: 1', PROMPT, 'prompt: ["${ «steps.look_up.body.visits } visits.", ward_menu]'],
  ]);
  seeded('may-be-missing?', [
    [...OPTIONAL, VISITS, 'visits: "${ «result.body.visits }"'],
    [...OPTIONAL, VISITS, 'visits: "${ «result.body.visits + 1 }"'],
    [...OPTIONAL, VISITS, 'visits: "${ $abs(«result.body.visits) }"'],
    [...OPTIONAL, VISITS, 'visits: 1', COUNT, 'visits: "${ «steps.look_up.body.visits }"'],
    [...NAMED, VISITS, `${VISITS}, note: "\${ «result.body.name }"`],
  ]);
});

describe('an optional field that callers hear', () => {
  const said = (prompt: string): Defect => [...NAMED, PROMPT, `prompt: [${prompt}, ward_menu]`];
  seeded('may-be-missing?', [
    said('"${ «steps.look_up.body.name }"'),
    said('"Hello ${ «steps.look_up.body.name }."'),
    said('"${ \'Hello \' & «steps.look_up.body.name }"'),
    said('{ text: "Hello ${ «steps.look_up.body.name }." }'),
    said('"${ $uppercase(«steps.look_up.body.name) }"'),
  ]);
});

describe('an outcome that leads to a step', () => {
  const failed = (use: string): Defect => [
    'exits: { ok: count, not_found: ask_patient, failed: message }',
    'exits: { ok: count, not_found: ask_patient, failed: told }',
    '  thanks: {',
    `  told: { play: ${use}, next: message }\n  thanks: {`,
  ];
  seeded('may-be-missing?', [
    failed('"Error ${ «steps.look_up.status }."'),
    failed('"The service says ${ «steps.look_up.body.reason }."'),
    failed('["We found", "${ «steps.look_up.body.visits }", "visits so far."]'),
    failed('"${ \'Visits: \' & $string(«steps.look_up.body.visits) }"'),
    failed('{ text: "${ «steps.look_up.message }" }'),
  ]);
});

/** Spellings of guards: none is reported. */
describe('a guard', () => {
  const GUARDED: readonly Defect[] = [
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ result.digits ?? \'000000\' }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ result.digits ?: \'000000\' }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ result.digits ? result.digits : \'000000\' }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ $exists(result.digits) ? result.digits : \'000000\' }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ $not($exists(result.digits)) ? \'000000\' : result.digits }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ [result.digits, \'000000\'][0] }" }'],
    [DIGITS, SPOKEN, SET, 'set: { patient: "${ $length(result.digits) > 3 ? result.digits : \'000000\' }" }'],
    [
      DIGITS,
      SPOKEN,
      SET,
      'set: { patient: "${ ($has := $exists(result.digits); $has ? result.digits : \'000000\') }" }',
    ],
    [DIGITS, SPOKEN, SET, "set: { patient: \"${ result.digits = '1' or result.digits ? result.digits : '000000' }\" }"],
    [...NULLABLE, VISITS, 'visits: "${ result.body.visits = null ? 0 : result.body.visits }"'],
    [...NULLABLE, VISITS, 'visits: "${ result.body.visits != null ? result.body.visits : 0 }"'],
    [...NULLABLE, VISITS, 'visits: "${ result.body.visits ?: 0 }"'],
    [...NULLABLE, VISITS, 'visits: "${ result.body.visits > 0 ? result.body.visits : 0 }"'].map((part) =>
      part.replace('result.body.visits > 0', "$type(result.body.visits) = 'number'"),
    ),
    [...NULLABLE, VISITS, 'visits: "${ result.body.visits and result.body.visits > 3 ? 3 : 0 }"'],
    [...NAMED, PROMPT, 'prompt: ["${ steps.look_up.body.name ? \'Hello \' & steps.look_up.body.name }", ward_menu]'],
    [...NAMED, WHISPER, 'whisper: "${ steps.look_up.body.title != null ? steps.look_up.body.title }"'],
  ];
  it.each(GUARDED.map((parts) => [parts.at(-1)!, parts] as const))('makes this safe: %s', (_name, parts) => {
    let text = CLINIC;
    for (let at = 0; at < parts.length; at += 2) {
      expect(text).toContain(parts[at]!);
      text = text.replace(parts[at]!, () => parts[at + 1]!);
    }
    expect(findings(text)).toEqual([]);
  });

  it('accepts a branch before the step', () => {
    const text = CLINIC.replace('name: { type: string }, phone', 'name: { type: string }, phone')
      .replace(NAMED[0]!, () => NAMED[1]!)
      .replace('exits: { ok: count,', 'exits: { ok: known,')
      .replace(
        '  count: {',
        '  known:\n    branch:\n      - { when: "$exists(steps.look_up.body.name)", next: hello }\n      - { else: count }\n  hello: { play: "Hello ${ steps.look_up.body.name }.", next: count }\n  count: {',
      );
    expect(findings(text)).toEqual([]);
  });
});
