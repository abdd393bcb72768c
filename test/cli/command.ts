/** Runs the command as users do: a process of its own, output and exit status as they come. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(ROOT, 'bin/callweave.js');

export interface Ran {
  code: number | null;
  out: string;
  err: string;
  json(): unknown;
}

export function callweave(args: readonly string[], options: { input?: string; cwd?: string } = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env };
    // Whatever terminal runs the tests has no say in the colours.
    for (const name of ['FORCE_COLOR', 'NO_COLOR']) delete env[name];
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: options.cwd ?? ROOT, env });
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
    child.stdin.end(options.input ?? '');
  });
}

/** A folder with these files, gone when the test is over. */
export function folderOf(files: Record<string, string>): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'callweave-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
