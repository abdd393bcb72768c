/** Every call takes a socket or two: a process that may open too few files fails under load, not at start. */
import { readFileSync } from 'node:fs';

/** What a server needs beside its calls: listeners, databases, HTTP clients, logs. */
const OTHER_FILES = 256;

/** The soft limit of open files in the text of `/proc/self/limits`; undefined when it is unlimited or not told. */
export function openFileLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** The limit, when it is too low for this many calls at once. */
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
