/** Routes into folded groups, by the steps, groups and events that they come from. Pure. */
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { wordsOfEvent } from './card-label.ts';
import type { WayIn } from './drawing.ts';

/** Routes into each group, in the order of the text. `blockOf`: folded groups by their steps. */
export function waysInto<Group extends { head: string; title: string }>(
  graph: FlowGraph,
  blockOf: ReadonlyMap<string, Group>,
): Map<Group, WayIn[]> {
  const found = new Map<Group, WayIn[]>();
  const add = (target: string, { source, title }: Omit<WayIn, 'ways'>, way: string): void => {
    const block = blockOf.get(target);
    if (block === undefined) return;
    const ways = found.get(block) ?? [];
    found.set(block, ways);
    let known = ways.find((each) => each.source === source && each.title === title);
    if (known === undefined) {
      known = { source, title, ways: [] };
      ways.push(known);
    }
    known.ways.push(`${way} → ${target}`);
  };
  const outside = (title: string, target: string): void => add(target, { source: '', title }, title);
  if (graph.start !== undefined) outside(t('start'), graph.start);
  for (const { name, exits } of graph.steps) {
    const from = blockOf.get(name);
    const source = { source: from?.head ?? name, title: from?.title ?? name };
    for (const { outcome, target, own } of exits) {
      const isInside = from !== undefined && from === blockOf.get(target);
      if (own && !isInside) add(target, source, `${name}: ${outcome}`);
    }
  }
  for (const [event, target] of Object.entries(graph.events)) outside(wordsOfEvent(event), target);
  for (const [outcome, target] of Object.entries(graph.defaults)) outside(t('Default: {outcome}', { outcome }), target);
  return found;
}

/** A block with the routes into it. */
interface Entered extends GraphStep {
  waysIn: readonly WayIn[];
}

export const waysInOf = (step: GraphStep): readonly WayIn[] => (step as Partial<Entered>).waysIn ?? [];

export const wayInWords = ({ title, ways }: WayIn): string =>
  t('from {source}: {ways}', { source: title, ways: ways.join(', ') });
