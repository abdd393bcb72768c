/** Options shared by most commands, and the configuration named by `--config`. */
import { defined } from '../base/core/json.ts';
import {
  type Config,
  type ConfiguredFlowNames,
  type DataConfig,
  readConfig,
  readDataConfig,
  readFlowNames,
} from '../config.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

export interface CommonOptions {
  config?: string;
  json?: boolean;
}

/** Loads the configuration. If it is invalid, prints its diagnostics and ends the command. */
export function requireConfig({ config: file }: CommonOptions, terminal: Terminal): Config {
  const { config, diagnostics } = readConfig(defined({ file }));
  return config ?? refuseDiagnostics(diagnostics, terminal);
}

/** Names that flows may use from a configuration. Does not read its secrets and certificates. */
export function requireFlowNames(file: string, terminal: Terminal): ConfiguredFlowNames {
  const { names, diagnostics } = readFlowNames({ file });
  return names ?? refuseDiagnostics(diagnostics, terminal);
}

/** For commands that only read the service's data: does not need its secrets. */
export function requireDataConfig({ config: file }: CommonOptions, terminal: Terminal): DataConfig {
  const { config, diagnostics } = readDataConfig(defined({ file }));
  return config ?? refuseDiagnostics(diagnostics, terminal);
}
