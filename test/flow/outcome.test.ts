import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prefixes, routeOf } from '../../src/language/flow/outcome.ts';

describe('outcomes', () => {
  it.each([
    ['done', ['done']],
    ['exhausted.no_input', ['exhausted.no_input', 'exhausted']],
    ['a.b.c', ['a.b.c', 'a.b', 'a']],
  ])('%s has the prefixes %j', (outcome, expected) => expect(prefixes(outcome)).toEqual(expected));

  const exits = { exhausted: 'bye', 'exhausted.no_input': 'remind', error: 'sorry', failed: 'apologise' };
  it.each([
    ['exhausted.no_input', 'remind'],
    ['exhausted.no_match', 'bye'],
    ['exhausted', 'bye'],
    ['error.http.timeout', 'sorry'],
    ['failed.busy', 'apologise'],
    ['done', undefined],
    ['exhaustedly', undefined],
    ['exhausted_no_input', undefined],
    ['', undefined],
  ])('%s goes to %s', (outcome, target) => expect(routeOf(outcome, exits)?.target).toBe(target));

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty.x'])(
    '%s goes nowhere unless it is routed',
    (outcome) => {
      expect(routeOf(outcome, exits)).toBeUndefined();
      expect(routeOf(outcome, JSON.parse(`{"${outcome}": "there"}`))?.target).toBe('there');
    },
  );

  it('goes by the longest prefix, however the exits are written', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('.'));
    fc.assert(
      fc.property(name, fc.uniqueArray(name), (outcome, routed) => {
        const covering = routed.filter((exit) => outcome === exit || outcome.startsWith(`${exit}.`));
        const longest = covering.sort((one, other) => other.length - one.length)[0];
        expect(routeOf(outcome, Object.fromEntries(routed.map((exit) => [exit, `to_${exit}`])))?.key).toBe(longest);
      }),
    );
  });
});
