/** `--config`: the configuration that a command works with. */
import { type Config, readConfig } from '../config.ts';
import { printDiagnostics } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

/** Undefined when it cannot be used: what is wrong was printed, and the command fails. */
export function requireConfig(file: string | undefined, terminal: Terminal): Config | undefined {
  const { config, diagnostics } = readConfig(file === undefined ? {} : { file });
  if (config === undefined) {
    printDiagnostics(diagnostics, terminal);
    terminal.fail(1);
  }
  return config;
}
