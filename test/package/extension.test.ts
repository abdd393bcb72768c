/** The extension for Visual Studio Code, as `npm run extension` packs it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, runIn } from './install.ts';

const MAX_BYTES = 300_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'callweave-vsix-'));
let packed: Buffer;
let files: ReadonlyMap<string, Buffer>;

beforeAll(() => {
  runIn(folder, process.execPath, join(ROOT, 'scripts/vscode-extension.ts'));
  packed = readFileSync(join(folder, `callweave-${version}.vsix`));
  files = filesOf(packed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed extension', () => {
  test('has the version of the program, a licence, an icon and a description', () => {
    expect([...files.keys()].sort()).toEqual([
      '[Content_Types].xml',
      'extension.vsixmanifest',
      'extension/LICENSE.txt',
      'extension/extension.js',
      'extension/icon.png',
      'extension/package.json',
      'extension/readme.md',
    ]);
    expect(JSON.parse(files.get('extension/package.json')!.toString())).toMatchObject({
      version,
      license: 'Apache-2.0',
    });
    expect(files.get('extension.vsixmanifest')!.toString()).toContain(`Version="${version}"`);
    expect(packed.length).toBeLessThan(MAX_BYTES);
  });

  test('loads without any other package', () => {
    const load = createRequire(import.meta.url);
    /** Every part of the editor's API is a class without members. */
    const editor = new Proxy({}, { get: () => class {} });
    const made = { exports: {} as { activate?: unknown; deactivate?: unknown } };
    const code = new Function('require', 'module', 'exports', files.get('extension/extension.js')!.toString());
    code((name: string) => (name === 'vscode' ? editor : load(name)), made, made.exports);
    expect([typeof made.exports.activate, typeof made.exports.deactivate]).toEqual(['function', 'function']);
  });
});

/** Files of a ZIP archive, by the entries of its central directory (APPNOTE.TXT §4.3.12). */
function filesOf(archive: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = archive.indexOf('PK\x01\x02'); at >= 0; at = archive.indexOf('PK\x01\x02', at + 4)) {
    const [size, nameLength, local] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt32LE(at + 42),
    ];
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(begin, begin + size);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    found.set(name, archive.readUInt16LE(at + 10) === 0 ? content : inflateRawSync(content));
  }
  return found;
}
