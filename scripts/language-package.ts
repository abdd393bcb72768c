/**
 * Builds `packages/language`: the modules that its entry point reaches, compiled to JavaScript, and the schemas that they
 * read. Runs before the package is packed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { copyVerbSchemas } from './verb-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'packages/language');
const ENTRY = 'src/cli/language.js';
/** Files that the modules read. */
const READ = ['schemas/*.json', 'schemas/editor/*.json', 'flows/builtin/*.yaml', 'LICENSE'];
/** Entries of the package that this program makes. */
const MADE = ['dist', 'schemas', 'flows', 'LICENSE'];
const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g;

const compiled = mkdtempSync(join(tmpdir(), 'callweave-language-'));
try {
  const options = ['--outDir', compiled, '--declaration', 'false', '--removeComments'];
  execFileSync('tsc', ['--project', 'tsconfig.build.json', ...options], { cwd: ROOT, stdio: 'inherit' });
  for (const made of MADE) rmSync(join(PACKAGE, made), { recursive: true, force: true });
  for (const file of reachedFrom(join(compiled, ENTRY))) cpSync(file, join(PACKAGE, 'dist', relative(compiled, file)));
  copyVerbSchemas(join(PACKAGE, 'dist'));
  for (const file of globSync(READ, { cwd: ROOT })) cpSync(join(ROOT, file), join(PACKAGE, file));
} finally {
  rmSync(compiled, { recursive: true, force: true });
}

/** A module and all modules of the program that it imports, at once or later. */
function reachedFrom(entry: string): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORTED)) reached.add(join(dirname(file), path!));
  }
  return reached;
}
