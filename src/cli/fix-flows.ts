/** Applies the fixes of diagnostics to the files. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Diagnostic } from '../base/core/diagnostic.ts';
import { applyEdits } from '../language/flow/text/text-edits.ts';

/** Returns the number of applied fixes. */
export function fixFiles(diagnostics: readonly Diagnostic[]): number {
  let total = 0;
  for (const [file, found] of Map.groupBy(diagnostics, (diagnostic) => diagnostic.file)) {
    const edits = found.flatMap(({ fix }) => fix ?? []);
    if (edits.length === 0) continue;
    const before = readFileSync(file, 'utf8');
    // Offsets do not count a byte order mark.
    const mark = before.startsWith('\ufeff') ? '\ufeff' : '';
    const { text, made } = applyEdits(before.slice(mark.length), edits);
    if (made > 0) writeFileSync(file, mark + text);
    total += made;
  }
  return total;
}
