/**
 * Drags of a row of the list of steps: by the mouse at once, by touch after a long press, so that a finger can scroll the
 * list. Escape cancels.
 */

/** Movement at which a press of the mouse is a drag, in px. */
const BEGINS_AT = 6;
/** Least distance between press and drop, in px, so that a drag by mistake drops nothing. */
const LEAST_WAY = 24;
const LONG_PRESS_MS = 500;

export interface StepDragTarget {
  /** Returns false if the row cannot be dragged. */
  begin(row: Element): boolean;
  move(x: number, y: number): void;
  drop(x: number, y: number): void;
  /** The drag was cancelled, or ended where it began. */
  cancel(): void;
}

interface Press {
  id: number;
  row: Element;
  x: number;
  y: number;
}

/** Returns a function that removes the listeners. `rows`: selector of the rows of the list. */
export function listenToDrags(list: HTMLElement, rows: string, target: StepDragTarget): () => void {
  let press: Press | undefined;
  let isDragged = false;
  let held: ReturnType<typeof setTimeout> | undefined;

  const begin = (x: number, y: number): void => {
    clearTimeout(held);
    if (press === undefined || !target.begin(press.row)) {
      press = undefined;
      return;
    }
    isDragged = true;
    list.setPointerCapture(press.id);
    target.move(x, y);
  };
  const end = (): void => {
    clearTimeout(held);
    press = undefined;
  };
  const down = (event: PointerEvent): void => {
    const row = event.target instanceof Element ? event.target.closest(rows) : null;
    isDragged = false;
    end();
    if (row === null || event.button !== 0 || !event.isPrimary) return;
    press = { id: event.pointerId, row, x: event.clientX, y: event.clientY };
    if (event.pointerType === 'touch') held = setTimeout(() => begin(event.clientX, event.clientY), LONG_PRESS_MS);
  };
  const wayOf = ({ clientX, clientY }: PointerEvent): number =>
    press === undefined ? 0 : Math.hypot(clientX - press.x, clientY - press.y);
  const move = (event: PointerEvent): void => {
    if (press?.id !== event.pointerId) return;
    if (isDragged) target.move(event.clientX, event.clientY);
    else if (wayOf(event) >= BEGINS_AT) {
      if (event.pointerType === 'touch') end();
      else begin(event.clientX, event.clientY);
    }
  };
  const up = (event: PointerEvent): void => {
    if (press?.id !== event.pointerId) return;
    const isFar = wayOf(event) >= LEAST_WAY;
    end();
    if (isDragged && isFar) target.drop(event.clientX, event.clientY);
    else if (isDragged) target.cancel();
  };
  const cancel = (): void => {
    if (press !== undefined && isDragged) target.cancel();
    end();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || press === undefined || !isDragged) return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  };
  /** The click that ends a drag must not choose the row. */
  const click = (event: MouseEvent): void => {
    if (isDragged) event.stopPropagation();
    isDragged = false;
  };
  /** The browser would scroll the list, and ask for the menu of a long press. */
  const keep = (event: Event): void => {
    if (press !== undefined && isDragged) event.preventDefault();
  };

  const ends = new AbortController();
  const { signal } = ends;
  list.addEventListener('pointerdown', down, { signal });
  list.addEventListener('pointermove', move, { signal });
  list.addEventListener('pointerup', up, { signal });
  list.addEventListener('pointercancel', cancel, { signal });
  list.addEventListener('touchmove', keep, { passive: false, signal });
  list.addEventListener('contextmenu', keep, { signal });
  list.addEventListener('click', click, { capture: true, signal });
  addEventListener('keydown', key, { capture: true, signal });
  return () => {
    clearTimeout(held);
    ends.abort();
  };
}
