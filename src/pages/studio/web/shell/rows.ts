/**
 * Moves the focus between rows with the arrow keys. The element with `data-row` gets the focus of its row; its value is
 * the name of the row.
 */
import { t } from '../../../shared/web/words/translate.ts';

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** Name of the focused row. */
export const rowAtFocus = (): string | undefined =>
  document.activeElement?.closest('tr, li')?.querySelector<HTMLElement>('[data-row]')?.dataset['row'];

/** Focuses the next or previous row; if no row has the focus, the first or the last. */
export function moveRow(by: 1 | -1): void {
  const all = rows();
  const at = all.findIndex(({ dataset }) => dataset['row'] === rowAtFocus());
  const next = at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by));
  all[next]?.focus();
}

/** Focuses the main list of a screen when it is first shown, unless the focus is in a field or another part. */
export function focusIfNowhere(element: HTMLElement | null | undefined): void {
  const focused = document.activeElement;
  if (focused === null || focused === document.body || focused.tagName === 'MAIN') {
    element?.focus({ preventScroll: true });
  }
}

/** Commands of a list with rows. */
export const rowCommands = (what: string, group: string) => [
  { title: t('Next {what}', { what }), keys: 'ArrowDown', group, run: () => moveRow(1) },
  { title: t('Previous {what}', { what }), keys: 'ArrowUp', group, run: () => moveRow(-1) },
];
