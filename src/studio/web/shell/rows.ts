/**
 * Rows that the arrow keys walk along: the element with `data-row` is what has the focus of its row, and its value is the
 * name of the row.
 */
const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** The name of the row in which the focus is. */
export const rowAtFocus = (): string | undefined =>
  document.activeElement?.closest('tr, li')?.querySelector<HTMLElement>('[data-row]')?.dataset['row'];

/** Puts the focus into the next row, or the one before; into the first or the last where it is in none. */
export function moveRow(by: 1 | -1): void {
  const all = rows();
  const at = all.findIndex(({ dataset }) => dataset['row'] === rowAtFocus());
  const next = at < 0 ? (by === 1 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by));
  all[next]?.focus();
}

/** The commands that every such list has. */
export const rowCommands = (what: string, group: string) => [
  { title: `Next ${what}`, keys: 'ArrowDown', group, run: () => moveRow(1) },
  { title: `Previous ${what}`, keys: 'ArrowUp', group, run: () => moveRow(-1) },
];
