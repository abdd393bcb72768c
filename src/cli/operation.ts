/** `callweave reload` and `callweave drain`: what an administrator asks of a service that runs. A client of its admin API. */
import { systemClock } from '../core/clock.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { printDiagnostics, refuseDiagnostics } from './diagnostics.ts';
import {
  findAdministrator,
  printServiceError,
  RequestRefused,
  type ServiceClient,
  type ServiceOptions,
} from './service-client.ts';
import { countOf, type Terminal, UsageError } from './terminal.ts';

export const reload = (options: ServiceOptions, terminal: Terminal): Promise<void> =>
  withAdministrator(options, terminal, async (service) => {
    const report = await service.request('POST', '/admin/v1/reload');
    if (options.json) return terminal.printJson(report);
    const [changed, waiting] = [textsIn(report['changed']), textsIn(report['needs_restart'])];
    printDiagnostics(diagnosticsIn(report['diagnostics']), terminal);
    terminal.print(
      changed.length === 0 ? 'nothing has changed' : `in force from the next call on: ${changed.join(', ')}`,
    );
    if (waiting.length > 0) terminal.print(`taken at the next start only: ${waiting.join(', ')}`);
  });

export interface DrainOptions extends ServiceOptions {
  /** Until nothing goes on. */
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
  const live = `${countOf(Number(calls), 'call')} and ${countOf(Number(sessions), 'session')} of rooms`;
  return state === 'open' ? `new calls are taken; ${live} go on` : `no new calls are taken; ${live} go on`;
}

async function withAdministrator(
  options: ServiceOptions,
  terminal: Terminal,
  ask: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  const service = findAdministrator(options, systemClock);
  if (Array.isArray(service)) refuseDiagnostics(service, terminal);
  try {
    await ask(service);
  } catch (error) {
    if (!(error instanceof RequestRefused)) return printServiceError(error, terminal);
    if (error.status === 401) {
      const hint = 'set CALLWEAVE_ADMIN_TOKEN to the one that it has; SIGHUP needs none';
      throw new UsageError('the service has another token of the administrator', hint);
    }
    const diagnostics = diagnosticsIn(error.body['diagnostics']);
    if (diagnostics.length === 0) return printServiceError(error, terminal);
    printDiagnostics(diagnostics, terminal);
    terminal.printError('callweave: nothing has changed');
    terminal.fail(1);
  }
}

const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

const diagnosticsIn = (value: Json | undefined): Diagnostic[] =>
  (Array.isArray(value) ? value.filter(isObject) : []) as unknown as Diagnostic[];
