/** Focus after the removal of a row, whose button is gone: the row that takes its place, or the field that adds one. */
export function focusAfterRemoval(button: HTMLElement): void {
  const row = button.closest('.choice, .list-row, .pair-row, .case, .opening');
  const rows = row?.parentElement;
  if (!row || !rows) return;
  const index = [...rows.children].indexOf(row);
  requestAnimationFrame(() => {
    const next = rows.children[Math.min(index, rows.children.length - 1)];
    next?.querySelector<HTMLElement>('button, input, textarea, select')?.focus();
    if (next?.matches('input, button')) (next as HTMLElement).focus();
  });
}
