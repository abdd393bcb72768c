/** The options that most commands have, and the configuration that `--config` names. */
import {
  type Config,
  type ConfiguredFlowNames,
  type DataConfig,
  readConfig,
  readDataConfig,
  readFlowNames,
} from '../config.ts';
import { defined } from '../core/json.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

export interface CommonOptions {
  config?: string;
  json?: boolean;
}

/** Where it cannot be used, what is wrong with it is printed, and the command fails. */
export function requireConfig({ config: file }: CommonOptions, terminal: Terminal): Config {
  const { config, diagnostics } = readConfig(defined({ file }));
  return config ?? refuseDiagnostics(diagnostics, terminal);
}

/** What flows may name of a configuration: without its secrets and certificates. */
export function requireFlowNames(file: string, terminal: Terminal): ConfiguredFlowNames {
  const { names, diagnostics } = readFlowNames({ file });
  return names ?? refuseDiagnostics(diagnostics, terminal);
}

/** For commands that only read what the service has kept: they work without its secrets. */
export function requireDataConfig({ config: file }: CommonOptions, terminal: Terminal): DataConfig {
  const { config, diagnostics } = readDataConfig(defined({ file }));
  return config ?? refuseDiagnostics(diagnostics, terminal);
}
