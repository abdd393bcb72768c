/** Ghost card: stands where a new step will come while it is chosen in the list of steps. The text does not have it. */
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { FlowGraph, GraphStep } from '../../../../language/flow/graph.ts';
import { VerbIcon } from '../icons.tsx';
import type { Drawing } from './drawing.ts';
import type { Port } from './gestures.ts';
import type { NewStep } from './new-step.ts';
import type { Viewport } from './viewport.ts';

/** Name of the ghost in the drawing. A step cannot have it. */
export const GHOST = ' ';

/** The graph with a ghost in the route of an exit. Pure. Other steps keep their objects. */
export function withGhost(graph: FlowGraph, { step: from, outcome }: Port): FlowGraph {
  const index = graph.steps.findIndex(({ name }) => name === from);
  const before = graph.steps[index];
  const exit = before?.exits.find((each) => each.outcome === outcome);
  if (before === undefined || exit === undefined) return graph;
  const { target } = exit;
  const goesOn = graph.steps.some(({ name }) => name === target);
  const ghost: GraphStep = {
    ...{ name: GHOST, verb: '', group: 'logic', about: '…', badges: [], sensitive: false, line: 0 },
    ...(before.section !== undefined && { section: before.section }),
    exits: goesOn ? [{ outcome: 'done', target, own: true, covers: ['done'] }] : [],
  };
  const exits = before.exits.map((each) => (each === exit ? { ...exit, target: GHOST, own: true } : each));
  return { ...graph, steps: graph.steps.toSpliced(index, 1, { ...before, exits }, ghost) };
}

export function useGhost(graph: FlowGraph, newStep: NewStep | undefined): FlowGraph {
  const at = newStep?.at.value;
  return useMemo(() => (at === undefined ? graph : withGhost(graph, at)), [graph, at]);
}

interface GhostCardProps {
  drawing: Drawing;
  newStep: NewStep | undefined;
  viewport: Viewport;
}

export function GhostCard({ drawing, newStep, viewport }: GhostCardProps) {
  const card = drawing.cards.get(GHOST);
  const step = newStep?.step.value;
  const isThere = card !== undefined;
  useLayoutEffect(() => {
    if (card !== undefined) viewport.reveal(card);
  }, [isThere]);
  if (card === undefined || step === undefined) return null;
  const { x, y, width, height } = card;
  return (
    <div
      class={`ghost-card g-${step.group}`}
      aria-hidden="true"
      style={{ transform: `translate(${x}px,${y}px)`, width: `${width}px`, height: `${height}px` }}
    >
      <header>
        <span class="icon">
          <VerbIcon verb={step.verb} />
        </span>
        <strong>{step.name}</strong>
      </header>
      <p>{step.sentence}</p>
    </div>
  );
}
