/**
 * Runs the command as users do. `callweave` does so in this process, with a terminal that is read: that takes a hundredth
 * of the time. `callweaveProcess` starts a process, for what only a process shows: pipes, colours, exit statuses.
 */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { escapeControls } from '../../src/core/control-characters.ts';

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
    await runCommandLine(args, terminal);
  } finally {
    process.chdir(home);
  }
  return { code, out, err, json: () => JSON.parse(out) as unknown };
}

export function callweaveProcess(
  args: readonly string[],
  { input = '', cwd = ROOT }: Around = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env };
    // Whatever terminal runs the tests has no say in the colours.
    for (const name of ['FORCE_COLOR', 'NO_COLOR']) delete env[name];
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env });
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

/** A command that goes on until it is interrupted. */
export function startCallweave(args: readonly string[], { cwd = ROOT }: Around = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env: { ...process.env, NO_COLOR: '1' } });
  const over = once(child, 'close');
  let out = '';
  const read = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      out += chunk;
      read.emit('more');
    });
  }
  return {
    /** Resolves when what it has written has this in it. */
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(out)) {
        const [more] = await Promise.race([once(read, 'more').then(() => [true]), over.then(() => [false])]);
        if (!more && !pattern.test(out)) throw new Error(`it ended before ${pattern}:\n${out}`);
      }
    },
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT');
      const [code] = await over;
      return code as number | null;
    },
  };
}

/** A folder with these files, gone when the test is over. */
export function folderOf(files: Record<string, string>): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'callweave-'));
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
