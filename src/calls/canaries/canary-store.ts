/** The canaries that are on, and the last one that each flow had. */
import type { Canary } from './canary.ts';

export interface CanaryStore {
  /**
   * Takes the place of the one that the flow had. While it is on, its version is kept whatever its age; when it ends, as
   * long as if it had been in force until then.
   */
  put(canary: Canary): void;
  list(): Canary[];
}
