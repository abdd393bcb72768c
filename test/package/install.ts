/** Packs packages of this repository, and installs them into an empty folder as a user does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

export const ROOT = join(import.meta.dirname, '../..');

/** Packs the package in `from`, and installs it into `folder`. */
export function installPackage(from: string, folder: string): void {
  const [tarball] = npm(from, 'pack', '--silent', '--pack-destination', folder).trim().split('\n').slice(-1);
  npm(folder, 'install', '--omit=dev', '--prefer-offline', '--no-progress', join(folder, tarball!));
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: userEnvironment(),
  });
}

/** Environment of a user: without the variables of npm, Node.js and Vitest, but with the machine's certificates. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|CALLWEAVE_CONFIG)/.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
}

/** Runs a command, which must succeed, and returns what it printed. */
export function runIn(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: userEnvironment() });
  expect(status, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** Size of the installed files, in bytes. */
export const installedBytes = (folder: string): number =>
  globSync('node_modules/**', { cwd: folder })
    .map((file) => lstatSync(join(folder, file)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
