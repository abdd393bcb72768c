/**
 * Builds the files of a page. Runs in a process of its own, which exits after it has sent them: the bundler's memory is
 * freed, and calls are not delayed. `assets.ts` starts it with the page as its argument.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import type { AssetFile, BuiltAssets } from './built-assets.ts';
import type { Page } from './page.ts';
import ENGLISH_TEXTS from './web/words/texts/english.json' with { type: 'json' };

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
/** Brotli quality, out of 11. The maximum takes seconds, for which the first visitor would wait. */
const BROTLI_QUALITY = 6;

/** Linked from the studio's page of keys. */
const LICENCES = 'licences.txt';

const page = JSON.parse(process.argv[2]!) as Page;
const web = dirname(page.entry);

/** Leaves out translations of texts that only other pages have. */
const ownTexts: Plugin = {
  name: 'own-texts',
  setup({ onLoad }) {
    const own = new Set(ENGLISH_TEXTS[basename(dirname(web)) as keyof typeof ENGLISH_TEXTS]);
    onLoad({ filter: /words[/\\]texts[/\\]\w+\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
      const kept = Object.entries(all).filter(([text]) => own.has(text));
      // As JSON, each text would be an export of its own.
      return { contents: `export default ${JSON.stringify(Object.fromEntries(kept))}`, loader: 'js' };
    });
  },
};

const { outputFiles, metafile } = await build({
  entryPoints: { [basename(page.base)]: page.entry },
  absWorkingDir: web,
  outdir: `${page.base}/assets`,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  alias: { ...page.replaced },
  plugins: [ownTexts],
  metafile: true,
  write: false,
  logLevel: 'silent',
});

/** Licences of the bundled packages, which must be distributed with them. */
function licences(): string {
  const inside = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const packages = new Set(inside.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...packages]
    .sort()
    .map((path) => {
      const folder = resolve(web, path);
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      const text = file === undefined ? 'see its package' : readFileSync(join(folder, file), 'utf8');
      return `${path.replace(/^.*node_modules\//, '')}\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(60)}\n\n`);
}

// Lazily loaded screens are separate entry points. The page's style contains their styles, which are never requested on
// their own.
const [script, { cssBundle: style } = {}] = Object.entries(metafile.outputs).find(
  ([, { entryPoint }]) => entryPoint === basename(page.entry),
)!;
/** Chunks that the entry script loads as soon as the language is known, and their static imports. */
function firstChunks(): string[] {
  const found = new Set<string>();
  const follow = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const each of metafile.outputs[path]!.imports) if (each.kind === 'import-statement') follow(each.path);
  };
  const start = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === 'start.tsx');
  if (start !== undefined) follow(start[0]);
  return [...found].map(nameOf);
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const served = outputFiles.filter(
  ({ path }) => !path.endsWith('.css') || (style !== undefined && nameOf(path) === nameOf(style)),
);

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
const files = await Promise.all(
  [...served, { path: LICENCES, contents: Buffer.from(licences()) }].map(
    async ({ path, contents }): Promise<AssetFile> => {
      const plain = Buffer.from(contents);
      const brotli = await compressBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
      return {
        name: nameOf(path),
        type: TYPES[extname(path)] ?? 'application/octet-stream',
        plain,
        gzip: await compressGzip(plain, { level: constants.Z_BEST_COMPRESSION }),
        brotli,
      };
    },
  ),
);
const built: BuiltAssets = {
  files,
  script: nameOf(script),
  preloads: firstChunks(),
  ...(style === undefined ? {} : { style: nameOf(style) }),
};
process.send!(built, () => process.disconnect());
