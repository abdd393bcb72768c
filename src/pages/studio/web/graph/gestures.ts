/**
 * Wheel, drag, touch and pinch gestures on a drawing, and lines drawn from a port. One finger, the middle button, or the
 * main button with Space pans, two fingers pinch. A drag from a port draws a line to its target; a tap on a port starts
 * picking a target. A drag on empty ground selects, where several steps can be selected; elsewhere it pans.
 *
 * Invariant: the box is never scrolled, because its toolbar and map would scroll with it; a scroll becomes a pan.
 */
import type { Viewport } from './viewport.ts';

/** Maximum movement of a tap, in px. */
const TAP = 5;
const WHEEL_ZOOM = 0.01;
/** Duration of a long press, in ms. */
const LONG_PRESS_MS = 500;
/** Boxes above the drawing that scroll themselves. */
const OWN_SCROLL = '.flow-note, .graph-search';
/** Pixels for a line, for wheel events that count lines. */
const LINE_HEIGHT = 18;

export interface Port {
  step: string;
  outcome: string;
}

/** Rectangle in px of the drawing. */
export interface DraggedBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface GestureTarget {
  viewport: Viewport;
  portAt(element: Element): Port | undefined;
  /** The line from a port follows the pointer. */
  drag(port: Port, point: [x: number, y: number]): void;
  /** The line was dropped over an element of the page. */
  drop(port: Port, over: Element | null): void;
  tapPort(port: Port): void;
  /** An element of the drawing was focused by the keyboard. */
  focus(element: Element): void;
  /** True if a drag from this element selects steps. */
  isGround(element: Element): boolean;
  /** The rectangle of a selecting drag; undefined when the drag ends. */
  frame(box: DraggedBox | undefined): void;
  /** The selecting drag has ended. */
  select(box: DraggedBox, isAdding: boolean): void;
  /** Step whose card a drag from this element moves. */
  cardAt(element: Element): string | undefined;
  /** The card of a step follows the pointer. */
  lift(step: string, event: PointerEvent): void;
  /** The card of a step was dropped; without an event, the drag was cancelled. */
  put(step: string, event: PointerEvent | undefined): void;
  /** A long press on the element. */
  hold(element: Element): void;
}

/** Returns a function that removes the listeners. */
export function listenToGestures(box: HTMLElement, target: GestureTarget): () => void {
  const { viewport } = target;
  const fingers = new Map<number, { x: number; y: number }>();
  let begun: { x: number; y: number } | undefined;
  let port: Port | undefined;
  let hasMoved = false;
  let corner: [x: number, y: number] | undefined;
  let card: string | undefined;
  let hasSpace = false;
  let held: ReturnType<typeof setTimeout> | undefined;

  const wheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && event.target instanceof Element && event.target.closest(OWN_SCROLL) !== null) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_HEIGHT : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (isZoom) viewport.zoom(Math.exp(-dy * WHEEL_ZOOM), event.clientX, event.clientY);
    else if (event.shiftKey && dx === 0) viewport.pan(-dy, 0);
    else viewport.pan(-dx, -dy);
  };
  const down = (event: PointerEvent): void => {
    if (event.button > 1 || !(event.target instanceof Element)) return;
    if (event.target.closest(`button, input, select, .outline, ${OWN_SCROLL}`) !== null) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(held);
    if (fingers.size > 1) {
      port = undefined;
      hasMoved = true;
      return;
    }
    begun = { x: event.clientX, y: event.clientY };
    hasMoved = false;
    port = target.portAt(event.target);
    const pressed = event.target;
    const isMouse = event.pointerType !== 'touch';
    const isSelecting = isMouse && event.button === 0 && !hasSpace && port === undefined && target.isGround(pressed);
    const isLifting = isMouse && event.button === 0 && !hasSpace && port === undefined;
    card = isLifting ? target.cardAt(pressed) : undefined;
    corner = isSelecting ? viewport.pointAt(event.clientX, event.clientY) : undefined;
    if (isMouse) return;
    held = setTimeout(() => {
      // The click that ends the press must not select the step alone.
      hasMoved = true;
      target.hold(pressed);
    }, LONG_PRESS_MS);
  };
  const move = (event: PointerEvent): void => {
    const before = fingers.get(event.pointerId);
    if (before === undefined || begun === undefined) return;
    const isTap = Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < TAP;
    if (!hasMoved && isTap) return;
    if (!hasMoved) {
      hasMoved = true;
      clearTimeout(held);
      // Captures the pointer, so that the page gets no click for the drag.
      box.setPointerCapture(event.pointerId);
    }
    const after = { x: event.clientX, y: event.clientY };
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    fingers.set(event.pointerId, after);
    if (other !== undefined) pinch(before, after, other);
    else if (port !== undefined) target.drag(port, viewport.pointAt(after.x, after.y));
    else if (card !== undefined) target.lift(card, event);
    else if (corner !== undefined) target.frame(boxOf(corner, viewport.pointAt(after.x, after.y)));
    else viewport.pan(after.x - before.x, after.y - before.y);
  };
  const pinch = (before: Finger, after: Finger, other: Finger): void => {
    const apart = (at: Finger): number => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
    viewport.pan((after.x - before.x) / 2, (after.y - before.y) / 2);
    viewport.zoom(apart(after) / apart(before), (after.x + other.x) / 2, (after.y + other.y) / 2);
  };
  const up = (event: PointerEvent): void => {
    const wasAlone = fingers.size === 1;
    clearTimeout(held);
    if (!fingers.delete(event.pointerId) || !wasAlone) return;
    if (port !== undefined) {
      if (hasMoved) target.drop(port, document.elementFromPoint(event.clientX, event.clientY));
      else target.tapPort(port);
    }
    if (card !== undefined && hasMoved) target.put(card, event);
    if (corner !== undefined && hasMoved) {
      target.frame(undefined);
      const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
      target.select(boxOf(corner, viewport.pointAt(event.clientX, event.clientY)), isAdding);
    }
    port = undefined;
    begun = undefined;
    corner = undefined;
    card = undefined;
  };
  const cancel = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
    if (port !== undefined) target.drop(port, null);
    if (corner !== undefined) target.frame(undefined);
    if (card !== undefined) target.put(card, undefined);
    card = undefined;
    clearTimeout(held);
    port = undefined;
    corner = undefined;
  };
  /** The click that ends a drag must not select anything. */
  const click = (event: MouseEvent): void => {
    if (hasMoved) event.stopPropagation();
    hasMoved = false;
  };

  /** Browsers scroll to what they focus and to what their own search finds. */
  const scroll = (): void => {
    const { scrollLeft, scrollTop } = box;
    if (scrollLeft === 0 && scrollTop === 0) return;
    box.scrollTo(0, 0);
    viewport.pan(-scrollLeft, -scrollTop);
  };
  const space = (event: KeyboardEvent): void => {
    const isOnButton = event.target instanceof Element && event.target.closest('button, input, select') !== null;
    if (event.key !== ' ' || event.ctrlKey || event.metaKey || isOnButton) return;
    event.preventDefault();
    hasSpace = event.type === 'keydown';
    box.classList.toggle('panning', hasSpace);
  };
  /** A long press also asks for the menu of the page. */
  const menu = (event: MouseEvent): void => {
    if (fingers.size > 0) event.preventDefault();
  };
  const focus = ({ target: focused }: FocusEvent): void => {
    // The browser has scrolled, but its event comes later.
    scroll();
    // A view that moves below a pressed pointer would end the click.
    if (focused instanceof Element && focused.matches(':focus-visible') && fingers.size === 0) target.focus(focused);
  };

  const ends = new AbortController();
  const { signal } = ends;
  box.addEventListener('scroll', scroll, { signal });
  box.addEventListener('focusin', focus, { signal });
  box.addEventListener('keydown', space, { signal });
  box.addEventListener('keyup', space, { signal });
  box.addEventListener('contextmenu', menu, { signal });
  box.addEventListener('wheel', wheel, { passive: false, signal });
  box.addEventListener('pointerdown', down, { signal });
  box.addEventListener('pointermove', move, { signal });
  box.addEventListener('pointerup', up, { signal });
  box.addEventListener('pointercancel', cancel, { signal });
  box.addEventListener('click', click, { capture: true, signal });
  return () => ends.abort();
}

type Finger = { x: number; y: number };

const boxOf = ([x1, y1]: [x: number, y: number], [x2, y2]: [x: number, y: number]): DraggedBox => ({
  left: Math.min(x1, x2),
  top: Math.min(y1, y2),
  right: Math.max(x1, x2),
  bottom: Math.max(y1, y2),
});
