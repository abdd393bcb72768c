/**
 * Reports to systemd, where it started this process with `Type=notify` (sd_notify(3)): ready, alive, stopping. Elsewhere it
 * does nothing. Neighbours: `start.ts`; `packaging/callweave.service` is the unit.
 */
import { execFile } from 'node:child_process';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

export interface ServiceManager {
  /** Calls are taken. From now on systemd hears that the process is alive. */
  ready(): void;
  stopping(): void;
  /** The last report was made. */
  end(): void;
}

interface Parts {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** Sends an assignment such as `READY=1`; default: by `systemd-notify`, because Node has no sockets of this kind. */
  send?: (state: string, failed: (error: Error) => void) => void;
}

/** A report more than systemd asks for, in case one is lost (sd_watchdog_enabled(3)). */
const REPORTS_PER_WATCHDOG = 2;
const SEND_TIMEOUT_MS = 5000;

/** Undefined `watch`: systemd did not start this process. */
export function createServiceManager(
  watch: { watchdogMs?: number } | undefined,
  { clock, log, send = notify }: Parts,
): ServiceManager {
  if (!watch) return { ready() {}, stopping() {}, end() {} };
  let timer: Timer | undefined;
  let hasFailed = false;
  const report = (state: string): void =>
    send(state, (error) => {
      if (!hasFailed) log.warn('service.not_reported', { to: 'systemd', why: error.message });
      hasFailed = true;
    });
  const { watchdogMs } = watch;
  const stayAlive = (): void => {
    if (watchdogMs === undefined) return;
    timer = clock.after(watchdogMs / REPORTS_PER_WATCHDOG, () => {
      report('WATCHDOG=1');
      stayAlive();
    });
  };
  return {
    ready() {
      report('READY=1');
      stayAlive();
    },
    stopping: () => report('STOPPING=1'),
    end: () => timer?.cancel(),
  };
}

function notify(state: string, failed: (error: Error) => void): void {
  execFile('systemd-notify', [state], { timeout: SEND_TIMEOUT_MS }, (error) => {
    if (error) failed(error);
  });
}
