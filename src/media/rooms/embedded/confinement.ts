/**
 * Least privilege for a media process, which parses untrusted input in native code. Node's permission model keeps
 * JavaScript in it from writing outside the folders of recordings and streams; `setpriv` of util-linux, where
 * installed, drops all capabilities and the means to regain them. `docs/native-code.md` explains why; `engine.ts` uses
 * it.
 *
 * Invariants
 *  - the environment of the service, which may contain secrets, is not inherited;
 *  - if `setpriv` is missing or forbidden, the process runs anyway, with the remaining restrictions.
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
 * The library has many threads, and glibc's allocator would keep memory for each of them. `NODE_NO_WARNINGS`: each flag
 * of the permission model prints a warning.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', NODE_NO_WARNINGS: '1' };

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];
const WITHOUT_RISE = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'];
/** The second needs no privileges; the first also drops capabilities that root would regain at the next `exec`. */
const DROPS: readonly (readonly string[])[] = [[...WITHOUT_RISE, '--bounding-set=-all'], WITHOUT_RISE];
const TRY_MS = 2000;

/** `writes`: folders to which the process may write. Absent: no limit beyond the user of the service. */
export function confined(writes?: readonly string[]): Confined {
  const compiled = getCompileCacheDir();
  // The compile cache cuts the start time of the process to a quarter.
  const cache = compiled === undefined ? undefined : dirname(compiled);
  const env = cache === undefined ? ENVIRONMENT : { ...ENVIRONMENT, NODE_COMPILE_CACHE: cache };
  const folders = writes && [...writes, ...(cache === undefined ? [] : [cache])];
  const args = [SMALL_HEAP, ...(folders ? permissions(folders) : [])];
  const [program, ...drops] = dropping();
  if (program === undefined) return { execPath: process.execPath, execArgv: args, env };
  return { execPath: program, execArgv: [...drops, process.execPath, ...args], env };
}

/**
 * Reading is not restricted, because libraries read from many places. Child processes are allowed for the ffmpeg of
 * live streams.
 */
const permissions = (folders: readonly string[]): string[] => [
  ...['--permission', '--allow-addons', '--allow-child-process', '--allow-fs-read=*'],
  ...[devNull, ...new Set(folders.flatMap((folder) => [within(folder), within(realOf(folder))]))].map(
    (at) => `--allow-fs-write=${at}`,
  ),
];

/**
 * Pattern for the folder and everything below it. Without `*`, Node grants what is below only if the folder exists when
 * the process starts.
 */
const within = (folder: string): string => join(folder, '*');

/** Resolves symbolic links of the folder, or of its nearest existing parent. */
function realOf(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(above)) return realpathSync(above) + folder.slice(above.length);
    if (above === dirname(above)) return folder;
  }
}

let found: readonly string[] | undefined;

/** Returns `setpriv` with its arguments; empty if no variant works. Probed once. */
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
