/** ffmpeg of the system, as a child of low priority. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { constants, devNull, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { findProgram } from '../core/find-program.ts';

export interface FfmpegRun {
  /** Rejects where it failed, or was cancelled; resolves with how far it came. */
  done: Promise<{ ms: number }>;
  /** It ends soon. */
  cancel(): void;
}

export interface Ffmpeg {
  /** Files of `args` are in `folder`. `progress` gets how far it is, in ms of the result. */
  run(folder: string, args: readonly string[], progress?: (ms: number) => void): FfmpegRun;
}

const PROGRAM = 'ffmpeg';
const MOST_COMPLAINT = 2000;

/** Undefined: it is not in any of the folders. */
export const findFfmpeg = async (folders: readonly string[]): Promise<Ffmpeg | undefined> =>
  (await findProgram(PROGRAM, folders)) === undefined ? undefined : { run };

/** A run for as long as something is written into its `input`. */
export interface LiveFfmpegRun extends FfmpegRun {
  readonly input: Writable;
}

const USUAL = ['-nostdin', '-hide_banner', '-v', 'error', '-y'];

/** `printed` gets what it writes to its output. */
export function runLive(folder: string, args: readonly string[], printed: (text: string) => void): LiveFfmpegRun {
  const child = spawnAlone([...USUAL, ...args], folder);
  // What is written after its end is lost.
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', printed);
  return { ...outcomeOf(child, constants.priority.PRIORITY_BELOW_NORMAL), input: child.stdin };
}

/**
 * With nothing of ours but its pipes: a child gets what libraries opened, too. It would keep the port of the media as long
 * as it lives, and the next connection, or the engine that is started again, could not have it.
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

/** `came`: how far, in ms of the result. */
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
  // Who waits for it hears of it.
  done.catch(() => undefined);
  if (child.pid !== undefined) lower(child.pid, priority);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MOST_COMPLAINT);
  });
  return { done, cancel: () => void child.kill('SIGKILL') };
}

/** Calls and rooms come first. */
function lower(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended already.
  }
}
