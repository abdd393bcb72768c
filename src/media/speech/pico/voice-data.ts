/**
 * Voice data of SVOX Pico: twelve files that no npm package contains. The Android Open Source Project licenses them
 * under Apache-2.0 without sources, so Debian has them in non-free. An explicit command downloads them from the Debian
 * package, pinned by hashes.
 *
 * Invariant: no file is written unless its SHA-256 is the one listed here.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import xz from 'xz-decompress';

export interface PicoVoice {
  /** BCP 47. */
  language: string;
  analysisFile: string;
  signalFile: string;
}

/** All of them are female. */
export const PICO_VOICES: readonly PicoVoice[] = [
  { language: 'en-GB', analysisFile: 'en-GB_ta.bin', signalFile: 'en-GB_kh0_sg.bin' },
  { language: 'de-DE', analysisFile: 'de-DE_ta.bin', signalFile: 'de-DE_gl0_sg.bin' },
  { language: 'es-ES', analysisFile: 'es-ES_ta.bin', signalFile: 'es-ES_zl0_sg.bin' },
  { language: 'fr-FR', analysisFile: 'fr-FR_ta.bin', signalFile: 'fr-FR_nk0_sg.bin' },
  { language: 'it-IT', analysisFile: 'it-IT_ta.bin', signalFile: 'it-IT_cm0_sg.bin' },
  { language: 'en-US', analysisFile: 'en-US_ta.bin', signalFile: 'en-US_lh0_sg.bin' },
];

const SHA256: Readonly<Record<string, string>> = {
  'de-DE_gl0_sg.bin': '39147b816d08bbbe64b23797804cf691a761ab73a7689ca9e2b6f87ace722654',
  'de-DE_ta.bin': 'df292826754713d5efb6c95d60582c17753e95856b4c735c3150db722b2c218a',
  'en-GB_kh0_sg.bin': '8f9f5d13a920a9f3371517178d42ce89b835f1e587760c2db280beb593c388fa',
  'en-GB_ta.bin': '57998f6423236dea25cd572a73b13f371e64155840e31b571eba7fca0b521b7e',
  'en-US_lh0_sg.bin': 'd6946526696d9eb085f7b23b1fbdf7a9986caca658b645e9eb73c6514fd4789d',
  'en-US_ta.bin': '3a2a4d23de2a44dbbff50f69dcb9486be53b6d0a871d77cdc35f45c3e25e82aa',
  'es-ES_ta.bin': 'b18c60baf249466bf8785d333d8cb4cf1f6b62e5545986f621c66568f1851961',
  'es-ES_zl0_sg.bin': '82e724d3c788767ec95f0d22b0ab738e677ad397f26ec0bbbf2c07aafdf29000',
  'fr-FR_nk0_sg.bin': '85e2d63cf9f5522ea2a483d25ddd1cb0c6bfeecc39c92884aecfe7d3f179837a',
  'fr-FR_ta.bin': 'd9da5eb3cd7aac7071ab8ff7fee8d716f58572ee5393c1f0a8db946d6bf32f97',
  'it-IT_cm0_sg.bin': 'c48be4dc1f5a3c77a3dc4c8a457949b69bc433d674fac4fac91d49c01770e7e4',
  'it-IT_ta.bin': '9b243c3470660293691d0d4e000901d7c5d0fa71976b33986e92e93a860ade33',
};

export const VOICES_PACKAGE = {
  /** Path below the URL of a Debian mirror. */
  path: 'pool/non-free/s/svox/libttspico-data_1.0+git20130326-13_all.deb',
  bytes: 4_155_536,
  sha256: '25c9904cef2471302634c03deff3ca96b588e22ea94929dda72d940584a3b84a',
};

/** Folder of the Debian package. */
export const SYSTEM_VOICES_DIRECTORY = '/usr/share/pico/lang';

/** Folder of `callweave voices`. */
export const voicesDirectory = (dataDirectory: string): string => join(dataDirectory, 'voices', 'pico');

const FETCH_TIMEOUT_MS = 120_000;
const MAX_UNPACKED_BYTES = 32 * 2 ** 20;

/** Voices with both files present, each from the first folder that has both. */
export function installedVoices(directories: readonly string[]): (PicoVoice & { directory: string })[] {
  return PICO_VOICES.flatMap((voice) => {
    const directory = directories.find(
      (candidate) => existsSync(join(candidate, voice.analysisFile)) && existsSync(join(candidate, voice.signalFile)),
    );
    return directory === undefined ? [] : [{ ...voice, directory }];
  });
}

/**
 * Imports from a folder with the files, or from the package. Returns the languages. Throws an `Error` with the reason.
 */
export async function importVoices(source: string, target: string): Promise<string[]> {
  if (!(await stat(source)).isDirectory()) return unpackVoices(await readFile(source), target);
  const files = new Map<string, Uint8Array>();
  for (const name of Object.keys(SHA256)) {
    const bytes = await readFile(join(source, name)).catch(() => undefined);
    if (bytes) files.set(name, bytes);
  }
  return keep(files, target);
}

/** Downloads from a Debian mirror, by default the one that apt uses. Only the pinned package is accepted. */
export async function fetchVoices(target: string, mirror?: string): Promise<string[]> {
  const base = mirror ?? (await systemMirror());
  if (base === undefined) throw new Error('this machine installs from no mirror of Debian: name one');
  const url = `${base.replace(/\/+$/, '')}/${VOICES_PACKAGE.path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > VOICES_PACKAGE.bytes) throw new Error('the package is larger than is expected');
    parts.push(part);
  }
  return unpackVoices(Buffer.concat(parts), target);
}

/** Mirror that apt uses. Undefined without apt. */
async function systemMirror(): Promise<string | undefined> {
  const asked = ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'];
  const sites = await promisify(execFile)('apt-get', asked).catch(() => undefined);
  return sites?.stdout.split('\n').find((site) => /\/debian\/?$/.test(site));
}

/** Unpacks the Debian package: an `ar` archive that contains a compressed `tar` archive. */
export async function unpackVoices(debian: Uint8Array, target: string): Promise<string[]> {
  if (sha256(debian) !== VOICES_PACKAGE.sha256)
    throw new Error('this is not the package that is expected: its hash differs');
  const data = arMembers(debian).get('data.tar.xz');
  if (!data) throw new Error('the package has no data');
  return keep(tarFiles(await unxz(data)), target);
}

async function keep(files: ReadonlyMap<string, Uint8Array>, target: string): Promise<string[]> {
  const known = [...files].filter(([name]) => Object.hasOwn(SHA256, name));
  for (const [name, bytes] of known) {
    if (sha256(bytes) !== SHA256[name]) throw new Error(`${name} is not the file that is expected: its hash differs`);
  }
  const names = known.map(([name]) => name);
  const whole = PICO_VOICES.filter((voice) => names.includes(voice.analysisFile) && names.includes(voice.signalFile));
  if (whole.length === 0) {
    throw new Error('there is no voice: each has two files, such as de-DE_ta.bin and de-DE_gl0_sg.bin');
  }
  await mkdir(target, { recursive: true });
  for (const [name, bytes] of known) {
    const beside = join(target, `${name}.part`);
    await writeFile(beside, bytes);
    await rename(beside, join(target, name));
  }
  return whole.map(({ language }) => language);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Headers have 60 bytes: the name in bytes 0–15, the size in bytes 48–57. Members start at even offsets. */
function arMembers(bytes: Uint8Array): Map<string, Uint8Array> {
  const members = new Map<string, Uint8Array>();
  for (let at = '!<arch>\n'.length; at + 60 <= bytes.length; ) {
    const name = latin1(bytes, at, 16).trim().replace(/\/$/, '');
    const size = Number(latin1(bytes, at + 48, 10));
    if (!(size >= 0)) break;
    members.set(name, bytes.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size & 1);
  }
  return members;
}

/** Regular files by base name. POSIX ustar: blocks of 512 bytes, the octal size at 124, the type at 156. */
function tarFiles(bytes: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + 512 <= bytes.length; ) {
    const path = latin1(bytes, at, 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(latin1(bytes, at + 124, 12), 8) || 0;
    const kind = latin1(bytes, at + 156, 1);
    const from = at + 512;
    if (kind === '0' || kind === '\0') files.set(path.split('/').at(-1)!, bytes.subarray(from, from + size));
    at = from + Math.ceil(size / 512) * 512;
  }
  return files;
}

async function unxz(compressed: Uint8Array): Promise<Uint8Array> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(compressed);
      controller.close();
    },
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of new xz.XzReadableStream(source)) {
    // Copy, because the stream reuses its buffer.
    parts.push(Uint8Array.from(part));
    length += part.length;
    if (length > MAX_UNPACKED_BYTES) throw new Error('the package is larger than is expected');
  }
  return Buffer.concat(parts);
}

const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.length - at)).toString('latin1');
