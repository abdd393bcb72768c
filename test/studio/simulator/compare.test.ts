import { expect, it } from 'vitest';
import { type Aligned, align } from '../../../src/pages/studio/web/journal/align.ts';
import { conversationOf } from '../../../src/pages/studio/web/journal/conversation.ts';
import { compareLines } from '../../../src/pages/studio/web/simulator/compare.ts';
import { saying } from './simulation.ts';

const compare = (before: string[], now: string[]): string[] =>
  compareLines(conversationOf(saying(...before)), conversationOf(saying(...now))).map(
    ({ line, change }) => `${change ?? 'same'} ${line.who === 'flow' ? line.text : line.who}`,
  );

it('overlays changed words of a flow, and keeps the earlier ones', () => {
  expect(compare(['Welcome', 'Press 1', 'Bye'], ['Welcome', 'Press 1 or 2', 'Bye'])).toEqual([
    'same Welcome',
    'gone Press 1',
    'new Press 1 or 2',
    'same Bye',
  ]);
});

it('ignores differences in time only', () => {
  expect(compare(['Bye'], ['Hello', 'Bye'])).toEqual(['new Hello', 'same Bye']);
});

it('overlays nothing without an earlier call', () => {
  expect(compareLines([], conversationOf(saying('Welcome')))).toMatchObject([{ line: { text: 'Welcome' } }]);
});

it.each<[string[], string[], Aligned['of'][]]>([
  [[], [], []],
  [['a'], ['a'], ['both']],
  [
    ['a', 'b', 'c'],
    ['a', 'c'],
    ['both', 'before', 'both'],
  ],
  [['a'], ['b'], ['before', 'now']],
])('aligns %j with %j', (before, now, of) => expect(align(before, now).map((each) => each.of)).toEqual(of));

it('aligns very long sequences one after the other', () => {
  const long = Array.from({ length: 2100 }, (_, index) => String(index));
  expect(align(long, long).filter(({ of }) => of === 'both')).toEqual([]);
});
