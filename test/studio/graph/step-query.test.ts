/** Search for steps by words and properties. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/core/json.ts';
import type { GraphStep } from '../../../src/language/flow/graph.ts';
import { findSteps, type StepFacts } from '../../../src/pages/studio/web/graph/step-query.ts';

const facts = (
  name: string,
  verb: string,
  written: Json,
  { section, ...more }: Omit<Partial<StepFacts>, 'step'> & { section?: string } = {},
): StepFacts => ({
  step: {
    name,
    verb,
    group: 'say',
    about: '',
    badges: [],
    sensitive: false,
    line: 1,
    exits: [],
    ...(section && { section }),
  } as GraphStep,
  written,
  ...more,
});

const STEPS = [
  facts('greet', 'play', { play: 'welcome', next: 'look_up' }, { words: 'Welcome to the Night Desk', hasNote: true }),
  facts('look_up', 'request', { request: { url: 'https://crm.example/a', timeout: '8s' } }, { section: 'Lookup' }),
  facts('pay', 'request', { request: { url: 'https://pay.example', timeout: '1500ms' } }, { hasProblem: true }),
  facts('ask', 'menu', { menu: { attempts: 3, start_timeout: '5s' }, max_visits: 4 }, { section: 'Night hours' }),
];

const found = (query: string) => {
  const made = findSteps(query, STEPS, new Set(['timeout', 'beep']));
  return 'steps' in made ? made.steps : made.problem;
};

describe('search for steps', () => {
  it.each([
    ['look', ['look_up']],
    ['WELCOME desk', ['greet']],
    ['"night desk"', ['greet']],
    ['night', ['greet', 'ask']],
    ['verb:request', ['look_up', 'pay']],
    ['verb:request timeout>5s', ['look_up']],
    ['timeout<=1.5s', ['pay']],
    ['timeout=8s', ['look_up']],
    ['timeout>1s timeout<1600ms', ['pay']],
    ['attempts>=3', ['ask']],
    ['url:crm', ['look_up']],
    ['group:"night hours"', ['ask']],
    ['name:pay', ['pay']],
    ['words:desk', ['greet']],
    ['has:note', ['greet']],
    ['problem', ['pay']],
    ['has:problem verb:menu', []],
    ['https://crm.example/a', ['look_up']],
    ['beep:yes', []],
  ])('finds the steps that match %s', (query, names) => {
    expect(found(query)).toEqual(names);
  });

  it.each([
    ['verb:', 'verb: has no value.'],
    ['timeout>', 'timeout> has no value.'],
    ['timeout>long', 'long is neither a number nor a duration.'],
    ['has:colour', 'has:colour is not understood.'],
    ['colour:red', 'No step has the property colour.'],
  ])('explains what is understood instead of %s', (query, problem) => {
    expect(found(query)).toBe(
      `${problem} Understood are words, verb:request, timeout>5s, group:night, has:note, and problem.`,
    );
  });
});
