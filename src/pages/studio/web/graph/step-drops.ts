/** Exits at which a step that is dragged from the list of steps can be dropped. */
import { type Card, type Drawing, type Point, ROW_HEIGHT } from './drawing.ts';
import type { Port } from './gestures.ts';
import type { KeyTargets } from './key-targets.ts';
import { lineAt } from './line-at.ts';
import type { NewStep, StepDrops } from './new-step.ts';

/** Distance from a line, in px of the screen, at which a step is dropped on it. */
const REACH = 26;
/** Width beside a card that belongs to its dots and their +, in px of the drawing. */
const BESIDE = 36;

/** Exit at a point of the drawing: of a dot, of the card below the point, or of a line within `reach`. Pure. */
export function exitAt(drawing: Drawing, point: Point, reach: number): Port | undefined {
  for (const card of drawing.cards.values()) {
    const row = isOn(card, point, BESIDE) ? rowAt(card, point) : undefined;
    if (row !== undefined) return { step: card.step.name, outcome: row.outcome };
    if (isOn(card, point, 0)) return undefined;
  }
  const edge = lineAt(drawing, point, reach)?.edge;
  const isBlock = edge !== undefined && drawing.cards.get(edge.from)?.members !== undefined;
  return edge === undefined || isBlock ? undefined : { step: edge.from, outcome: edge.outcome };
}

const isOn = ({ x, y, width, height }: Card, [px, py]: Point, beside: number): boolean =>
  px >= x && px <= x + width + beside && py >= y && py <= y + height;

/** Row at the height of the point; elsewhere on the card, its first one. */
function rowAt({ x, y, width, rows, members }: Card, [px, py]: Point) {
  if (members !== undefined) return undefined;
  const row = rows.find((each) => Math.abs(y + each.y - py) <= ROW_HEIGHT / 2);
  return row ?? (px <= x + width ? rows[0] : undefined);
}

/** Offers the drops of a canvas to the list of steps. Returns a function that ends it. */
export function offerDrops(newStep: NewStep | undefined, box: HTMLElement, targets: () => KeyTargets): () => void {
  if (newStep !== undefined) newStep.drops.current = stepDropsOf(box, targets);
  return () => {
    if (newStep !== undefined) newStep.drops.current = undefined;
  };
}

function stepDropsOf(box: HTMLElement, targets: () => KeyTargets): StepDrops {
  const mark = (exit: Port | undefined): void => {
    targets().state.line.value = exit;
    for (const marked of box.querySelectorAll('[data-drop]')) marked.removeAttribute('data-drop');
    const card = exit && box.querySelector(`[data-step="${CSS.escape(exit.step)}"]`);
    card?.setAttribute('data-drop', '');
    card?.querySelector(`.plus[data-add="${CSS.escape(exit!.outcome)}"]`)?.setAttribute('data-drop', '');
  };
  return {
    show(isShown) {
      box.toggleAttribute('data-drops', isShown);
      if (!isShown) mark(undefined);
    },
    over(x, y) {
      const { drawing, viewport } = targets();
      const { left, top, right, bottom } = box.getBoundingClientRect();
      const isInside = x > left && x < right - viewport.covered && y > top && y < bottom;
      const found = isInside ? exitAt(drawing, viewport.pointAt(x, y), REACH / viewport.view.scale) : undefined;
      mark(found);
      return found;
    },
  };
}
