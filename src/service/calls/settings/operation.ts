/** Operations on the running service; `app/reload.ts` and `app/drain.ts` implement them. */
import type { Diagnostic } from '../../../base/core/diagnostic.ts';

/** Result of reloading the configuration. */
export interface ReloadReport {
  /** Changes in effect, named as in the file: keys, `flow NAME`, `certificates`. */
  changed: readonly string[];
  /** Keys of the file that differ from the configuration at the start, and take effect only at a start. */
  needsRestart: readonly string[];
  /** Warnings, and errors of drafts, which calls do not use. */
  diagnostics: readonly Diagnostic[];
}

/** `open`: new calls are accepted; `stopping` and `quarantined` cannot be cancelled. */
export type DrainState = 'open' | 'draining' | 'stopping' | 'quarantined';

export interface DrainStatus {
  state: DrainState;
  sinceMs?: number;
  liveCalls: number;
  liveSessions: number;
}

/** `begin` and `cancel` throw `in_use` if the service is stopping or in quarantine. */
export interface DrainOrders {
  status(): DrainStatus;
  begin(): DrainStatus;
  cancel(): DrainStatus;
}
