/** `callweave reload` and `callweave drain`: operate a running service through its admin API. */
import { systemClock } from '../base/core/clock.ts';
import type { JsonObject } from '../base/core/json.ts';
import { diagnosticsIn, textsIn, withAdministrator } from './administrator.ts';
import { printDiagnostics } from './diagnostics.ts';
import type { ServiceOptions } from './service-client.ts';
import { countOf, type Terminal } from './terminal.ts';

export const reload = (options: ServiceOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    const report = await service.request('POST', '/admin/v1/reload');
    if (options.json) return terminal.printJson(report);
    const [changed, waiting] = [textsIn(report['changed']), textsIn(report['needs_restart'])];
    printDiagnostics(diagnosticsIn(report['diagnostics']), terminal);
    terminal.print(
      changed.length === 0 ? 'nothing has changed' : `effective from the next call on: ${changed.join(', ')}`,
    );
    if (waiting.length > 0) terminal.print(`effective after a restart only: ${waiting.join(', ')}`);
  });

export interface DrainOptions extends ServiceOptions {
  /** Waits until no call and no session is active. */
  wait?: boolean;
  cancel?: boolean;
}

const DRAIN = '/admin/v1/drain';
const POLL_MS = 1000;

export const drain = (options: DrainOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    let status = await service.request(options.cancel ? 'DELETE' : 'POST', DRAIN);
    const show = (): void => {
      if (!options.json) terminal.print(statusLine(status));
    };
    show();
    let before = statusLine(status);
    while (options.wait && status['state'] !== 'open' && goesOn(status) > 0) {
      await new Promise<void>((resolve) => systemClock.after(POLL_MS, resolve));
      status = await service.request('GET', DRAIN);
      if (statusLine(status) !== before) show();
      before = statusLine(status);
    }
    if (options.json) terminal.printJson(status);
  });

const goesOn = ({ live_calls: calls, live_sessions: sessions }: JsonObject): number => Number(calls) + Number(sessions);

function statusLine(status: JsonObject): string {
  const { state, live_calls: calls, live_sessions: sessions } = status;
  const live = `${countOf(Number(calls), 'call')} and ${countOf(Number(sessions), 'room session')}`;
  return state === 'open' ? `new calls are accepted; ${live} active` : `new calls are refused; ${live} active`;
}
