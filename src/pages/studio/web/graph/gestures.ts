/**
 * Wheel, drag, touch and pinch gestures on a drawing, and lines drawn from a port. One finger or the main button pans,
 * two fingers pinch. A drag from a port draws a line to its target; a tap on a port starts picking a target.
 *
 * Invariant: the box is never scrolled, because its toolbar and map would scroll with it; a scroll becomes a pan.
 */
import type { Viewport } from './viewport.ts';

/** Maximum movement of a tap, in px. */
const TAP = 5;
const WHEEL_ZOOM = 0.01;
/** Pixels for a line, for wheel events that count lines. */
const LINE_HEIGHT = 18;

export interface Port {
  step: string;
  outcome: string;
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
}

/** Returns a function that removes the listeners. */
export function listenToGestures(box: HTMLElement, target: GestureTarget): () => void {
  const { viewport } = target;
  const fingers = new Map<number, { x: number; y: number }>();
  let begun: { x: number; y: number } | undefined;
  let port: Port | undefined;
  let hasMoved = false;

  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_HEIGHT : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) viewport.zoom(Math.exp(-dy * WHEEL_ZOOM), event.clientX, event.clientY);
    else if (event.shiftKey && dx === 0) viewport.pan(-dy, 0);
    else viewport.pan(-dx, -dy);
  };
  const down = (event: PointerEvent): void => {
    if (event.button > 1 || !(event.target instanceof Element)) return;
    if (event.target.closest('button, input, select, .outline') !== null) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size > 1) {
      port = undefined;
      hasMoved = true;
      return;
    }
    begun = { x: event.clientX, y: event.clientY };
    hasMoved = false;
    port = target.portAt(event.target);
  };
  const move = (event: PointerEvent): void => {
    const before = fingers.get(event.pointerId);
    if (before === undefined || begun === undefined) return;
    const isTap = Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < TAP;
    if (!hasMoved && isTap) return;
    if (!hasMoved) {
      hasMoved = true;
      // Captures the pointer, so that the page gets no click for the drag.
      box.setPointerCapture(event.pointerId);
    }
    const after = { x: event.clientX, y: event.clientY };
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    fingers.set(event.pointerId, after);
    if (other !== undefined) pinch(before, after, other);
    else if (port !== undefined) target.drag(port, viewport.pointAt(after.x, after.y));
    else viewport.pan(after.x - before.x, after.y - before.y);
  };
  const pinch = (before: Finger, after: Finger, other: Finger): void => {
    const apart = (at: Finger): number => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
    viewport.pan((after.x - before.x) / 2, (after.y - before.y) / 2);
    viewport.zoom(apart(after) / apart(before), (after.x + other.x) / 2, (after.y + other.y) / 2);
  };
  const up = (event: PointerEvent): void => {
    const wasAlone = fingers.size === 1;
    if (!fingers.delete(event.pointerId) || !wasAlone) return;
    if (port !== undefined) {
      if (hasMoved) target.drop(port, document.elementFromPoint(event.clientX, event.clientY));
      else target.tapPort(port);
    }
    port = undefined;
    begun = undefined;
  };
  const cancel = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
    if (port !== undefined) target.drop(port, null);
    port = undefined;
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
  box.addEventListener('wheel', wheel, { passive: false, signal });
  box.addEventListener('pointerdown', down, { signal });
  box.addEventListener('pointermove', move, { signal });
  box.addEventListener('pointerup', up, { signal });
  box.addEventListener('pointercancel', cancel, { signal });
  box.addEventListener('click', click, { capture: true, signal });
  return () => ends.abort();
}

type Finger = { x: number; y: number };
