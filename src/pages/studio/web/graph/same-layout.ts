/** Reuses the last layout if a change of the graph moves nothing, such as other words on a card. Pure. */
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';
import { aboutLinesOf } from './cards.ts';
import type { Drawing } from './drawing.ts';
import { membersOf } from './folds.ts';
import { waysInOf } from './ways-in.ts';

/** The drawing of `last` with the steps of `next`. Undefined if the two are laid out differently. */
export function sameLayout(
  drawing: Drawing,
  last: FlowGraph,
  next: FlowGraph,
  measure: (text: string) => number,
): Drawing | undefined {
  if (last.steps.length !== next.steps.length || restOf(last) !== restOf(next)) return undefined;
  const changed: GraphStep[] = [];
  for (const [index, step] of next.steps.entries()) {
    const before = last.steps[index]!;
    if (before === step) continue;
    if (shapeOf(before, measure) !== shapeOf(step, measure)) return undefined;
    changed.push(step);
  }
  if (changed.length === 0) return drawing;
  const cards = new Map(drawing.cards);
  for (const step of changed) {
    const card = cards.get(step.name);
    if (card === undefined || card.opened.length > 0) return undefined;
    cards.set(step.name, { ...card, step });
  }
  return { ...drawing, cards };
}

const restOf = ({ start, events, defaults }: FlowGraph): string => JSON.stringify([start, events, defaults]);

/** Everything of a step that the layout depends on, or that a card has besides its step. */
function shapeOf(step: GraphStep, measure: (text: string) => number): string {
  const { name, verb, group, exits, badges, sensitive, when, opens } = step;
  const hasBadges = badges.length > 0 || sensitive || when !== undefined;
  const ofBlock = [membersOf(step), waysInOf(step)];
  return JSON.stringify([name, verb, group, exits, hasBadges, opens, aboutLinesOf(step, measure), ...ofBlock]);
}
