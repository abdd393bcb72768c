/**
 * Notifies systemd, if it started the process with `Type=notify` (sd_notify(3)): ready, watchdog, stopping. Otherwise
 * does nothing. Used by `start.ts`; the unit is `packaging/callweave.service`.
 */
import { execFile } from 'node:child_process';
import type { Clock, Timer } from '../base/core/clock.ts';
import type { Log } from '../base/core/log.ts';

export interface ServiceManager {
  /** Reports that the service accepts calls, and starts the watchdog reports. */
  ready(): void;
  stopping(): void;
  /** Stops the watchdog reports. */
  end(): void;
}

interface Parts {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** Sends an assignment such as `READY=1`. Default: `systemd-notify`, because Node has no Unix datagram sockets. */
  send?: (state: string, failed: (error: Error) => void) => void;
}

/** Twice the required rate, in case a report is lost (sd_watchdog_enabled(3)). */
const REPORTS_PER_WATCHDOG = 2;
const SEND_TIMEOUT_MS = 5000;

/** `watch` is undefined if the process was not started by systemd. */
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
