import { describe, expect, it } from 'vitest';
import type { FlowGraph, GraphExit, GraphStep } from '../../../src/language/flow/graph.ts';
import { GHOST, withGhost } from '../../../src/pages/studio/web/graph/ghost.tsx';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { exitAt } from '../../../src/pages/studio/web/graph/step-drops.ts';
import { textWidth } from '../../../src/pages/studio/web/graph/text-width.ts';

const exitTo = (outcome: string, target: string): GraphExit => ({ outcome, target, own: true, covers: [outcome] });
const stepOf = (name: string, exits: GraphExit[]): GraphStep => ({
  ...{ name, verb: 'play', group: 'say', about: '', badges: [], sensitive: false, line: 0, exits },
});
const graph: FlowGraph = {
  name: 'shop',
  start: 'hello',
  defaults: {},
  events: {},
  steps: [
    stepOf('hello', [exitTo('done', 'ask')]),
    stepOf('ask', [exitTo('bread', 'bye'), exitTo('cake', '$end')]),
    stepOf('bye', []),
  ],
};

describe('exitAt', () => {
  const drawing = layOut(graph, { measure: textWidth });
  const card = (name: string) => drawing.cards.get(name)!;
  const middleOf = (name: string): [number, number] => [card(name).x + card(name).width / 2, card(name).y + 19];

  it('finds the exit of a line near it', () => {
    const [[x1, y1] = [0, 0], [x2] = [0, 0]] = drawing.edges.find(({ from }) => from === 'hello')!.points;
    expect(exitAt(drawing, [(x1 + x2) / 2 + 18, y1 + 20], 26)).toEqual({ step: 'hello', outcome: 'done' });
  });

  it('finds the exit of a row of a card, and of the + beside it', () => {
    const { x, y, width, rows } = card('ask');
    const cake = y + rows.find(({ outcome }) => outcome === 'cake')!.y;
    expect(exitAt(drawing, [x + 20, cake], 26)).toEqual({ step: 'ask', outcome: 'cake' });
    expect(exitAt(drawing, [x + width + 20, cake + 4], 26)).toEqual({ step: 'ask', outcome: 'cake' });
  });

  it('finds the first exit elsewhere on a card, and none on a card that ends the call', () => {
    expect(exitAt(drawing, middleOf('ask'), 26)).toEqual({ step: 'ask', outcome: 'bread' });
    expect(exitAt(drawing, middleOf('bye'), 26)).toBeUndefined();
  });

  it('finds nothing on empty ground', () => {
    expect(exitAt(drawing, [drawing.width + 200, drawing.height + 200], 26)).toBeUndefined();
  });
});

describe('withGhost', () => {
  it('puts the ghost between an exit and its target, and keeps the objects of other steps', () => {
    const made = withGhost(graph, { step: 'ask', outcome: 'bread' });
    expect(made.steps.map(({ name }) => name)).toEqual(['hello', 'ask', GHOST, 'bye']);
    expect(made.steps[1]!.exits[0]!.target).toBe(GHOST);
    expect(made.steps[2]!.exits.map(({ target }) => target)).toEqual(['bye']);
    expect([made.steps[0], made.steps[3]]).toEqual([graph.steps[0], graph.steps[2]]);
    expect(made.steps[0]).toBe(graph.steps[0]);
  });

  it('ends at the ghost if the exit leads to the end', () => {
    expect(withGhost(graph, { step: 'ask', outcome: 'cake' }).steps[2]!.exits).toEqual([]);
  });

  it('returns the same graph for an exit that is not in it', () => {
    expect(withGhost(graph, { step: 'ask', outcome: 'tea' })).toBe(graph);
  });
});
