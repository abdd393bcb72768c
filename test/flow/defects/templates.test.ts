import { expect, it } from 'vitest';
import { checkWhole } from '../check-flow.ts';
import { CLINIC } from './seeded.ts';

it.each([
  ['a step', 'next: opening', 'next: "${ vars.note }"'],
  ['the target of an outcome', 'closed: message', 'closed: "${ vars.note }"'],
  ['a number of visits', 'max_visits: 3', 'max_visits: "${ vars.visits }"'],
  ['a read-back', '{ length: 6 }', '{ length: 6 }, confirm: "${ vars.note }"'],
  [
    'the key of a read-back',
    '{ length: 6 }',
    '{ length: 6 }, confirm: { prompt: ask_patient, accept: "${ vars.note }" }',
  ],
  ['a time of day', 'from: "08:00"', 'from: "${ vars.note }"'],
])('rejects a template as value of %s', (_what, right, wrong) => {
  expect(CLINIC).toContain(right);
  const { diagnostics } = checkWhole(CLINIC.replace(right, () => wrong));
  expect(diagnostics.map(({ message }) => message)).toEqual(['no template may stand here']);
});
