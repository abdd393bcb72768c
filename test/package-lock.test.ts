/** `npm ci` works from the lock file on every platform, whatever registry it asks. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  resolved?: string;
  integrity?: string;
  /** True for a package of this repository. */
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** As Node looks for a package: beside those that the one which depends on it has for itself, then further up. */
function isLocked(from: string, name: string): boolean {
  const folders = from
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/node_modules/'));
  return ['', ...folders.map((folder) => `${folder}/`)].some((folder) => `${folder}node_modules/${name}` in packages);
}

describe('package-lock.json', () => {
  it('has every package that another platform needs', () => {
    const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isLocked(from, name))
        .map((name) => `${from}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('has a checksum and no address of each package', () => {
    const locked = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
