/** `callweave voices`: lists the installed voices, and installs those of other languages. */
import {
  fetchVoices,
  importVoices,
  installedVoices,
  PICO_VOICES,
  SYSTEM_VOICES_DIRECTORY,
  VOICES_PACKAGE,
  voicesDirectory,
} from '../media/speech/pico/voice-data.ts';
import { type CommonOptions, requireDataConfig } from './config-option.ts';
import { fail, type Terminal, UsageError } from './terminal.ts';

export async function voices(
  action: 'list' | 'fetch' | 'import',
  path: string | undefined,
  options: CommonOptions,
  terminal: Terminal,
): Promise<void> {
  const config = requireDataConfig(options, terminal);
  const directory = voicesDirectory(config.dataDirectory);
  if (action === 'import' && path === undefined) {
    throw new UsageError('import takes a folder or a file', `callweave voices import libttspico-data_….deb`);
  }
  try {
    if (action === 'fetch') await fetchVoices(directory, path);
    if (action === 'import') await importVoices(path!, directory);
  } catch (error) {
    fail(terminal, 1, error instanceof Error ? error.message : String(error));
    if (action === 'fetch') {
      terminal.printError(`  hint: set a mirror of Debian:  callweave voices fetch MIRROR`);
      terminal.printError(`  hint: or get its ${VOICES_PACKAGE.path} elsewhere, then  callweave voices import FILE`);
    }
    return;
  }
  list([directory, SYSTEM_VOICES_DIRECTORY], options, terminal);
}

function list(directories: string[], { json }: CommonOptions, terminal: Terminal): void {
  const installed = installedVoices(directories);
  const missing = PICO_VOICES.filter(({ language }) => !installed.some((voice) => voice.language === language));
  if (json) {
    const found = installed.map(({ language, directory }) => ({
      engine: 'pico',
      language,
      voice: 'female',
      directory,
    }));
    const inside = ['female', 'male'].map((voice) => ({ engine: 'flite', language: 'en-US', voice }));
    terminal.printJson({ voices: [...inside, ...found], missing: missing.map(({ language }) => language) });
    return;
  }
  terminal.print('en-US  female, male  flite');
  for (const { language, directory } of installed) terminal.print(`${language}  female        pico, ${directory}`);
  for (const { language } of missing) terminal.print(terminal.style('dim', `${language}  missing       pico`));
  if (missing.length > 0) terminal.print('\nInstall the others with  callweave voices fetch  (4 MB, from Debian)');
}
