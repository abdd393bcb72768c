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

/** Loaded by the entry script as soon as the language is known. */
const START = resolve(web, 'start.tsx');

/**
 * Lets every lazily loaded module import the start, which is there by then. So all modules of the start belong to the
 * same entry points and are one chunk; otherwise, they would be as many as there are combinations of screens.
 */
const oneStart: Plugin = {
  name: 'one-start',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.tsx?$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: LAZY } : undefined,
    );
    onLoad({ filter: /.*/, namespace: LAZY }, ({ path }) => ({
      contents: `import ${JSON.stringify(START)};\nexport * from ${JSON.stringify(path)};`,
      resolveDir: web,
      loader: 'js',
    }));
  },
};
const LAZY = 'lazy';

const shared = {
  absWorkingDir: web,
  outdir: `${page.base}/assets`,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'silent',
} as const;
const { outputFiles, metafile } = await build({
  ...shared,
  entryPoints: { [basename(page.base)]: page.entry },
  chunkNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  target: 'es2023',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: { ...page.replaced },
  plugins: page.screens === undefined ? [ownTexts] : [ownTexts, oneStart],
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

const ENTRY = basename(page.entry);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Script of the entry point, or of a lazily loaded module, with its static imports. */
function chunksOf(module: string): string[] {
  const names = [module, `${LAZY}:${resolve(web, module)}`];
  const found = new Set<string>();
  const follow = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const each of metafile.outputs[path]!.imports) if (each.kind === 'import-statement') follow(each.path);
  };
  const first = Object.entries(metafile.outputs).find(([, { entryPoint = '' }]) => names.includes(entryPoint));
  if (first !== undefined) follow(first[0]);
  return [...found].map(nameOf);
}

/** Styles that modules import, in the order in which they are evaluated. `isLazy`: also those of lazily loaded ones. */
function stylesOf(modules: readonly string[], isLazy: boolean): Set<string> {
  const styles = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...modules];
  const follow = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && next.endsWith('.css')) styles.add(next);
      else if (kind === 'import-statement') follow(next);
      else if (isLazy && kind === 'dynamic-import') waiting.push(next);
    }
  };
  for (const module of waiting) follow(module);
  return styles;
}

/** Joins styles to one file. Undefined if there are none. */
async function joinedStyle(name: string, styles: Iterable<string>) {
  const contents = [...styles].map((path) => `@import ${JSON.stringify(`./${path}`)};`).join('\n');
  if (contents === '') return undefined;
  // The name must not be that of a file of the page, such as `room.css`, which it would replace.
  const stdin = { contents, resolveDir: web, sourcefile: `all styles of ${name}`, loader: 'css' } as const;
  const made = await build({ ...shared, stdin, entryNames: `${name}-[hash]` });
  return made.outputFiles[0]!;
}

const screens = Object.entries(page.screens ?? {});
const allStyles = stylesOf([ENTRY], true);
const firstStyles =
  screens.length === 0
    ? allStyles
    : stylesOf([ENTRY, basename(START), ...screens.slice(0, 1).map(([, module]) => module)], false);
const style = await joinedStyle(basename(page.base), firstStyles);
const laterStyle = await joinedStyle(
  'later',
  [...allStyles].filter((path) => !firstStyles.has(path)),
);
const scripts = outputFiles.filter(({ path }) => !path.endsWith('.css'));
const served = [...scripts, ...(style ? [style] : []), ...(laterStyle ? [laterStyle] : [])];

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
const startChunks = chunksOf(basename(START));
const early = new Set([...chunksOf(ENTRY), ...startChunks]);
const built: BuiltAssets = {
  files,
  script: chunksOf(ENTRY)[0]!,
  preloads: startChunks,
  ...(style && { style: nameOf(style.path) }),
  ...(laterStyle && { laterStyle: nameOf(laterStyle.path) }),
  screens: Object.fromEntries(
    screens.map(([path, module]) => [path, chunksOf(module).filter((name) => !early.has(name))]),
  ),
};
process.send!(built, () => process.disconnect());
