/**
 * Packs `editors/vscode` as `callweave-VERSION.vsix` into the current folder, in the version of the program: the client
 * of the language server in one file, ready for an editor or a marketplace. Run by `npm run extension`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'editors/vscode');
/** Program that packs extensions. It is fetched when it is needed, because nothing else uses it. */
const PACKER = '@vscode/vsce@4.1.0';

const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { dependencies, ...manifest } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'callweave-extension-'));
try {
  for (const file of ['extension.js', 'README.md', 'icon.png']) cpSync(join(SOURCE, file), join(folder, file));
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version, license, dependencies }));
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
  await build({
    entryPoints: [join(folder, 'extension.js')],
    outfile: join(folder, 'extension.js'),
    allowOverwrite: true,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  // The bundle contains the dependencies.
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version, license }, undefined, 2));
  writeFileSync(join(folder, '.vscodeignore'), 'package-lock.json\n');
  const packed = resolve(`callweave-${version}.vsix`);
  run('npx', '--yes', PACKER, 'package', '--allow-missing-repository', '--no-dependencies', '--out', packed);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: folder, stdio: 'inherit' });
}
