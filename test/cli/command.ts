/**
 * Runs the command as a user would. `callweave` runs it in this process with a captured terminal, in a hundredth of the
 * time. `callweaveProcess` starts a process, for pipes, colours and exit statuses.
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { escapeControls } from '../../src/base/core/control-characters.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(ROOT, 'bin/callweave.js');

export interface CommandResult {
  code: number | null;
  out: string;
  err: string;
  json(): unknown;
}

interface Around {
  input?: string;
  cwd?: string;
}

/** Commands look for files from the working folder, of which a process has one: they run one after the other. */
let turn: Promise<unknown> = Promise.resolve();

export function callweave(args: readonly string[], around: Around = {}): Promise<CommandResult> {
  const ran = turn.then(() => runHere(args, around));
  turn = ran.catch(() => undefined);
  return ran;
}

async function runHere(args: readonly string[], { input = '', cwd = ROOT }: Around): Promise<CommandResult> {
  let code = 0;
  let out = '';
  let err = '';
  const terminal: Terminal = {
    program: 'callweave',
    input: Readable.from([input]) as NodeJS.ReadStream,
    isInteractive: false,
    print(line = '') {
      out += `${escapeControls(line)}\n`;
    },
    printJson(value) {
      out += `${escapeControls(JSON.stringify(value, null, 2))}\n`;
    },
    printError(line) {
      err += `${escapeControls(line)}\n`;
    },
    draw: () => undefined,
    style: (_style, text) => text,
    onInterrupt: () => () => undefined,
    fail(status) {
      code = Math.max(code, status);
    },
  };
  const home = process.cwd();
  process.chdir(cwd);
  try {
    await runCommandLine(args, terminal, createProgram);
  } finally {
    process.chdir(home);
  }
  return { code, out, err, json: () => JSON.parse(out) as unknown };
}

/** `file`: the module that starts the program. */
export function callweaveProcess(
  args: readonly string[],
  { input = '', cwd = ROOT, file = COMMAND }: Around & { file?: string } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env };
    // The terminal of the test run must not decide about colours.
    for (const name of ['FORCE_COLOR', 'NO_COLOR']) delete env[name];
    const child = spawn(process.execPath, [file, ...args], { cwd, env });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, json: () => JSON.parse(out) as unknown }));
    child.stdin.end(input);
  });
}

/** Starts a command that runs until it is interrupted. */
export const startCallweave = (args: readonly string[], around: Around = {}) =>
  startProcess(process.execPath, [COMMAND, ...args], around);

export function startProcess(command: string, args: readonly string[], { cwd = ROOT }: Around = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } });
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  let out = '';
  const read = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      out += chunk;
      read.emit('more');
    });
  }
  return {
    child,
    ended,
    /** Resolves with what it has written when that has this in it. */
    async until(wanted: RegExp | string): Promise<string> {
      while (!out.match(wanted)) {
        const isOver = await Promise.race([once(read, 'more').then(() => false), ended.then(() => true)]);
        if (isOver && !out.match(wanted)) throw new Error(`it ended before ${wanted}:\n${out}`);
      }
      return out;
    },
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT');
      const [code] = await ended;
      return code;
    },
  };
}

/** A folder with these files, gone when the test is over. */
export function folderOf(files: Record<string, string>): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'callweave-'));
  writeFiles(path, files);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
