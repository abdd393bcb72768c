/**
 * `packaging/native-code.json`: all native code and WebAssembly of an installed Callweave, with the versions of the
 * libraries inside, read from their bytes. The lock file lists the packages; only those for this system are installed, and
 * entries of other systems are kept.  node scripts/native-code.ts > packaging/native-code.json
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NativeFile {
  package: string;
  version: string;
  sha256: string;
  /** Libraries inside, as the bytes of the file or its package name them. */
  contains: string[];
}

/** By path below `node_modules`. */
export type NativeCode = Record<string, NativeFile>;

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'packaging/native-code.json');
const NATIVE = /\.(node|wasm|so(\.[\d.]+)?|dylib|dll)$|\/libopus\.generated\.mjs$/;

/** Names with versions, as libraries write them into their programs. */
const NAMED = [
  /OpenSSL \d+\.\d+\.\d+[a-z]?(?= +\d+ [A-Z][a-z]{2} \d{4})/g,
  /Mbed TLS \d+\.\d+\.\d+/g,
  /libopus \d+\.\d+(\.\d+)?/g,
  /clang version \d+\.\d+\.\d+/g,
];
/** Names without a version. */
const MARKS: readonly (readonly [mark: string, name: string])[] = [
  ['libjuice/src/', 'libjuice'],
  ['usrsctplib/', 'usrsctp'],
  ['SRTP packets received', 'libsrtp'],
];
/** Version of libdatachannel that `node-datachannel` builds. */
const LIBRARY = /GIT_REPOSITORY https:\/\/github\.com\/paullouisageneau\/libdatachannel\.git\s+GIT_TAG "v([\d.]+)"/;

/** Native code of the installed packages. */
export function installedNativeCode(): NativeCode {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const found: NativeCode = {};
  for (const [path, { version, dev }] of Object.entries(packages)) {
    if (path === '' || dev || !existsSync(join(ROOT, path))) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    for (const file of filesOf(path)) {
      const bytes = readFileSync(join(ROOT, file));
      found[file.slice('node_modules/'.length)] = {
        ...{ package: name, version },
        sha256: hash('sha256', bytes),
        contains: [...contentOf(bytes), ...libraryOf(name)].toSorted(),
      };
    }
  }
  return found;
}

/** Packages inside a package are packages of their own. */
const filesOf = (path: string): string[] =>
  readdirSync(join(ROOT, path), { recursive: true })
    .map((file) => `${path}/${String(file).replaceAll('\\', '/')}`)
    .filter((file) => NATIVE.test(file) && !file.slice(path.length).includes('/node_modules/'));

function contentOf(bytes: Buffer): Set<string> {
  const text = bytes.toString('latin1');
  const named = NAMED.flatMap((pattern) => text.match(pattern) ?? []);
  const marked = MARKS.flatMap(([mark, name]) => (text.includes(mark) ? [name] : []));
  return new Set([...named, ...marked]);
}

function libraryOf(name: string): string[] {
  if (!name.startsWith('@node-datachannel/')) return [];
  const [, version = ''] =
    LIBRARY.exec(readFileSync(join(ROOT, 'node_modules/node-datachannel/CMakeLists.txt'), 'utf8')) ?? [];
  return [`libdatachannel ${version}`];
}

export const writtenNativeCode = (): NativeCode => JSON.parse(readFileSync(FILE, 'utf8')) as NativeCode;

/** The inventory with what is installed here; entries of versions that are no longer used are dropped. */
export function nativeCodeInventory(): string {
  const written = existsSync(FILE) ? writtenNativeCode() : {};
  const all = { ...written, ...installedNativeCode() };
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const entries = Object.entries(all).filter(
    ([, { package: name, version }]) => packages[`node_modules/${name}`]?.version === version,
  );
  const sorted = Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(sorted, undefined, 2)}\n`;
}

if (import.meta.main) process.stdout.write(nativeCodeInventory());
