/** Store of the active canaries and of the last one of each flow. */
import type { Canary } from './canary.ts';

export interface CanaryStore {
  /**
   * Replaces the flow's previous canary. While it is active, its version is retained whatever its age; after the end,
   * as long as if it had been live until then.
   */
  put(canary: Canary): void;
  list(): Canary[];
}
