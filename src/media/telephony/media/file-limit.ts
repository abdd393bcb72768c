/**
 * Checks the limit of open files: every call needs two sockets, so that a process with a low limit would fail under
 * load, not at start.
 */
import { readFileSync } from 'node:fs';

/** Files that a server needs in addition to its calls: listeners, databases, HTTP clients, logs. */
const OTHER_FILES = 256;

/** Soft limit of open files in the text of `/proc/self/limits`; undefined if it is unlimited or missing. */
export function openFileLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Returns the limit, if it is too low for this many concurrent calls. */
export function shortFileLimit(calls: number): { limit: number; needed: number } | undefined {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
  const limit = openFileLimit(limits);
  const needed = calls + OTHER_FILES;
  return limit !== undefined && limit < needed ? { limit, needed } : undefined;
}
