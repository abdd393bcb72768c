/**
 * An Asterisk of this machine, or one unpacked below the temporary directory before (`bench/peers/asterisk.sh`): tests
 * do not download one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../programs.ts';
import { SIP_PORT } from './service.ts';
import { isListening } from './sipp.ts';

const SCRIPT = join(import.meta.dirname, '../../bench/peers/asterisk.sh');
const UNPACKED = join(tmpdir(), 'callweave-asterisk');

export interface Asterisk {
  /** Log output so far. */
  log(): string;
  stop(): Promise<void>;
}

export interface AsteriskOptions {
  /** Where it listens; the files have to say so, too. */
  address: string;
  /** Texts by file name, which replace the files of the benchmarks. */
  files: Record<string, string>;
  modules: readonly string[];
}

export function asteriskProgram(): Program {
  const installed = ['asterisk', 'sox'].map((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
  const missing = !installed[1] || !(installed[0] || existsSync(join(UNPACKED, 'root/usr/sbin/asterisk')));
  return { missing, why: missing ? ' (skipped: no Asterisk, or no sox; bench/peers/asterisk.sh fetches one)' : '' };
}

/** Resolves when it is ready. */
export async function startAsterisk({ address, files, modules }: AsteriskOptions): Promise<Asterisk> {
  if (isListening(address, SIP_PORT)) throw new Error(`${address} is taken: by an Asterisk of a former run?`);
  const own = mkdtempSync(join(tmpdir(), 'callweave-asterisk-own-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text);
  const starter = spawn('bash', [SCRIPT, UNPACKED, address, own], {
    env: { ...process.env, MODULES_TOO: modules.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, complained] = ['', ''];
  starter.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  starter.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
  await new Promise((resolve) => starter.once('close', resolve));
  const pid = Number(said.trim().split('\n').at(-1));
  if (!(pid > 0)) throw new Error(`Asterisk did not start: ${complained}`);
  const stop = async (): Promise<void> => {
    // It is not a child process, so its end must be polled.
    for (let signal: NodeJS.Signals | 0 = 'SIGTERM'; sent(pid, signal); signal = 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { log: () => readFileSync(join(own, 'run/out.log'), 'utf8'), stop };
}

/** False when there is no such process. */
function sent(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
