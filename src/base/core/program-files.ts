/**
 * Files that belong to the program, such as `schemas` and `flows`: at the same path in a clone and in the installed
 * package.
 */
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

const PROGRAM_FOLDER = dirname(findPackageJSON(import.meta.url)!);

/** `path` is relative to the folder of `package.json`. */
export const programFile = (path: string): string => join(PROGRAM_FOLDER, path);
