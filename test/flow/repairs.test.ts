/** Repairs that `check` offers: made in the text, the finding is gone and nothing else is found. */
import { expect, it } from 'vitest';
import { applyEdits } from '../../src/language/flow/text/text-edits.ts';
import { checkWhole } from './check-flow.ts';
import { CLINIC } from './defects/seeded.ts';

const NOTE = '  note: { type: string, default: none }\n';

it.each([
  ['a misspelt step', 'closed: message, holiday', 'closed: mesage, holiday'],
  ['a misspelt outcome', 'not_found: ask_patient', 'not_foud: ask_patient'],
  ['a misspelt key', '    collect: { prompt: ask_patient', '    collect: { promt: ask_patient'],
  ['a misspelt verb', '  greet: { play: welcome', '  greet: { pley: welcome'],
  ['a misspelt variable', '$count(vars.doctors)', '$count(vars.docters)'],
  ['a misspelt field of a result', '${ result.digits }', '${ result.digitz }'],
  ['a misspelt field of an answer', 'result.body.visits', 'result.body.visit'],
  ['a misspelt function', '$uppercase(', '$uppercse('],
  ['a name in brackets', '[$$.vars.pick]', '[vars.pick]'],
  ['a name in an item', '[$$.vars.pick].phone', '[$$.vars.pick].(vars.note = name ? phone)'],
  ['a text for a number', '"${ result.body.visits }"', '"${ $string(result.body.visits) }"'],
  ['an unused variable', NOTE, `${NOTE}  plan: { type: string }\n`],
  ['an unused prompt', 'prompts:\n', 'prompts:\n  old: { en-US: We are closed. } # for ever\n'],
  [
    'an unused schedule of several lines',
    'schedules:\n',
    'schedules:\n  night:\n    open:\n      - { from: "20:00", to: "06:00" }\n',
  ],
  ['a secret in the clear', 'get: "https:', 'auth: { bearer: abc }\n      get: "http:'],
  ['a word that readers disagree about', 'pick: { type: integer', 'pick: { description: no, type: integer'],
])('repairs the mistake in %s', (_name, right, wrong) => {
  expect(CLINIC).toContain(right);
  const text = CLINIC.replace(right!, () => wrong!);
  const found = checkWhole(text).diagnostics;
  expect(found.length).toBeGreaterThan(0);
  const { text: repaired, made } = applyEdits(
    text,
    found.flatMap(({ fix }) => fix ?? []),
  );
  expect(made).toBeGreaterThan(0);
  expect(checkWhole(repaired).diagnostics).toEqual([]);
});

it('leaves to people what has no obvious repair', () => {
  const { diagnostics } = checkWhole(CLINIC.replace("vars.ward = 'heart'", "vars.ward = 'kidney'"));
  expect(diagnostics.map(({ code, fix }) => [code, fix])).toEqual([['compare-value', undefined]]);
});

it('makes one of two edits that touch', () => {
  const edit = (column: number, endColumn: number, text: string) => ({ line: 1, column, endLine: 1, endColumn, text });
  expect(applyEdits('abc', [edit(2, 3, 'x'), edit(1, 3, 'y')])).toEqual({ text: 'yc', made: 1 });
});
