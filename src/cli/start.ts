/** `callweave start`: runs the service until it is asked to stop. */
import { runService } from '../main.ts';
import { printDiagnostics } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

export interface StartOptions {
  config?: string;
  json?: boolean;
}

export async function start({ config, json }: StartOptions, terminal: Terminal): Promise<void> {
  const status = await runService({
    ...(config === undefined ? {} : { file: config }),
    print: (line) => terminal.print(line),
    ...(json ? { started: (facts) => terminal.printJson(facts) } : {}),
    report(diagnostics) {
      printDiagnostics(diagnostics, terminal);
    },
    reportError(message, hint) {
      terminal.printError(`callweave: ${message}`);
      if (hint !== undefined) terminal.printError(`  hint: ${hint}`);
    },
    isInteractive: terminal.isInteractive && !json,
  });
  if (status !== 0) terminal.fail(status);
}
