#!/usr/bin/env node
// Runs the command line: of the sources in a clone, of what was compiled in the installed package. On this Node, or, where
// it is too old, on the one that a clone has beside it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const source = new URL('../src/cli/main.ts', import.meta.url);
const main = existsSync(source) ? source : new URL('../dist/src/cli/main.js', import.meta.url);
const bundledNode = findBundledNode();

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  const { enableCompileCache } = await import('node:module');
  const directory = compileCache();
  // Where it cannot be written, nothing is kept.
  if (directory !== undefined) enableCompileCache(directory);
  await import(main.href);
} else if (bundledNode !== undefined) {
  const directory = compileCache();
  const child = spawn(bundledNode, [fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: directory === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: directory },
  });
  // A terminal sends its interrupt to both of us; other signals come to us alone.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => refuse(`, and the one beside it does not start: ${error.message}`));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  refuse();
}

function refuse(why = '') {
  const command = ['callweave', ...process.argv.slice(2)].join(' ');
  console.error(`callweave needs Node ${NEEDED} or later, this is ${process.versions.node}${why}`);
  console.error(
    main === source
      ? '  hint: npm install brings it into a clone'
      : `  hint: install it from https://nodejs.org, or let npm bring one:  npx -p node@${NEEDED} -- ${command}`,
  );
  process.exitCode = 2;
}

function findBundledNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/**
 * Where Node keeps what it made of our sources, for the next start: it knows by their content what is out of date. In a
 * place of this user alone: in one for all, others could put there what we then run. What is set for Node itself goes first.
 */
function compileCache() {
  if (process.env.NODE_COMPILE_CACHE) return undefined;
  const caches = process.env.XDG_CACHE_HOME || (existsSync(homedir()) ? join(homedir(), '.cache') : undefined);
  return caches && join(caches, 'callweave');
}
