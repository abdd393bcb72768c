/**
 * Processes that tests have started and not ended: phones, services. They carry a mark in their environment, so that they
 * are found whoever started them; it begins with the process id of the run. Nothing is found where the system does not
 * show environments (all but Linux).
 */
import { readdirSync, readFileSync } from 'node:fs';

export const MARK = 'CALLWEAVE_STARTED_BY';
/** A process that was told to end may take that long to be gone. */
const PATIENCE_MS = 2_000;

/** Ends marked processes that do not end on their own. Returns their command lines. */
export async function endLeftovers(mark: string): Promise<string[]> {
  const until = performance.now() + PATIENCE_MS;
  while (marked(mark).length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  return killLeftovers(mark);
}

export function killLeftovers(mark: string): string[] {
  const left = marked(mark);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
  return left.map(({ command }) => command);
}

function marked(mark: string): { pid: number; command: string }[] {
  const wanted = `\0${MARK}=${mark}`;
  return pids().flatMap((pid) => {
    if (pid === process.pid || !`\0${read(pid, 'environ')}`.includes(wanted)) return [];
    // A process that has ended and was not yet asked how has no command line.
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    return command === '' ? [] : [{ pid, command }];
  });
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
