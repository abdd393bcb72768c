/**
 * `THIRD_PARTY_NOTICES`, made of the licences of the packages that an installed Callweave has. Which they are says the lock
 * file, so that the result is the same on every system.  node scripts/third-party-notices.ts > THIRD_PARTY_NOTICES
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version: string;
  license?: string;
  dev?: boolean;
  /** True for a package of this repository. */
  link?: boolean;
  /** Only of packages that are programs for one system; they have the licence of the package that needs them. */
  os?: string[];
}

interface Notice {
  name: string;
  license: string;
  text?: string;
}

const ROOT = join(import.meta.dirname, '..');
const RULE = '='.repeat(100);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)\b/i;

const HEAD = `Third-party notices

Callweave is licensed under the Apache License 2.0 (LICENSE). An installation contains the packages below, each under the
licence that follows it; package.json of each says where its source is. The pages of the studio, of rooms and of the phone
contain further packages; their licences come with the pages, as licences.txt.

The built-in English voices are those of Flite, whose package declares the licence BSD-4-Clause. Its advertising clause asks
that all advertising materials which mention features or use of this software display this acknowledgement:

    This product includes software developed by the Language Technologies Institute, Carnegie Mellon University.

What \`callweave voices fetch\` and \`callweave models install\` get later is not part of this package: the Pico voices and the
Vosk recogniser are licensed under the Apache License 2.0.
`;

export function thirdPartyNotices(): string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const notices = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, locked]) => noticeOf(path, locked));
  const byText = Map.groupBy(
    notices.filter(({ text }) => text !== undefined),
    ({ text }) => text!,
  );
  const sections = [...byText].map(([text, of]) => `${of.map(titleOf).join('\n')}\n\n${text}\n`);
  const others = notices.filter(({ text }) => text === undefined).map(titleOf);
  return [HEAD, ...sections, `Without a text of their own:\n\n${others.join('\n')}\n`].join(`\n${RULE}\n\n`);
}

const titleOf = ({ name, license }: Notice): string => `${name} (${license})`;

function noticeOf(path: string, { version, license = 'see its text', os }: LockedPackage): Notice {
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version}`;
  if (os !== undefined) return { name, license };
  const folder = join(ROOT, path);
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.length === 0 ? { name, license } : { name, license, text: texts.join('\n\n') };
}

if (import.meta.main) process.stdout.write(thirdPartyNotices());
