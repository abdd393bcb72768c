/**
 * Ends a process that something still holds open after its service has stopped, and names what it was: a supervisor that
 * waits for the process (systemd, Kubernetes) leaves the service down meanwhile.
 */
import { unlessEnded } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

const HELD_LIMIT_MS = 3000;

export function endHeldProcess(log: Log): void {
  unlessEnded(HELD_LIMIT_MS, () => {
    const holders: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) holders[kind] = (holders[kind] ?? 0) + 1;
    log.error('process.held', { holders });
    process.exit();
  });
}
