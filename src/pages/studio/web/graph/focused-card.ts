/** Focus of the cards of a graph. */
import { useEffect, useRef } from 'preact/hooks';
import type { Drawing } from './drawing.ts';

/** `name` is the name of a step or the id of an inner step. */
export function focusCard(box: HTMLElement | null, name: string, by: 'step' | 'inner' = 'step'): void {
  const card = [...(box?.querySelectorAll<HTMLElement>(`[data-${by}]`) ?? [])].find(
    (each) => each.dataset[by] === name,
  );
  card?.focus({ preventScroll: true });
}

/** True while a question above the graph has the focus, which it keeps. */
export const isAsked = (): boolean => document.activeElement?.closest('form') != null;

/** If the focused card disappears, for example because its step was deleted, focuses the card of the tab stop. */
export function useKeptFocus(
  box: { current: HTMLElement | null },
  drawing: Drawing,
  next: () => string | undefined,
): void {
  const had = useRef(false);
  useEffect(() => {
    const step = next();
    if (had.current && document.activeElement === document.body && step !== undefined) focusCard(box.current, step);
    const note = (): void => {
      // The dialog closes a frame before this effect runs.
      had.current =
        document.activeElement?.closest('[data-step]') != null &&
        box.current?.contains(document.activeElement) === true;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [drawing]);
}
