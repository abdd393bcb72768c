import { expect, it } from 'vitest';
import { framesOf } from '../../src/proof/testkit/journal-frames.ts';
import { flowOf, succeeds } from '../scenarios/rehearse.ts';

const EACH = `
flow: each
start: each
steps:
  each: { for_each: { list: "\${ [1, 2] }", flow: one, input: { number: "\${ item }" } }, exits: { done: bye, empty: bye, error: bye } }
  bye: { hangup: normal }
`;
const ONE = `
flow: one
input: { number: { type: integer } }
vars: { said: { type: string, default: nothing } }
start: ask
steps:
  ask: { play: "Item \${ input.number }", exits: { done: note, error: note } }
  note: { set: { said: "\${ 'item ' & $string(input.number) }" }, exits: { done: $end, error: $end } }
`;

it('starts a flow that is called again at once with its own values', async () => {
  const { journal } = await succeeds(EACH, 'expect: { visits: { each: 1 } }', [ONE]);
  const flows = (name: string | object) => flowOf(name === 'one' ? ONE : EACH);
  const said = journal.flatMap((entry, index) =>
    entry.kind === 'entered' && entry.flow === 'one'
      ? [`${entry.step}: ${framesOf(journal.slice(0, index + 1), flows).at(-1)!.vars['said']}`]
      : [],
  );
  expect(said).toEqual(['ask: nothing', 'note: nothing', 'ask: nothing', 'note: nothing']);
});
