// Reports of vitest's JSON reporter.
import { readFileSync } from 'node:fs';

/** Undefined: there is none, or it was not written to its end. */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Of a file: one of its tests, or the file itself. */
export const hasFailed = ({ status }) => status === 'failed';
