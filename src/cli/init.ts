/**
 * `callweave init`: creates a folder with a configuration, a flow, its tests and editor settings. If one of the files
 * exists, nothing is written. `templates.ts` contains the files.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reasonOf } from '../base/core/reason-of.ts';
import { displayPath } from './find-files.ts';
import { ownCommand } from './own-command.ts';
import { isSecret, projectFiles } from './templates.ts';
import { countOf, fail, type Terminal } from './terminal.ts';

export interface InitOptions {
  template: string;
  json?: boolean;
}

const PASSWORD_BYTES = 18;

export function init(name: string, { template, json }: InitOptions, terminal: Terminal): void {
  const folder = resolve(name);
  const command = ownCommand();
  const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
  const files = projectFiles({ template, command, newPassword });
  const there = [...files.keys()].find((path) => existsSync(join(folder, path)));
  if (there !== undefined) {
    const message = `${displayPath(join(folder, there))} already exists, nothing was written`;
    fail(terminal, 1, message, 'choose another name, or move that file');
    return;
  }
  try {
    for (const [path, text] of files) write(join(folder, path), text, isSecret(path));
  } catch (error) {
    fail(terminal, 1, `the project cannot be written: ${reasonOf(error)}`);
    return;
  }
  if (json) terminal.printJson({ folder, template, files: [...files.keys()] });
  else printNext(folder, template, files.size, command, terminal);
}

function printNext(folder: string, template: string, files: number, command: string, terminal: Terminal): void {
  terminal.print(`${displayPath(folder)}: ${countOf(files, 'file')}, of the template ${template}`);
  terminal.print('');
  terminal.print('  Try next:');
  if (folder !== process.cwd()) terminal.print(`    cd ${displayPath(folder)}`);
  for (const next of ['test', 'start']) terminal.print(`    ${command} ${next}`);
}

function write(file: string, text: string, isPrivate: boolean): void {
  mkdirSync(dirname(file), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
  // `wx` also fails for files created meanwhile.
  writeFileSync(file, text, { flag: 'wx', mode: isPrivate ? 0o600 : 0o666 });
}
