/**
 * Least rights for a process of the engine: it parses what strangers send, in native code. Node's permission model keeps our
 * own code in there from writing anywhere but where recordings and streams go; `setpriv` of util-linux, where it is
 * installed, takes all capabilities from the process, and the way to more of them. Neighbours: `engine.ts`, and
 * `docs/native-code.md`, which says why.
 *
 * Invariants
 *  - the environment of the service, which may have secrets, is not passed on;
 *  - a system without `setpriv`, or that forbids it, runs the process all the same, with what is left.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';

export interface Confined {
  /** Program, arguments before the module, and environment, as `fork` takes them. */
  execPath: string;
  execArgv: string[];
  env: Readonly<Record<string, string>>;
}

/** Packets are short-lived: a larger young generation costs memory and time. */
const SMALL_HEAP = '--max-semi-space-size=2';
/**
 * The library has many threads, and the allocator of glibc would keep memory for each of them. `NODE_NO_WARNINGS`: each flag
 * of the permission model warns.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', NODE_NO_WARNINGS: '1' };

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];
const WITHOUT_RISE = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'];
/** The second needs no rights; the first takes also those that root would get back at the next program. */
const DROPS: readonly (readonly string[])[] = [[...WITHOUT_RISE, '--bounding-set=-all'], WITHOUT_RISE];
const TRY_MS = 2000;

/** `writes`: the folders that it may write to; absent: all that the user of the service may. */
export function confined(writes?: readonly string[]): Confined {
  const compiled = getCompileCacheDir();
  // The compile cache makes the process start in a quarter of the time.
  const cache = compiled === undefined ? undefined : dirname(compiled);
  const env = cache === undefined ? ENVIRONMENT : { ...ENVIRONMENT, NODE_COMPILE_CACHE: cache };
  const folders = writes && [...writes, ...(cache === undefined ? [] : [cache])];
  const args = [SMALL_HEAP, ...(folders ? permissions(folders) : [])];
  const [program, ...drops] = dropping();
  if (program === undefined) return { execPath: process.execPath, execArgv: args, env };
  return { execPath: program, execArgv: [...drops, process.execPath, ...args], env };
}

/** Reading is free: libraries look where they like. ffmpeg makes the live stream. */
const permissions = (folders: readonly string[]): string[] => [
  ...['--permission', '--allow-addons', '--allow-child-process', '--allow-fs-read=*'],
  ...[devNull, ...new Set(folders.flatMap((folder) => [within(folder), within(realOf(folder))]))].map(
    (at) => `--allow-fs-write=${at}`,
  ),
];

/** The folder and all below it. Without `*`, Node grants what is below only if the folder exists when the process starts. */
const within = (folder: string): string => join(folder, '*');

/** The folder, or the nearest above it that is there, may be a link. */
function realOf(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(above)) return realpathSync(above) + folder.slice(above.length);
    if (above === dirname(above)) return folder;
  }
}

let found: readonly string[] | undefined;

/** The program with its arguments; empty where there is none that works. Tried once. */
function dropping(): readonly string[] {
  found ??= firstThatWorks();
  return found;
}

function firstThatWorks(): readonly string[] {
  const program = process.platform === 'linux' ? SETPRIV.find((path) => existsSync(path)) : undefined;
  if (program === undefined) return [];
  const works = (drops: readonly string[]): boolean =>
    spawnSync(program, [...drops, program, '--version'], { stdio: 'ignore', env: {}, timeout: TRY_MS }).status === 0;
  const drops = DROPS.find(works);
  return drops ? [program, ...drops] : [];
}
