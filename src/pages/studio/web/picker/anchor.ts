/** Position of the list of steps: next to the exit at which a step is added, and wholly in view. */
import type { ExitRef } from '../text/edit.ts';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const PICKER_SIZE = { width: 600, height: 456 } as const;
const GAP = 14;
const MARGIN = 8;
/** Distance of the anchor from the left edge of the list. */
const INSET = 80;

/** Below the anchor, else above it, else as near as the window allows. Pure. */
export function placeAt(anchor: Box, window: { width: number; height: number }): { left: number; top: number } {
  const { width, height } = PICKER_SIZE;
  const within = (at: number, size: number, room: number): number =>
    Math.max(MARGIN, Math.min(at, room - size - MARGIN));
  const below = anchor.bottom + GAP;
  const above = anchor.top - GAP - height;
  const top = below + height + MARGIN <= window.height ? below : above >= MARGIN ? above : below;
  return { left: within(anchor.left - INSET, width, window.width), top: within(top, height, window.height) };
}

/** Fills the + at which the step is added. Returns a function that ends it. */
export function markAnchor(at: ExitRef | undefined): () => void {
  const card = at && document.querySelector(`.canvas [data-step="${CSS.escape(at.step)}"]`);
  const plus = at && card?.querySelector(`.plus[data-add="${CSS.escape(at.outcome)}"]`);
  plus?.setAttribute('data-adding', '');
  return () => plus?.removeAttribute('data-adding');
}

/** The ghost card of the new step together with its exit. Undefined if it is not in the graph. */
export function ghostAnchor(at: ExitRef | undefined): Box | undefined {
  const ghost = document.querySelector('.canvas .ghost-card')?.getBoundingClientRect();
  if (ghost === undefined) return undefined;
  const exit = anchorOf(at);
  const [top, bottom] = [Math.min(exit.top, ghost.top), Math.max(exit.bottom, ghost.bottom)];
  return { left: exit.left, right: ghost.right, top, bottom };
}

/** Element on the page that shows where the step goes: the exit, the card, the tree item, or the canvas. */
export function anchorOf(at: ExitRef | undefined): Box {
  const card = at && document.querySelector(`.canvas [data-step="${CSS.escape(at.step)}"]`);
  const row = at && card?.querySelector(`[data-exit="${CSS.escape(at.outcome)}"] .port`);
  const port = row ?? card?.querySelector('.port.lone');
  const shown = port ?? card ?? document.querySelector('.canvas [aria-selected="true"], .canvas .first-step');
  if (shown != null) return shown.getBoundingClientRect();
  const { left, top, right } = (document.querySelector('.canvas') ?? document.body).getBoundingClientRect();
  return { left: (left + right - PICKER_SIZE.width) / 2 + INSET, top, right, bottom: top + 60 };
}
