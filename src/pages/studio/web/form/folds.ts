/** Open folds of the form, which survive going from step to step. */
import { signal } from '@preact/signals';

export const openFolds = signal<ReadonlySet<string>>(new Set());

export function toggleFold(name: string): void {
  const open = new Set(openFolds.value);
  if (!open.delete(name)) open.add(name);
  openFolds.value = open;
}
