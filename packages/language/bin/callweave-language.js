#!/usr/bin/env node
// Runs the command line on Node 24 or later.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`callweave-language needs Node 24 or later, this is ${process.versions.node}`);
  console.error('  hint: npx -p node@24 -p @callweave/language -- callweave-language …');
  process.exitCode = 2;
} else {
  await import('../dist/src/cli/language.js');
}
