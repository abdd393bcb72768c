/** The command line that starts this program: an npm script in a clone of the repository, otherwise `npx`. */
import { existsSync } from 'node:fs';
import { programFile } from '../base/core/program-files.ts';

const NEEDED_NODE = 24;

export function ownCommand(isClone = existsSync(programFile('src')), node = process.execPath): string {
  if (isClone) return 'npm run callweave --';
  // npx installed Node only for this command, because the machine's own version is too old.
  return /[\\/]_npx[\\/]/.test(node) ? `npx -p node@${NEEDED_NODE} -- callweave` : 'npx callweave';
}
