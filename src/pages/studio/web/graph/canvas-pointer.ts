/** Clicks, drags and taps on the canvas. `gestures.ts` recognises them; keys are in `canvas-keys.ts`. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { goIn, unfold } from './canvas-keys.ts';
import { type CanvasState, toggle } from './canvas-state.ts';
import type { GestureTarget, Port } from './gestures.ts';
import { besideInner, innerAt } from './inner.ts';
import type { KeyTargets } from './key-targets.ts';
import { liftsOf } from './lifted-card.tsx';
import { stepsIn } from './several.tsx';
import type { Viewport } from './viewport.ts';

/** Drags and taps on ports. */
export function gesturesOf(state: CanvasState, viewport: Viewport, targets: () => KeyTargets): GestureTarget {
  return {
    viewport,
    portAt(element: Element): Port | undefined {
      if (targets().callbacks.onRetarget === undefined || state.picking.value !== undefined) return undefined;
      // Exits of inner flows are edited in their own editor.
      if (element.closest('[data-inner]') !== null) return undefined;
      const port = element.closest<HTMLElement>('.port, .chip.missing, .chip.open');
      const step = port?.closest<HTMLElement>('[data-step]')?.dataset['step'];
      const outcome = port?.closest<HTMLElement>('[data-exit]')?.dataset['exit'];
      const isBlock = step !== undefined && targets().drawing.cards.get(step)?.members !== undefined;
      return step === undefined || outcome === undefined || isBlock ? undefined : { step, outcome };
    },
    drag(from: Port, to: [number, number]): void {
      state.dragged.value = { from, to };
    },
    drop({ step, outcome }: Port, over: Element | null): void {
      state.dragged.value = undefined;
      const target = over?.closest<HTMLElement>('[data-step]')?.dataset['step'];
      const { onRetarget, onAdd } = targets().callbacks;
      if (target !== undefined) onRetarget?.(step, outcome, target);
      else if (over?.closest('.canvas') != null) onAdd?.(step, outcome);
    },
    tapPort: (port: Port): void => state.pickTarget(port, targets().inView()),
    focus(element: Element): void {
      const step = element.closest<HTMLElement>('[data-step]')?.dataset['step'];
      const card = step === undefined ? undefined : targets().drawing.cards.get(step);
      if (card !== undefined && element.closest('[data-inner]') === null) viewport.reveal(card);
    },
    ...liftsOf(targets),
    isGround: (element): boolean =>
      targets().several !== undefined &&
      element.closest('.card, .minimap, .defaults, .pick-strip, .flow-note, .graph-search') === null,
    frame(box): void {
      state.marquee.value = box;
    },
    select(box, isAdding): void {
      const { several, drawing } = targets();
      if (isAdding) several?.add(stepsIn(drawing, box));
      else several?.set(stepsIn(drawing, box));
    },
    hold(element): void {
      const { several, drawing } = targets();
      const step = element.closest<HTMLElement>('[data-step]')?.dataset['step'];
      if (several === undefined || step === undefined) return;
      several.set(drawing.cards.get(step)?.members ?? [step]);
      several.isByTouch = true;
    },
  };
}

/** A double click edits the prompts of the step, or else opens its text, or shows the steps of a block alone. */
export function pressTwice(element: Element, targets: KeyTargets): void {
  const { callbacks, drawing } = targets;
  const step = element.closest<HTMLElement>('[data-step]')?.dataset['step'];
  if (step === undefined || element.closest('button, .port, .toggle, .opened') !== null) return;
  const card = drawing.cards.get(step);
  if (card?.members !== undefined) goIn(card, targets);
  else if (element.closest('p') !== null && callbacks.onWords !== undefined) callbacks.onWords(step);
  else callbacks.onOpen?.(step);
}

/** Distance at which a press beside a small card still means it, in px of the screen. */
const NEAR = 10;

/** Element that a press means. Beside a small card it is that card, so that bars are as easy to press as buttons. */
export function pressedBy(event: MouseEvent, { drawing, viewport }: KeyTargets): Element | undefined {
  const { target } = event;
  if (!(target instanceof Element)) return undefined;
  if (viewport.level.value === 'cards' || target.closest('[data-step], button') !== null) return target;
  const [x, y] = viewport.pointAt(event.clientX, event.clientY);
  let nearest: string | undefined;
  let least = NEAR / viewport.view.scale;
  for (const card of drawing.cards.values()) {
    const distance = Math.hypot(outside(x, card.x, card.width), outside(y, card.y, card.height));
    if (distance >= least) continue;
    least = distance;
    nearest = card.step.name;
  }
  const isNearest = (each: HTMLElement): boolean => each.dataset['step'] === nearest;
  const cards = target.closest('.canvas')?.querySelectorAll<HTMLElement>('[data-step]') ?? [];
  return (nearest === undefined ? undefined : [...cards].find(isNearest)) ?? target;
}

/** Distance from a stretch, 0 inside of it. */
const outside = (at: number, start: number, length: number): number => Math.max(start - at, 0, at - start - length);

/** A click or tap on the canvas. */
export function pressOn(
  element: Element,
  targets: KeyTargets,
  flows: ((name: string) => FlowGraph | undefined) | undefined,
  isAdding: boolean,
): void {
  const dataOf = (name: string): string | undefined => element.closest<HTMLElement>(`[data-${name}]`)?.dataset[name];
  if (element.closest('button') !== null) return;
  const { state, several } = targets;
  const step = dataOf('step');
  const picking = state.picking.value;
  if (picking?.what === 'target') {
    // Ignores the tap on the port that started the picking.
    if (element.closest('.port, .chip.missing, .chip.open') !== null) return;
    state.pick(undefined);
    if (step !== undefined) targets.callbacks.onRetarget?.(picking.from.step, picking.from.outcome, step);
    return;
  }
  if (several !== undefined && step !== undefined && (isAdding || several.isByTouch)) {
    several.toggle(targets.drawing.cards.get(step)?.members ?? [step]);
    return;
  }
  if (step === undefined) several?.clear();
  const jump = dataOf('jump');
  const add = dataOf('add');
  const unfolded = dataOf('unfold');
  const inside = dataOf('inside');
  const flow = dataOf('flow');
  const inner = dataOf('inner');
  const words = dataOf('words');
  const note = dataOf('note');
  if (add !== undefined && step !== undefined) targets.callbacks.onAdd?.(step, add, element.getBoundingClientRect());
  else if (note !== undefined && step !== undefined && targets.callbacks.onNote) targets.callbacks.onNote(step, note);
  else if (words !== undefined) targets.callbacks.onWords?.(words);
  else if (unfolded !== undefined) unfold(unfolded, targets);
  else if (inside !== undefined) toggle(state.opened, inside);
  else if (flow !== undefined && flows?.(flow) !== undefined) targets.callbacks.onOpenFlow?.(flow);
  else if (inner !== undefined) pressInner(inner, element, jump, targets);
  else if (jump !== undefined && targets.graph.steps.some(({ name }) => name === jump)) targets.goTo(jump);
  else if (step !== undefined) {
    targets.goTo(step);
    const rows = targets.drawing.cards.get(step)?.rows ?? [];
    state.exit.value = Math.max(
      0,
      rows.findIndex(({ outcome }) => outcome === dataOf('exit')),
    );
  }
}

/** The first press selects the step. A second one, or one on its link, opens the inner flow. */
function pressInner(id: string, element: Element, jump: string | undefined, targets: KeyTargets): void {
  const { state, drawing, callbacks, goInside } = targets;
  const inner = innerAt(drawing, id);
  if (inner === undefined) return;
  if (jump !== undefined && inner.drawing.cards.has(jump)) goInside(besideInner(id, jump));
  else if (element.closest('[data-visit]') !== null || state.inner.value === id)
    callbacks.onOpenFlow?.(inner.flow, inner.card.step.name);
  else goInside(id);
}
