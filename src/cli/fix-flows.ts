/** Makes the repairs that `check` offers, in the files themselves. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Diagnostic } from '../core/diagnostic.ts';
import { applyEdits } from '../core/text-edits.ts';

/** How many were made. */
export function fixFiles(diagnostics: readonly Diagnostic[]): number {
  let total = 0;
  for (const [file, found] of Map.groupBy(diagnostics, (diagnostic) => diagnostic.file)) {
    const edits = found.flatMap(({ fix }) => fix ?? []);
    if (edits.length === 0) continue;
    const before = readFileSync(file, 'utf8');
    // Places are counted without the mark at the beginning of some files.
    const mark = before.startsWith('\ufeff') ? '\ufeff' : '';
    const { text, made } = applyEdits(before.slice(mark.length), edits);
    if (made > 0) writeFileSync(file, mark + text);
    total += made;
  }
  return total;
}
