/** A program without commands: its options, help and messages are the same for every program of the package. */
import { Command } from 'commander';
import { version } from '../base/version.ts';
import type { Terminal } from './terminal.ts';

export const baseProgram = (description: string, terminal: Terminal): Command =>
  new Command(terminal.program)
    .description(description)
    .version(version(), '-v, --version', 'the version')
    .helpOption('-h, --help', 'show the usage of a command')
    .helpCommand('help [command]', 'show the usage of a command')
    .exitOverride()
    .showHelpAfterError('(see --help for the usage)')
    .configureOutput({
      outputError: (text) => terminal.printError(inOurWords(text, terminal.program).trimEnd()),
      writeErr: (text) => terminal.printError(text.trimEnd()),
      writeOut: (text) => terminal.print(text.trimEnd()),
    })
    .configureHelp({ styleTitle: (text) => terminal.style('bold', text) });

const inOurWords = (text: string, name: string): string =>
  text
    .replace(/^error: /, `${name}: `)
    .replace(
      /command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are/,
      "'$1' is not a valid $2: it is one of",
    )
    .replace(/^\(Did you mean (.*)\?\)$/m, '  hint: did you mean $1?');
