/**
 * Layout of a flow graph, from left to right with a column for each rank. Exits are rows of a card, so lines need no
 * labels. Lines without value are chips: back edges in big flows, and edges to hub targets.
 *
 * Invariants
 * - the same flow gives the same drawing: time, randomness, the browser and earlier drawings have no influence;
 * - an edit moves other cards little, because text order decides first;
 * - cards do not overlap, and no line crosses a card: verticals use channels between columns, long lines reserved
 * slots, back edges lanes above the cards;
 * - every written exit has a row with a line or a chip, or the single line that leaves the head.
 */
import type { FlowGraph, GraphExit } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { cardOf } from './cards.ts';
import { walk } from './cycles.ts';
import {
  type Card,
  type Chip,
  type Drawing,
  type DrawnEdge,
  exitId,
  type LayoutOptions,
  SMALL_FLOW,
} from './drawing.ts';
import { append, crowdedExits } from './hub-targets.ts';
import { placePart } from './part.ts';
import { rowsOf } from './wrap.ts';

/** Maximum nesting of opened flows. */
const MAX_DEPTH = 3;
/** Gap between the first part and the others, including their title. */
const BELOW_FIRST = 90;
const TITLE_ABOVE = 16;
const PART_GAP = 60;
/** Minimum width of a row of parts. */
const LEAST_WIDTH = 1500;

export function layOut(graph: FlowGraph, options: LayoutOptions): Drawing {
  return layOutBelow(graph, options, '', 0);
}

function layOutBelow(graph: FlowGraph, options: LayoutOptions, path: string, depth: number): Drawing {
  const { measure, withDefaults = false, openedIn, isElsewhere } = options;
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  if (steps.size === 0) return { cards: new Map(), edges: [], width: 0, height: 0, titles: [] };
  const isSmall = steps.size <= SMALL_FLOW;
  const isDrawn = (exit: GraphExit): boolean => (exit.own || withDefaults) && steps.has(exit.target);
  const way = walk(graph, steps, isDrawn);
  const crowded = crowdedExits(steps, way, isDrawn, isSmall);
  const chipOf = (exit: GraphExit): Chip | undefined => {
    const { target } = exit;
    if (target === '') return 'open';
    if (!steps.has(target)) return target.startsWith('$') ? 'end' : isElsewhere?.(target) ? 'jump' : 'missing';
    if (way.back.has(exit)) return isSmall ? undefined : 'back';
    return crowded.has(exit) ? 'jump' : undefined;
  };
  const links = new Map(
    way.order.map((from) => {
      const exits = steps.get(from)!.exits.filter((exit) => isDrawn(exit) && chipOf(exit) === undefined);
      return [from, exits.map((exit) => ({ from, to: exit.target, exit }))];
    }),
  );
  const parts = partsOf(way.order, [...links.values()].flat());
  const rows = parts.map((names) =>
    rowsOf(
      names,
      names.flatMap((name) => links.get(name)!.filter(({ exit }) => !way.back.has(exit))),
    ),
  );
  const { broken, pairs } = brokenLinks(rows, links);
  const waysIn = new Map<string, number>();
  for (const { exits } of graph.steps) {
    for (const { target } of exits) waysIn.set(target, (waysIn.get(target) ?? 0) + 1);
  }

  const cards = new Map<string, Card>();
  for (const step of steps.values()) {
    const at = path === '' ? step.name : `${path}/${step.name}`;
    const inside = depth < MAX_DEPTH && step.opens !== undefined ? (openedIn?.(at) ?? []) : [];
    const opened = inside.map((each) => ({ flow: each.name, drawing: layOutBelow(each, options, at, depth + 1) }));
    const ways = waysIn.get(step.name) ?? 0;
    const chip = (exit: GraphExit): Chip | undefined => (broken.has(exit) ? 'row' : chipOf(exit));
    cards.set(step.name, cardOf(step, { graph, measure, withDefaults, chipOf: chip, pairs, waysIn: ways, opened }));
  }
  return assemble(rows, cards, isSmall ? idsOf(graph, way.back) : NONE);
}

interface DrawnLink {
  from: string;
  to: string;
  exit: GraphExit;
}

/** Lines between rows, which are paired chips, and the numbers of their targets. */
function brokenLinks(rows: readonly string[][][], links: ReadonlyMap<string, readonly DrawnLink[]>) {
  const rowOf = new Map(rows.flat().flatMap((names) => names.map((name) => [name, names] as const)));
  const broken = new Set<GraphExit>();
  const pairs = new Map<string, number>();
  for (const { from, to, exit } of [...links.values()].flat()) {
    if (rowOf.get(from) === rowOf.get(to)) continue;
    broken.add(exit);
    if (!pairs.has(to)) pairs.set(to, pairs.size + 1);
  }
  return { broken, pairs };
}

/** Back edges drawn as lines. */
const NONE: ReadonlySet<string> = new Set();
const idsOf = ({ steps }: FlowGraph, exits: ReadonlySet<GraphExit>): Set<string> =>
  new Set(
    steps.flatMap(({ name, exits: own }) =>
      own.filter((exit) => exits.has(exit)).map(({ outcome }) => exitId(name, outcome)),
    ),
  );

/** Connected components. The one that contains the start is the first. */
function partsOf(order: readonly string[], links: readonly { from: string; to: string }[]): string[][] {
  const near = new Map<string, string[]>();
  for (const { from, to } of links) {
    append(near, from, to);
    append(near, to, from);
  }
  const partOf = new Map<string, number>();
  const parts: string[][] = [];
  for (const name of order) {
    if (partOf.has(name)) continue;
    const waiting = [name];
    partOf.set(name, parts.length);
    for (const at of waiting) {
      for (const next of near.get(at) ?? []) {
        if (partOf.has(next)) continue;
        partOf.set(next, parts.length);
        waiting.push(next);
      }
    }
    parts.push([]);
  }
  for (const name of order) parts[partOf.get(name)!]!.push(name);
  return parts;
}

/** Places the rows of the first part at the top and the others in rows below them. */
function assemble(parts: readonly string[][][], cards: ReadonlyMap<string, Card>, back: ReadonlySet<string>): Drawing {
  const edges: DrawnEdge[] = [];
  const titles: Drawing['titles'] = [];
  let x = 0;
  let y = 0;
  let width = 0;
  let height = 0;
  let widest = LEAST_WIDTH;
  for (const [index, rows] of parts.entries()) {
    for (const [at, names] of rows.entries()) {
      const part = placePart(names, cards, back, rows.length > 1);
      if (index === 0) widest = Math.max(widest, part.width);
      if (index === 1 && at === 0) {
        y = height + BELOW_FIRST;
        titles.push({ text: t('Reached in other ways'), x: 0, y: y - TITLE_ABOVE });
      } else if (at > 0 || (index > 1 && x + part.width > widest)) {
        y = height + PART_GAP;
        x = 0;
      }
      for (const name of names) {
        const card = cards.get(name)!;
        card.x += x;
        card.y += y;
      }
      for (const edge of part.edges) {
        edges.push(x + y === 0 ? edge : { ...edge, points: edge.points.map(([px, py]) => [px + x, py + y]) });
      }
      width = Math.max(width, x + part.width);
      height = Math.max(height, y + part.height);
      if (index > 0) x += part.width + PART_GAP;
    }
  }
  return { cards, edges, width, height, titles };
}
