/**
 * Drawing of a graph as it is shown, with folded groups, opened flows and optional default exits. Unchanged parts keep
 * their objects and are not rendered again.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { Card, Drawing, DrawnEdge } from './drawing.ts';
import { exitId } from './drawing.ts';
import { type Fold, fold, foldsOf, hasSameFolds, insideOf, KnownBlocks } from './folds.ts';
import { layOut } from './layout.ts';
import { sameLayout } from './same-layout.ts';
import { textWidth } from './text-width.ts';

export interface DrawingOptions {
  /** Ids of folded groups. */
  folded: ReadonlySet<string>;
  /** Ids of the groups around the steps that are shown, the outermost first. */
  inside: readonly string[];
  /** Paths of steps whose flows are drawn inside them. */
  opened: ReadonlySet<string>;
  withDefaults: boolean;
  flows?: ((name: string) => FlowGraph | undefined) | undefined;
}

export interface ShownDrawing {
  drawing: Drawing;
  /** Graph that is drawn, with blocks in place of folded groups. */
  shown: FlowGraph;
  /** All groups of the graph, computed on first use. */
  folds(): readonly Fold[];
  /** Groups around the steps that are shown, the outermost first. */
  around: readonly Fold[];
}

export function useDrawing(
  graph: FlowGraph,
  { folded, inside, opened, withDefaults, flows }: DrawingOptions,
): ShownDrawing {
  const last = useRef<Drawing | undefined>(undefined);
  const laidOut = useRef<{ shown: FlowGraph; options: readonly unknown[]; drawing: Drawing } | undefined>(undefined);
  const folds = useFolds(graph);
  const blocks = useMemo(() => new KnownBlocks(), []);
  const groups = useMemo(() => {
    const around = inside.flatMap((id) => folds().find((each) => each.id === id) ?? []);
    const group = around.at(-1);
    const names = new Set(group?.members ?? graph.steps.map(({ name }) => name));
    const isWithin = ({ id, members }: Fold): boolean =>
      folded.has(id) && members.length < names.size && members.every((name) => names.has(name));
    return { around, group, within: folded.size === 0 ? [] : folds().filter(isWithin) };
  }, [folds, folded, inside]);
  return useMemo(() => {
    const { around, group, within } = groups;
    const part = group === undefined ? graph : insideOf(graph, group);
    const shown = fold(part, within, blocks);
    const openedIn = (path: string): FlowGraph[] =>
      opened.has(path) ? opensAt(shown, path, flows).flatMap((name) => flows?.(name) ?? []) : [];
    const all = group && new Set(graph.steps.map(({ name }) => name));
    const isElsewhere = (step: string): boolean => all?.has(step) ?? false;
    const options = [opened, withDefaults, flows, group?.id];
    const before = laidOut.current;
    const isSameView = before !== undefined && options.every((each, index) => each === before.options[index]);
    const same = isSameView ? sameLayout(before.drawing, before.shown, shown, textWidth) : undefined;
    const next = same ?? layOut(shown, { measure: textWidth, withDefaults, openedIn, isElsewhere });
    last.current = last.current === undefined || same !== undefined ? next : withKnown(next, last.current);
    laidOut.current = { shown, options, drawing: last.current };
    return { drawing: last.current, shown, folds, around };
  }, [graph, groups, opened, withDefaults, flows]);
}

/** Groups of a graph, found on first use. A graph that differs from the last one in words only has the same ones. */
function useFolds(graph: FlowGraph): () => readonly Fold[] {
  const last = useRef<{ graph: FlowGraph; folds: () => readonly Fold[] } | undefined>(undefined);
  if (last.current !== undefined && hasSameFolds(last.current.graph, graph)) last.current.graph = graph;
  else last.current = { graph, folds: once(() => foldsOf(graph)) };
  return last.current.folds;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Flows that the step at a path runs. */
function opensAt(graph: FlowGraph, path: string, flows: DrawingOptions['flows']): readonly string[] {
  const [name, ...rest] = path.split('/');
  const opens = graph.steps.find((step) => step.name === name)?.opens ?? [];
  if (rest.length === 0) return opens;
  const inner = opens
    .flatMap((each) => flows?.(each) ?? [])
    .find(({ steps }) => steps.some((step) => step.name === rest[0]));
  return inner === undefined ? [] : opensAt(inner, rest.join('/'), flows);
}

function withKnown(next: Drawing, last: Drawing): Drawing {
  const cards = new Map<string, Card>();
  for (const [name, card] of next.cards) {
    const known = last.cards.get(name);
    cards.set(name, known !== undefined && isSameCard(known, card) ? known : card);
  }
  const edges = new Map(last.edges.map((edge) => [exitId(edge.from, edge.outcome), edge]));
  return {
    ...next,
    cards,
    edges: next.edges.map((edge) => {
      const known = edges.get(exitId(edge.from, edge.outcome));
      return known !== undefined && isSameEdge(known, edge) ? known : edge;
    }),
  };
}

const isSameCard = (one: Card, other: Card): boolean =>
  one.x === other.x && one.y === other.y && isSameFace(one, other);

/** True if both cards look the same, regardless of their position. */
export function isSameFace(one: Card, other: Card): boolean {
  if (one === other) return true;
  if (one.width !== other.width || one.height !== other.height || one.rows.length !== other.rows.length) return false;
  if (one.opened.length > 0 || other.opened.length > 0) return false;
  const { step: a } = one;
  const { step: b } = other;
  const isSameStep =
    a === b ||
    (a.verb === b.verb &&
      a.about === b.about &&
      a.sensitive === b.sensitive &&
      a.when === b.when &&
      a.badges.join() === b.badges.join() &&
      a.opens?.join() === b.opens?.join());
  return (
    isSameStep &&
    one.isLone === other.isLone &&
    one.waysIn === other.waysIn &&
    one.pair === other.pair &&
    one.members?.length === other.members?.length &&
    JSON.stringify(one.entries) === JSON.stringify(other.entries) &&
    one.quiet.map(({ target }) => target).join() === other.quiet.map(({ target }) => target).join() &&
    one.rows.every((row, index) => {
      const beside = other.rows[index]!;
      return (
        row.outcome === beside.outcome &&
        row.target === beside.target &&
        row.label === beside.label &&
        row.key === beside.key &&
        row.chip === beside.chip &&
        row.pair === beside.pair &&
        row.own === beside.own &&
        (row.covers === beside.covers || row.covers.join() === beside.covers.join())
      );
    })
  );
}

const isSameEdge = (one: DrawnEdge, other: DrawnEdge): boolean =>
  one.to === other.to &&
  one.kind === other.kind &&
  one.isBack === other.isBack &&
  one.points.length === other.points.length &&
  one.points.every(([x, y], index) => x === other.points[index]![0] && y === other.points[index]![1]);
