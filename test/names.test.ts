/**
 * Names of types and limits. One type name for one thing: no two files of `src` export a type of the same name.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

const DECLARATION = /^export (?:abstract |declare )?(?:class|interface|type|enum) (\w+)/gm;

const namesIn = (text: string): string[] => [...text.matchAll(DECLARATION)].map(([, name]) => name!);

const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => {
    const file = join(entry.parentPath, entry.name);
    return { file: relative(root, file), text: readFileSync(file, 'utf8') };
  });

const declarations = sources.flatMap(({ file, text }) => [...new Set(namesIn(text))].map((name) => ({ name, file })));

/** Names that several files declare, with those files. */
const shared = [...Map.groupBy(declarations, ({ name }) => name)]
  .filter(([, same]) => same.length > 1)
  .map(([name, same]) => ({ name, files: same.map(({ file }) => file).sort() }));

describe('an exported type name', () => {
  it('is declared in one file', () => {
    expect(declarations.length).toBeGreaterThan(1000);
    expect(shared.map(({ name, files }) => `${name} is declared in ${files.join(', ')}: rename one of them`)).toEqual(
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

describe('an upper limit', () => {
  it('has a name that begins with MAX_', () => {
    const others = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:MOST|LONGEST|LARGEST)_[A-Z]\w*/g)].map(([name]) => `${file}: ${name}`),
    );
    expect(others).toEqual([]);
  });
});

/** Names of the earlier dialect, and the usual word for each. */
const OLD_WORDS: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\bgoOn\b/, 'resume, continue or the name of what follows'],
  [/\bPATIENCE(_\w+)?\b/, 'TIMEOUT'],
  [/\bleavings/i, 'left steps'],
  // A method or a function: noun phrases such as `noteOf` stay.
  [
    /^\s*(?:(?:async|export|function|const|readonly) )*#?hear(?:[A-Z]\w*)?\([^()]*\)(?:: [^;]*)?[;{]$/m,
    'onMessage, onPacket or add',
  ],
  [/^\s*(?:(?:async|export|function|const|readonly) )*#?note(?!Of)(?:[A-Z]\w*)?\([^()]*\)(?:: [^;]*)[;{]$/m, 'record'],
];

describe('a name of the earlier dialect', () => {
  it('is not used, because the usual word says the same', () => {
    const found = sources.flatMap(({ file, text }) =>
      OLD_WORDS.flatMap(([name, instead]) => {
        const match = name.exec(text);
        return match ? [`${file}: ${match[0].trim()}: use ${instead}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });

  it('is found as a method, a function and a variable', () => {
    const isFound = (text: string): boolean => OLD_WORDS.some(([name]) => name.test(text));
    expect(['  #hear(event: JsonObject): void {', '  noteModeration(one: Moderation): void {'].map(isFound)).toEqual([
      true,
      true,
    ]);
    expect(['const goOn = 1;', 'const PATIENCE_MS = 1;', 'leavingsIn(journal)'].every(isFound)).toBe(true);
    expect(['noteOf(names)', "expect: { hear: 'x' }"].some(isFound)).toBe(false);
  });
});
