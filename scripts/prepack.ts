/**
 * Before the package is packed: `dist` with the program as JavaScript and declarations, the files that the compiler leaves
 * behind, the pages, so that an installed package needs neither a compiler nor a bundler, and the list of what it is made of
 * (SBOM, CycloneDX).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PHONE_PAGE } from '../src/pages/phone-page/page.ts';
import { ROOM_PAGE } from '../src/pages/room-page/page.ts';
import { createAssets } from '../src/pages/shared/assets.ts';
import { madeFiles, madeFolderOf } from '../src/pages/shared/built-assets.ts';
import type { Page } from '../src/pages/shared/page.ts';
import { STUDIO } from '../src/pages/studio/page.ts';
import { copyVerbSchemas } from './verb-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** Sources that the program reads without an import, and hand-written declarations. */
const LEFT_BEHIND = ['src/**/*.sql', 'src/**/*.lua', 'src/**/*.yaml', 'src/**/*.d.ts', 'client/*.d.ts'];

rmSync(DIST, { recursive: true, force: true });
compile('--emitDeclarationOnly');
// Comments are for readers of the sources, and of declarations.
compile('--declaration', 'false', '--removeComments');
for (const file of globSync(LEFT_BEHIND, { cwd: ROOT, exclude: ['src/**/web/**'] })) {
  cpSync(join(ROOT, file), join(DIST, file));
}
copyVerbSchemas(DIST);
removeUnreachable(['src/index', 'src/proof/testkit/index', 'test/contracts/index']);
await Promise.all([STUDIO, ROOM_PAGE, PHONE_PAGE].map(writePage));

function compile(...options: string[]): void {
  execFileSync('tsc', ['--project', 'tsconfig.build.json', ...options], { cwd: ROOT, stdio: 'inherit' });
}

/** Removes the declarations that these modules do not reach: no user can import them, and they are most of the files. */
function removeUnreachable(modules: readonly string[]): void {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+?)(?:\.d)?\.ts['"]/g)) {
      follow(join(dirname(file), `${path}.d.ts`));
    }
  };
  for (const each of modules) follow(join(DIST, `${each}.d.ts`));
  for (const file of globSync('**/*.d.ts', { cwd: DIST })) {
    if (!reached.has(join(DIST, file))) rmSync(join(DIST, file));
  }
}

const sbom = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'];
const components = execFileSync('npm', sbom, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
// Without blanks, which are a third of it.
writeFileSync(join(DIST, 'sbom.cdx.json'), JSON.stringify(JSON.parse(components)));

async function writePage(page: Page): Promise<void> {
  const folder = join(DIST, relative(ROOT, madeFolderOf(page)));
  mkdirSync(folder, { recursive: true });
  const assets = createAssets(page);
  for (const [name, content] of madeFiles(await assets.get())) writeFileSync(join(folder, name), content);
}
