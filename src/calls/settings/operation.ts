/** What an administrator asks of the service as a whole while it runs; `app/reload.ts` and `app/drain.ts` do it. */
import type { Diagnostic } from '../../core/diagnostic.ts';

/** What became of a configuration that was read again. */
export interface ReloadReport {
  /** What is in force from now on, as the file has it: keys, `flow NAME`, `certificates`. */
  changed: readonly string[];
  /** Keys of the file that differ from those that the service was started with, and that it takes at a start only. */
  needsRestart: readonly string[];
  /** Warnings, and errors of drafts, which calls do not take. */
  diagnostics: readonly Diagnostic[];
}

/** Whether new calls are taken; `stopping` and `quarantined`: that cannot be taken back. */
export type DrainState = 'open' | 'draining' | 'stopping' | 'quarantined';

export interface DrainStatus {
  state: DrainState;
  sinceMs?: number;
  liveCalls: number;
  liveSessions: number;
}

/** `begin` and `cancel` throw `in_use` when the service is about to stop, or in quarantine. */
export interface DrainOrders {
  status(): DrainStatus;
  begin(): DrainStatus;
  cancel(): DrainStatus;
}
