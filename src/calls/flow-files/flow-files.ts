/** The files of flows, as the studio reads and writes them. */
import { join, relative } from 'node:path';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { FlowLibrary } from '../../flow/flow-library.ts';
import type { CheckFlow, FlowCheck, WorkOptions } from './flow-check.ts';

export interface FlowFiles {
  /** What is wrong with a text that would be saved as this flow. */
  check(name: string, text: string, options?: WorkOptions): Promise<FlowCheck>;
}

export interface FlowFilesParts {
  /** Absolute. */
  directory: string;
  flows: FlowLibrary;
  checkFlow: CheckFlow;
}

export function createFlowFiles({ directory, flows, checkFlow }: FlowFilesParts): FlowFiles {
  const fileOf = (name: string): string =>
    flows.sources().find((source) => source.name === name)?.file ?? join(directory, `${name}.flow.yaml`);
  const shown = (diagnostic: Diagnostic): Diagnostic => ({ ...diagnostic, file: relative(directory, diagnostic.file) });
  return {
    async check(name, text, options) {
      const found = await checkFlow({ file: fileOf(name), text }, options);
      return { ...found, diagnostics: found.diagnostics.map(shown) };
    },
  };
}
