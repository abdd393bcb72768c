/** Frames of groups, and the values that the form of several steps shows. */
import { expect, it } from 'vitest';
import { languageOf } from '../../../src/language/flow/language.ts';
import { sharedFields } from '../../../src/pages/studio/web/form/shared-fields.ts';
import { foldsOf } from '../../../src/pages/studio/web/graph/folds.ts';
import { framesOf } from '../../../src/pages/studio/web/graph/frames.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { graphIn } from './flows.ts';

const measure = (text: string): number => text.length * 6;
const SHOP = `flow: shop
start: a
steps:
  a: { play: A., next: b, section: First }
  b: { play: B., next: c, section: First }
  c: { collect: { prompt: C., digits: 4 }, section: Ends, exits: { collected: d, exhausted: d } }
  d: { play: D., next: e }
  e: { hangup: normal, section: Ends }
`;

it('frames a section whose cards stand together, and gives the other only a title', () => {
  const graph = graphIn(SHOP);
  const frames = framesOf(graph, layOut(graph, { measure }));
  expect(frames.map(({ title, members, isClosed }) => [title, members, isClosed])).toEqual([
    ['First', ['a', 'b'], true],
    ['Ends', ['c', 'e'], false],
  ]);
});

it('folds a section of two steps', () => {
  expect(foldsOf(graphIn(SHOP)).map(({ title, members }) => [title, members.length])).toEqual([
    ['First', 2],
    ['Ends', 2],
  ]);
});

it('shows in the form of several steps only fields of all of them', () => {
  const { steps } = graphIn(SHOP);
  const language = languageOf(verbs);
  const pathsOf = (...names: string[]): string[] =>
    sharedFields(
      language,
      steps.filter(({ name }) => names.includes(name)),
    ).map(({ path }) => path.join('.'));
  expect(pathsOf('a', 'b')).toContain('play.barge_in');
  expect(pathsOf('a', 'c')).not.toContain('play.barge_in');
  expect(pathsOf('a', 'c')).toEqual(expect.arrayContaining(['section', 'max_visits']));
  expect(pathsOf('a', 'b')).not.toContain('label');
});
