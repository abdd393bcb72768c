/**
 * One type name for one thing: lists the exported types of `src` that several files declare, and compares them with
 * `names-budget.json`, which has the number of declarations that each name may still have. Numbers only fall.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));
const budget = JSON.parse(readFileSync(new URL('names-budget.json', import.meta.url), 'utf8')) as Record<
  string,
  number
>;

const DECLARATION = /^export (?:abstract |declare )?(?:class|interface|type|enum) (\w+)/gm;

const namesIn = (text: string): string[] => [...text.matchAll(DECLARATION)].map(([, name]) => name!);

const declarations = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    return [...new Set(namesIn(readFileSync(file, 'utf8')))].map((name) => ({ name, file: relative(root, file) }));
  });

/** Names that several files declare, with those files. */
const shared = [...Map.groupBy(declarations, ({ name }) => name)]
  .filter(([, same]) => same.length > 1)
  .map(([name, same]) => ({ name, files: same.map(({ file }) => file).sort() }));

describe('an exported type name', () => {
  it('names one thing, unless the budget has it', () => {
    expect(declarations.length).toBeGreaterThan(1000);
    const excess = shared.filter(({ name, files }) => files.length > (budget[name] ?? 1));
    expect(excess.map(({ name, files }) => `${name} is declared in ${files.join(', ')}: rename one of them`)).toEqual(
      [],
    );
  });

  it('is found in every form of declaration', () => {
    const text = [
      'export type A = string;',
      'export interface B {}',
      'export abstract class C {}',
      'interface Private {}',
      'export const d = 1;',
    ];
    expect(namesIn(text.join('\n'))).toEqual(['A', 'B', 'C']);
  });
});
