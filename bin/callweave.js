#!/usr/bin/env node
// Runs the command line on a Node that can read TypeScript: this one, or the one that npm installed beside us.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const main = new URL('../src/cli/main.ts', import.meta.url);

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  await import(main.href);
} else {
  const child = spawn(bundledNode(), [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends its interrupt to both of us; other signals come to us alone.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(
      `callweave needs Node ${NEEDED}, this is ${process.versions.node}: run npm install (${error.message})`,
    );
    process.exitCode = 2;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

function bundledNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  } catch {
    return 'node_modules/node/bin/node';
  }
}
