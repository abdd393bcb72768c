/** Runs a request of an administrator to a running service, and prints its refusal. */
import { systemClock } from '../base/core/clock.ts';
import type { Diagnostic } from '../base/core/diagnostic.ts';
import { isObject, type Json } from '../base/core/json.ts';
import { printDiagnostics, refuseDiagnostics } from './diagnostics.ts';
import {
  findAdministrator,
  printServiceError,
  RequestRefused,
  type ServiceClient,
  type ServiceOptions,
} from './service-client.ts';
import { type Terminal, UsageError } from './terminal.ts';

export async function withAdministrator(
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
      const hint = 'set CALLWEAVE_ADMIN_TOKEN to the token of the service';
      throw new UsageError('the service has another administrator token', hint);
    }
    const diagnostics = diagnosticsIn(error.body['diagnostics']);
    if (diagnostics.length === 0) return printServiceError(error, terminal);
    printDiagnostics(diagnostics, terminal);
    terminal.printError('callweave: the running configuration is unchanged');
    terminal.fail(1);
  }
}

export const diagnosticsIn = (value: Json | undefined): Diagnostic[] =>
  (Array.isArray(value) ? value.filter(isObject) : []) as unknown as Diagnostic[];

export const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);
