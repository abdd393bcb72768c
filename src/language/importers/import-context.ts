/** Input of an importer besides the source. */
import type { FidelityReport } from './fidelity.ts';
import type { ImportOptions } from './imported.ts';

export interface ImportContext extends ImportOptions {
  report: FidelityReport;
  /** Available sound files. */
  sounds: ReadonlySet<string>;
}
