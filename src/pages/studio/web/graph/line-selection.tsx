/** The selected line of a flow: a step pasted or added then is inserted in it. */
import type { CanvasState } from './canvas-state.ts';
import type { Drawing } from './drawing.ts';
import { pathOf } from './edge-path.ts';
import type { Port } from './gestures.ts';
import type { KeyTargets } from './key-targets.ts';
import { lineAt } from './line-at.ts';

/** Distance from a line, in px of the screen, at which it is pressed. */
const REACH = 9;

/** Line or exit at a point of the window. Lines of folded groups cannot be edited. */
export function lineUnder(
  { clientX, clientY, target }: Pick<MouseEvent, 'clientX' | 'clientY' | 'target'>,
  { drawing, viewport }: Pick<KeyTargets, 'drawing' | 'viewport'>,
  reach = REACH,
): Port | undefined {
  if (!(target instanceof Element) || target.closest('.minimap, .defaults, .pick-strip') !== null) return undefined;
  const isEditable = (step: string): boolean => drawing.cards.get(step)?.members === undefined;
  const step = target.closest<HTMLElement>('[data-step]')?.dataset['step'];
  const outcome = target.closest<HTMLElement>('[data-exit]')?.dataset['exit'];
  if (step !== undefined) return outcome !== undefined && isEditable(step) ? { step, outcome } : undefined;
  const found = lineAt(drawing, viewport.pointAt(clientX, clientY), reach / viewport.view.scale)?.edge;
  return found !== undefined && isEditable(found.from) ? { step: found.from, outcome: found.outcome } : undefined;
}

/** Draws the selected line, and the line over which a step is dragged. */
export function MarkedLine({ drawing, state }: { drawing: Drawing; state: CanvasState }) {
  const line = state.line.value;
  const edge = drawing.edges.find(({ from, outcome }) => from === line?.step && outcome === line.outcome);
  return edge === undefined ? null : <path class="wire chosen" d={pathOf(edge.points)} />;
}
