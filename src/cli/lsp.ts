/** `callweave lsp`: language server for flows over standard input and output. Its parts are in `lsp/`. */
import { requireFlowNames } from './config-option.ts';
import { serve } from './lsp/server.ts';
import type { Terminal } from './terminal.ts';

export function lsp(paths: string[], { config }: { config?: string }, terminal: Terminal): void {
  const names = config === undefined ? undefined : requireFlowNames(config, terminal);
  serve(terminal.input, process.stdout, { paths, names });
}
