/** Runs the ffmpeg of the system as a child process of low priority. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { constants, devNull, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { findProgram } from '../../base/core/find-program.ts';

export interface FfmpegRun {
  /** Resolves with the duration of the result; rejects if the run failed or was cancelled. */
  done: Promise<{ ms: number }>;
  /** Kills the process; `done` rejects soon after. */
  cancel(): void;
}

export interface Ffmpeg {
  /** Paths in `args` are relative to `folder`. `progress` receives the duration written so far, in ms. */
  run(folder: string, args: readonly string[], progress?: (ms: number) => void): FfmpegRun;
}

const PROGRAM = 'ffmpeg';
const MAX_COMPLAINT = 2000;

/** Returns undefined if none of the folders contains ffmpeg. */
export const findFfmpeg = async (folders: readonly string[]): Promise<Ffmpeg | undefined> =>
  (await findProgram(PROGRAM, folders)) === undefined ? undefined : { run };

/** Run that lasts as long as its `input` is open. */
export interface LiveFfmpegRun extends FfmpegRun {
  readonly input: Writable;
}

const USUAL = ['-nostdin', '-hide_banner', '-v', 'error', '-y'];

/** `printed` receives the standard output. */
export function runLive(folder: string, args: readonly string[], printed: (text: string) => void): LiveFfmpegRun {
  const child = spawnAlone([...USUAL, ...args], folder);
  // Writes after the end of the process fail, and are dropped.
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', printed);
  return { ...outcomeOf(child, constants.priority.PRIORITY_BELOW_NORMAL), input: child.stdin };
}

/**
 * Closes inherited descriptors: libraries' sockets would be inherited too, and the child would hold the media port, so
 * that the next connection, or a restarted engine, could not bind it.
 */
function spawnAlone(args: readonly string[], cwd: string) {
  const nothing = openSync(devNull, 'r+');
  try {
    const others = process.platform === 'win32' ? 0 : Math.max(...readdirSync('/dev/fd').map(Number)) - 2;
    const stdio = ['pipe', 'pipe', 'pipe', ...new Array<number>(others).fill(nothing)] as const;
    return spawn(PROGRAM, args, { cwd, stdio: stdio as unknown as ['pipe', 'pipe', 'pipe'] });
  } finally {
    closeSync(nothing);
  }
}

function run(folder: string, args: readonly string[], progress: (ms: number) => void = () => undefined): FfmpegRun {
  const usual = [...USUAL, '-progress', 'pipe:1', '-nostats'];
  const child = spawn(PROGRAM, [...usual, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let ms = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const found = [...text.matchAll(/^out_time_us=(\d+)/gm)].at(-1);
    if (!found) return;
    ms = Number(found[1]) / 1000;
    progress(ms);
  });
  return outcomeOf(child, constants.priority.PRIORITY_LOW, () => ms);
}

/** `came` returns the duration of the result so far, in ms. */
function outcomeOf(
  child: ChildProcess & { stderr: Readable },
  priority: number,
  came: () => number = () => 0,
): FfmpegRun {
  let complaint = '';
  const done = new Promise<{ ms: number }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve({ ms: came() });
      else reject(new Error(complaint.trim().split('\n').at(-1) || `ffmpeg ended with ${signal ?? code}`));
    });
  });
  // The rejection is handled by the caller that awaits `done`.
  done.catch(() => undefined);
  if (child.pid !== undefined) lower(child.pid, priority);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  return { done, cancel: () => void child.kill('SIGKILL') };
}

/** Lowers the priority, so that calls and rooms come first. */
function lower(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // The process has already ended.
  }
}
