/**
 * Storage of a page's files in the installed package, which lacks the bundler: `scripts/prepack.ts` writes them, the
 * service reads them. A clone of the repository has none. `assets.ts` builds missing files.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from './page.ts';

/** A file, uncompressed and in the compressed encodings of browsers. */
export interface AssetFile {
  name: string;
  type: string;
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

export interface BuiltAssets {
  files: AssetFile[];
  /** Name of the page's entry script. */
  script: string;
  /** Names of scripts that the entry script loads at once. */
  preloads?: string[];
  /** Style of the first view. */
  style?: string;
  /** Other styles, which the page adds itself. */
  laterStyle?: string;
  /** Scripts of the screens, by the paths of `Page.screens`. */
  screens?: Readonly<Record<string, readonly string[]>>;
}

const LIST = 'made.json';

interface MadeList extends Omit<BuiltAssets, 'files'> {
  files: Pick<AssetFile, 'name' | 'type'>[];
}

/** Folder next to the sources of the page. */
export const madeFolderOf = ({ entry }: Page): string => join(dirname(entry), 'made');

/** Files by their names in the folder. */
export function madeFiles({ files, ...built }: BuiltAssets): Map<string, string | Buffer> {
  const list: MadeList = { ...built, files: files.map(({ name, type }) => ({ name, type })) };
  return new Map<string, string | Buffer>([
    [LIST, JSON.stringify(list)],
    ...files.flatMap(({ name, plain, gzip, brotli }): [string, Buffer][] => [
      [name, plain],
      [`${name}.gz`, gzip],
      [`${name}.br`, brotli],
    ]),
  ]);
}

/** Undefined if there are no stored files. */
export async function readMade(page: Page): Promise<BuiltAssets | undefined> {
  const folder = madeFolderOf(page);
  const text = await readFile(join(folder, LIST), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { files, ...built } = JSON.parse(text) as MadeList;
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
  return {
    ...built,
    files: await Promise.all(
      files.map(async ({ name, type }) => ({
        ...{ name, type },
        ...{ plain: await read(name), gzip: await read(`${name}.gz`), brotli: await read(`${name}.br`) },
      })),
    ),
  };
}
