/** `callweave studio`: prints a sign-in link for the studio of the service with this data directory. */
import { urlOf } from '../app/base.ts';
import { writeStudioCode } from '../app/studio-links.ts';
import { systemClock } from '../base/core/clock.ts';
import { defined } from '../base/core/json.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import { readConfig } from '../config.ts';
import type { CommonOptions } from './config-option.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import { fail, type Terminal } from './terminal.ts';

export function studio(options: CommonOptions, terminal: Terminal): void {
  const { config, diagnostics } = readConfig(defined({ file: options.config }));
  if (!config) refuseDiagnostics(diagnostics, terminal, 2);
  if (!config.studio) {
    fail(terminal, 1, 'the studio is disabled in the configuration', 'remove studio: false');
    return;
  }
  const base = config.http.publicUrl ?? urlOf(config.http);
  try {
    terminal.print(`${base}/studio/#code=${writeStudioCode(config.dataDirectory, systemClock.now())}`);
  } catch (error) {
    const hint = 'run it as the user of the service on its machine, after the first start';
    fail(terminal, 1, `the data directory cannot be written: ${reasonOf(error)}`, hint);
  }
}
