/** Matches of a search in a text, and their replacements. */
import { describe, expect, it, test } from 'vitest';
import { matchesIn, NO_QUERY, patternOf, type Query } from '../../../src/pages/studio/web/text/find-text.ts';

const found = (text: string, query: Partial<Query>): string[] =>
  matchesIn(text, { ...NO_QUERY, ...query }).map(({ from, to, insert }) => `${text.slice(from, to)}>${insert}`);

describe('matches of a search', () => {
  test.each<[string, string, Partial<Query>, string[]]>([
    ['words as they are', 'a.b a+b A.B', { find: 'a.b' }, ['a.b>', 'A.B>']],
    ['in this case only', 'a.b A.B', { find: 'A.b', matchCase: true }, []],
    ['whole words', 'one done one_ öne one', { find: 'one', byWord: true }, ['one>', 'one>']],
    [
      'expressions',
      'a1 b22',
      { find: '[ab](\\d+)', regexp: true, replace: '$1-$&-$$-$2' },
      ['a1>1-a1-$-$2', 'b22>22-b22-$-$2'],
    ],
    ['line ends', 'a\nb', { find: 'a\\nb', replace: 'c\\td' }, ['a\nb>c\td']],
    ['line by line', 'a\nab', { find: '^a$', regexp: true }, ['a>']],
    ['a dollar is one where it is no expression', 'a', { find: 'a', replace: '$1' }, ['a>$1']],
    ['nothing, endlessly', 'aaa', { find: 'b*', regexp: true }, []],
    ['signs that mean something elsewhere', '${ a-b }/[x]', { find: '${ a-b }/[x]' }, ['${ a-b }/[x]>']],
  ])('finds the matches: %s', (_, text, query, expected) => {
    expect(found(text, query)).toEqual(expected);
  });

  it('are empty for an invalid expression, or an empty one', () => {
    expect(patternOf({ ...NO_QUERY, find: '(', regexp: true })).toBeUndefined();
    expect(found('a', {})).toEqual([]);
  });

  it('are limited to the searched range', () => {
    expect(matchesIn('a a a', { ...NO_QUERY, find: 'a' }, 1, 4).map(({ from }) => from)).toEqual([2]);
  });
});
