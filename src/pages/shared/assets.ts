/**
 * Bundled files of a page. They are not stored in the repository and not built at install: the bundler runs in memory
 * on the first request. The installed package contains them as files (`built-assets.ts`). `build-assets.ts` builds them
 * in a process of its own; `site.ts` serves them.
 *
 * Invariants
 * - the files are built once; concurrent requests wait for the same build;
 * - a failure does not affect calls: it is kept as a message, and the next request builds again.
 */
import { fork } from 'node:child_process';
import { moduleBeside } from '../../base/core/module-beside.ts';
import { type BuiltAssets, readMade } from './built-assets.ts';
import type { Page } from './page.ts';

export interface PageAssets {
  /** Builds the files, or waits for the running build. Rejects with an `AssetsError`. */
  get(): Promise<BuiltAssets>;
  stop(): void;
}

/** The page cannot be built. The message gives the reason to the user. */
export class AssetsError extends Error {}

const MAKER = moduleBeside(import.meta.url, 'build-assets');
/** Maximum length of the bundler's error message. */
const MAX_REASON_LENGTH = 500;

export function createAssets(page: Page, maker: string | URL = MAKER): PageAssets {
  let made: Promise<BuiltAssets> | undefined;
  const abort = new AbortController();
  const readOrMake = async (): Promise<BuiltAssets> =>
    (await readMade(page)) ?? (await runMaker(maker, page, abort.signal));
  return {
    get() {
      made ??= readOrMake().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    stop: () => abort.abort(),
  };
}

function runMaker(maker: string | URL, page: Page, signal: AbortSignal): Promise<BuiltAssets> {
  return new Promise((resolve, reject) => {
    const child = fork(maker, [JSON.stringify(page)], {
      serialization: 'advanced',
      signal,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(0, 20 * MAX_REASON_LENGTH);
    });
    child.once('message', (built) => resolve(built as BuiltAssets));
    child.once('error', (error) => reject(new AssetsError(error.message)));
    child.once('close', (status) => reject(new AssetsError(reasonOf(printed) ?? `the bundler ended with ${status}`)));
  });
}

/** The line of the output that contains the error. */
const reasonOf = (printed: string): string | undefined =>
  /^\w*Error(?: \[\w+\])?: .*$|\berror: .*$/im.exec(printed)?.[0].trim().slice(0, MAX_REASON_LENGTH);
