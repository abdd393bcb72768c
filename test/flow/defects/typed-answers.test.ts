import { describe, expect, it } from 'vitest';
import { findings } from './seeded.ts';

const FLOW = `flow: booking
vars: { day: { type: string, default: "" } }
prompts: { ask: For which day?, again: Once more please., sorry: Sorry. }
defaults:
  timezone: Europe/Paris
  input: { no_input: [again], no_match: [again] }
  exits: { error: sorry }
start: ask
steps:
  ask:
    collect: { prompt: ask, date: { range: future } }
    set: { day: "\${ result.date }" }
    exits: { collected: place, exhausted: sorry }
  place: { call: { to: "+33612345678", flow: call-out, in: 10m }, exits: { placed: said, refused: sorry } }
  said: { play: "On \${ steps.ask.spoken }, \${ $spoken(vars.day, 'date') }.", next: bye }
  sorry: { play: sorry, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

const found = (from: string, to: string): string => {
  const text = FLOW.replace(from, () => to);
  expect(text).not.toBe(FLOW);
  return findings(text).join('\n');
};

describe('check of typed answers and placed calls', () => {
  it('finds nothing in a correct flow', () => {
    expect(findings(FLOW)).toEqual([]);
  });

  it.each([
    ['a day that does not exist', 'range: future', 'latest: "2027-02-30"', /11:45 no-such-day/],
    ['an empty period', 'range: future', 'earliest: "2027-02-02", latest: "2027-02-01"', '11:47 empty-range'],
    ['an empty range of amounts', 'date: { range: future }', 'amount: { min: 5, max: 4 }', /empty-range/],
    ['an unknown currency', 'date: { range: future }', 'amount: { currency: EUX }', /unknown-currency/],
    ['a length with a minimum', 'date: { range: future }', 'code: { length: 4, min: 2 }', /digits-range/],
    ['two types', 'date: {', 'time: {}, date: {', /11:5 wrong-keys/],
    ['a type beside digits', 'date: {', 'digits: {}, date: {', /11:5 wrong-keys/],
    ['a confirmation without a question', 'date: { range: future }', 'digits: {}, confirm: {}', /missing-key/],
    ['a field of another type', 'result.date', 'result.time', /unknown-field/],
    ['speech of keys alone', 'result.date', 'result.speech', /unknown-field/],
    ['an outcome that only speech has', 'collected: place', 'collected: place, speech: place', /unknown-outcome/],
    ['a start in two ways', 'in: 10m', 'in: 10m, at: "07:30"', /14:18 wrong-value/],
    ['a start without a unit', 'in: 10m', 'in: 10', /duration/],
    ['a time that is not one', 'in: 10m', 'at: "7.30"', /14:60 wrong-value/],
    ['a reason that does not exist', 'On ${ steps.ask.spoken }', 'On ${ steps.place.why }', /unknown-field/],
    ['an outcome of no call', 'refused: sorry', 'busy: sorry', /unknown-outcome/],
    ['a number to say that is a list', 'vars.day,', '[1, 2],', /wrong-argument/],
  ])('finds the mistake: %s', (_what, from, to, finding) => {
    expect(found(from, to)).toMatch(finding);
  });
});
