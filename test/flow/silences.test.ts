/** Silenced warnings, with a reason. */
import { expect, it } from 'vitest';
import { CLINIC, findings } from './defects/seeded.ts';

const EXITS = 'exits: { heart: by_insurance, bone: by_insurance, exhausted: ward }';
const LOOP = CLINIC.replace(EXITS.replace('exhausted: ward', 'exhausted: message'), EXITS);
const DECLARED = CLINIC.replace('vars:\n', 'vars:\n  plan: { type: string }\n');
const silenced = (text: string, silence: string) => text.replace(EXITS, `${EXITS}\n    check: ${silence}`);

it('is not found at its step', () => {
  expect(findings(LOOP)).toEqual([expect.stringMatching(/ silent-caller\?$/)]);
  expect(findings(silenced(LOOP, '{ silent-caller: The ward asks until somebody answers. }'))).toEqual([]);
});

it('is still found at another step', () => {
  const elsewhere = LOOP.replace(
    '  greet: { play: welcome,',
    '  greet: { play: welcome, check: { silent-caller: not mine },',
  );
  expect(findings(elsewhere).map((line) => line.split(' ')[1])).toEqual(['unused-silence?', 'silent-caller?']);
});

it('is silenced at the flow where it is about a declaration', () => {
  expect(findings(DECLARED)).toEqual(['6:3 unused-variable?']);
  expect(
    findings(DECLARED.replace('vars:\n', 'check: { unused-variable: The next version reads it. }\nvars:\n')),
  ).toEqual([]);
});

it('requires a reason for silencing', () => {
  expect(findings(silenced(LOOP, '{ silent-caller: "" }'))).toEqual([expect.stringMatching(/ wrong-value$/)]);
});

it('does not hold for errors', () => {
  const wrong = CLINIC.replace('$uppercase(', '$upcase(').replace(
    '  report:\n',
    '  report:\n    check: { unknown-function: it will come }\n',
  );
  expect(findings(wrong)).toEqual([expect.stringMatching(/ unknown-function$/)]);
});

it.each([
  [
    'unknown-provider',
    'message: { to: "+33199001122", text: Hello, provider: sms }, exits: { sent: bye, refused: bye, error: bye }',
  ],
  ['misspelt-schedule', 'schedule: office, exits: { open: bye, closed: bye, holiday: bye, error: bye }'],
])('is not unused where %s depends on a configuration that is not in sight', (code, step) => {
  const flow = `flow: a\nstart: one\nsteps:\n  one: { ${step}, check: { ${code}: The other system has it. } }\n  bye: { hangup: normal }\n`;
  expect(findings(flow).filter((line) => !line.includes('no-meanwhile'))).toEqual([]);
});
