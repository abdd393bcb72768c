/** How people call this command where they are: in a clone of the repository by a script of npm, else by `npx`. */
import { existsSync } from 'node:fs';
import { programFile } from '../core/program-files.ts';

const NEEDED_NODE = 24;

export function ownCommand(isClone = existsSync(programFile('src')), node = process.execPath): string {
  if (isClone) return 'npm run callweave --';
  // A Node that npx brought for this one command: the machine's own is too old.
  return /[\\/]_npx[\\/]/.test(node) ? `npx -p node@${NEEDED_NODE} -- callweave` : 'npx callweave';
}
