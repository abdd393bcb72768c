/**
 * The files of a page, and how the installed package keeps them, where the bundler is not: `scripts/prepack.ts` writes them,
 * the service reads them. In a clone none are kept. Neighbour: `assets.ts` makes them where they are missing.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from './page.ts';

/** A file in the three forms in which browsers take it. */
export interface AssetFile {
  name: string;
  type: string;
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

export interface BuiltAssets {
  files: AssetFile[];
  /** Name of the file that the page begins with. */
  script: string;
  style?: string;
}

const LIST = 'made.json';

interface MadeList extends Omit<BuiltAssets, 'files'> {
  files: Pick<AssetFile, 'name' | 'type'>[];
}

/** Beside the sources of the page. */
export const madeFolderOf = ({ entry }: Page): string => join(dirname(entry), 'made');

/** Each file by its name in the folder. */
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

/** Undefined where nothing was made. */
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
