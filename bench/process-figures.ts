/** What the system says of another process (Linux, /proc). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** User and system time of all its threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory, in kB. */
export const residentKb = (pid: number): number => statusKb(pid, 'VmRSS');

/** The most it ever had, in kB. */
export const peakKb = (pid: number): number => statusKb(pid, 'VmHWM');

function statusKb(pid: number, name: string): number {
  const value = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(value ?? Number.NaN);
}
