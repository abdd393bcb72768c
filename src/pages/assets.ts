/**
 * The files of a page. Nothing built is kept in the repository or made at install: they are made in memory when they
 * are first asked for. The installed package has them as files (`built-assets.ts`). Neighbours: `build-assets.ts` makes
 * them in its own process, `site.ts` serves them.
 *
 * Invariants
 *  - they are made once; requests that come meanwhile wait for the same files;
 *  - a failure keeps nobody from calls: it is kept as a sentence, and tried again at the next request.
 */
import { fork } from 'node:child_process';
import { moduleBeside } from '../core/module-beside.ts';
import { type BuiltAssets, readMade } from './built-assets.ts';
import type { Page } from './page.ts';

export interface PageAssets {
  /** Makes them now, or waits for them; rejects with an `AssetsError`. */
  get(): Promise<BuiltAssets>;
  stop(): void;
}

/** The page cannot be made; the message says why, for people. */
export class AssetsError extends Error {}

const MAKER = moduleBeside(import.meta.url, 'build-assets');
/** Of what the bundler prints when it fails. */
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

/** The line of what was printed that says what is wrong. */
const reasonOf = (printed: string): string | undefined =>
  /^\w*Error(?: \[\w+\])?: .*$|\berror: .*$/im.exec(printed)?.[0].trim().slice(0, MAX_REASON_LENGTH);
