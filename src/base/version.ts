/** Version of the program. */
import { readFileSync } from 'node:fs';
import { programFile } from './core/program-files.ts';

let known: string | undefined;

export function version(): string {
  known ??= (JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as { version: string }).version;
  return known;
}
