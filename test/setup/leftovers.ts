/**
 * Processes that tests have started and not ended: phones, services. They are found by a mark in their environment,
 * which begins with the process id of the run. Works on Linux only, because other systems do not expose environments.
 */
import { readdirSync, readFileSync } from 'node:fs';

export const MARK = 'CALLWEAVE_STARTED_BY';
/** Time for a process to end after it was asked to. */
const EXIT_TIMEOUT_MS = 2_000;

/** Ends marked processes that do not end on their own. Returns their command lines. */
export async function endLeftovers(mark: string): Promise<string[]> {
  const until = performance.now() + EXIT_TIMEOUT_MS;
  while (marked(mark).length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  return killLeftovers(mark);
}

export function killLeftovers(mark: string): string[] {
  const left = marked(mark);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  return left.map(({ command }) => command);
}

function marked(mark: string): { pid: number; command: string }[] {
  const wanted = `\0${MARK}=${mark}`;
  return pids().flatMap((pid) => {
    if (pid === process.pid || !`\0${read(pid, 'environ')}`.includes(wanted)) return [];
    // A zombie process has no command line.
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
