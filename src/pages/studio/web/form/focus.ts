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

/** Ends the editing of a name, once, and focuses the field that takes its place after the rename. */
export function takeName(field: HTMLElement): void {
  const rows = field.closest('.list-rows, .choice-rows');
  const names = (): HTMLElement[] => [...(rows?.querySelectorAll<HTMLElement>('.row-name, .choice-name') ?? [])];
  const index = names().indexOf(field);
  field.blur();
  requestAnimationFrame(() => names()[index]?.focus());
}

/**
 * Acts once no pointer is pressed, after its click. A button that moves while the pointer is pressed gets no click, because
 * the pointer is released beside it.
 */
export function whenReleased(act: () => void): void {
  if (isPressed) waiting.push(act);
  else act();
}

let isPressed = false;
const waiting: (() => void)[] = [];

const release = (): void => {
  isPressed = false;
  // The click comes after the release.
  setTimeout(() => {
    for (const act of waiting.splice(0)) act();
  });
};
addEventListener('pointerdown', () => (isPressed = true), true);
for (const type of ['pointerup', 'pointercancel'] as const) addEventListener(type, release, true);
