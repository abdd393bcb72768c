/**
 * Exits the process if a handle keeps it alive after its service has stopped, and logs the handles. Otherwise a
 * supervisor (systemd, Kubernetes) would wait for the process, and the service would stay down.
 */
import { unlessEnded } from '../base/core/clock.ts';
import type { Log } from '../base/core/log.ts';

const HELD_LIMIT_MS = 3000;

export function endHeldProcess(log: Log): void {
  unlessEnded(HELD_LIMIT_MS, () => {
    const holders: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) holders[kind] = (holders[kind] ?? 0) + 1;
    log.error('process.held', { holders });
    process.exit();
  });
}
