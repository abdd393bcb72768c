/**
 * `callweave example`: copies an example from the program to the current folder, because Node does not run TypeScript
 * below `node_modules`, where the installed package is. Never overwrites files.
 */
import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { programFile } from '../base/core/program-files.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import { displayPath } from './find-files.ts';
import { countOf, fail, type Terminal } from './terminal.ts';

export interface ExampleOptions {
  json?: boolean;
}

/** Copies an example; lists the examples if no name is given. */
export function example(name: string | undefined, { json }: ExampleOptions, terminal: Terminal): void {
  const names = exampleNames();
  if (name === undefined) {
    if (json) terminal.printJson({ examples: names });
    else for (const each of names) terminal.print(each);
    return;
  }
  if (!names.includes(name)) {
    fail(terminal, 2, `unknown example ${name}`, `the examples are ${names.join(', ')}`);
    return;
  }
  const folder = resolve(name);
  if (existsSync(folder)) {
    fail(terminal, 1, `${displayPath(folder)} already exists, nothing was written`, 'move or rename it');
    return;
  }
  try {
    cpSync(programFile(`examples/${name}`), folder, { recursive: true, errorOnExist: true });
    // Overrides a `package.json` in a parent folder that declares CommonJS.
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n', { flag: 'wx' });
  } catch (error) {
    fail(terminal, 1, `the example cannot be written: ${reasonOf(error)}`);
    return;
  }
  const files = globSync('**/*', { cwd: folder });
  const programs = files.filter((file) => file.endsWith('.ts'));
  const missing = missingPackages(folder, programs);
  if (json) {
    terminal.printJson({ folder, files, programs, missing_packages: missing });
    return;
  }
  terminal.print(`${displayPath(folder)}: ${countOf(files.length, 'file')}; see README.md`);
  if (missing.length > 0) terminal.print(`  npm install ${missing.join(' ')}`);
  for (const file of programs) terminal.print(`  node ${displayPath(join(folder, file))}`);
}

const exampleNames = (): string[] =>
  readdirSync(programFile('examples'), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map((each) => each.name)
    .sort();

/** Packages that the programs import and that cannot be resolved from the new folder. */
function missingPackages(folder: string, programs: readonly string[]): string[] {
  const { resolve: find } = createRequire(join(folder, 'package.json'));
  const imported = programs.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:from |resolve\()'((?!node:)[\w@][^'/]*)[^']*'/g)].map(
      ([, name]) => name!,
    ),
  );
  return [...new Set(imported)].filter((name) => !find.paths(name)?.some((path) => existsSync(join(path, name))));
}
