/**
 * Native code in the package, and the versions of the libraries inside: after an update that changes it, review the
 * change and regenerate the inventory (`node scripts/native-code.ts > packaging/native-code.json`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedNativeCode, type NativeCode, writtenNativeCode } from '../../scripts/native-code.ts';

const ROOT = join(import.meta.dirname, '../..');
const written = writtenNativeCode();
const installed = installedNativeCode();

test('is in the inventory, byte for byte, with what it contains', () => {
  const inInventory = Object.fromEntries(Object.keys(installed).map((path) => [path, written[path]]));
  expect(inInventory).toEqual(installed);
  expect(Object.keys(installed)).not.toEqual([]);
});

test('has in the inventory the versions of the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const { package: name, version } of Object.values<NativeCode[string]>(written)) {
    expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});

test('describes its encryption, with its version, in the documentation', () => {
  const text = readFileSync(join(ROOT, 'docs/native-code.md'), 'utf8');
  const named = Object.values(written).flatMap(({ contains }) =>
    contains.filter((one) => /SSL|TLS|srtp|datachannel/.test(one)),
  );
  expect(named).not.toEqual([]);
  for (const one of named) expect(text).toContain(one);
});
