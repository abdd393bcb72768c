/** What became of a configuration that was read again while the service runs; `app/reload.ts` does it. */
import type { Diagnostic } from '../../core/diagnostic.ts';

export interface ReloadReport {
  /** What is in force from now on, as the file has it: keys, `flow NAME`, `certificates`. */
  changed: readonly string[];
  /** Keys of the file that differ from those that the service was started with, and that it takes at a start only. */
  needsRestart: readonly string[];
  /** Warnings, and errors of drafts, which calls do not take. */
  diagnostics: readonly Diagnostic[];
}
