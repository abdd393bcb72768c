/** Figures of another process from the system (Linux, /proc). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** User and system time of all its threads, in seconds. */
export const cpuSeconds = (pid: number): number => cpuIn(`/proc/${pid}/stat`);

/** User and system time by thread name; threads with the same name are added up. */
export function cpuByThread(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim();
    threads.set(name, (threads.get(name) ?? 0) + cpuIn(`/proc/${pid}/task/${thread}/stat`));
  }
  return threads;
}

function cpuIn(file: string): number {
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory, in kB. */
export const residentKb = (pid: number): number => statusKb(pid, 'VmRSS');

/** Resident anonymous memory, in kB: without the code of programs and libraries, which is loaded when it first runs. */
export const ownKb = (pid: number): number => statusKb(pid, 'RssAnon');

/** Peak resident memory, in kB. */
export const peakKb = (pid: number): number => statusKb(pid, 'VmHWM');

function statusKb(pid: number, name: string): number {
  const value = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(value ?? Number.NaN);
}
