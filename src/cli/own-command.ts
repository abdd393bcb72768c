/** How people call this command where they are: in a clone of the repository by a script of npm, else by `npx`. */
import { existsSync } from 'node:fs';
import { programFile } from '../core/program-files.ts';

export const ownCommand = (): string => (existsSync(programFile('src')) ? 'npm run callweave --' : 'npx callweave');
