/** The files that come with the program, such as `schemas` and `flows`: at the same place in a clone and in the installed package. */
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

const PROGRAM_FOLDER = dirname(findPackageJSON(import.meta.url)!);

/** `path` begins where `package.json` is. */
export const programFile = (path: string): string => join(PROGRAM_FOLDER, path);
