/**
 * Functions with many positional parameters are hard to call correctly: no exported function and no constructor of
 * `src` has more than four. Creators (`create…` and constructors) of the service have at most three, or take an object.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

const MAX_PARAMETERS = 4;
const MAX_OF_CREATORS = 3;
const SERVICE =
  /^(app|service\/api|service\/calls|service\/observers|media\/telephony|media\/rooms|service\/store|service\/cluster|media\/speech)\//;
/** Functions that have more, with their number. Remove what is mended; add nothing. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  formOf: 5,
  leavingUnit: 6,
  planContent: 5,
  planEvent: 5,
  planField: 5,
  queueUnit: 5,
  stateKeyOf: 5,
  SwmlImport: 5,
};

interface Signature {
  /** Name of the function, or of the class of a constructor. */
  name: string;
  isCreator: boolean;
  parameters: number;
}

const SIGNATURE =
  /^export (?:default )?(?:async )?function\*? ?(?<declared>\w+)|^export const (?<constant>\w+)(?:: [^=\n]+)? =\s+(?:async )?(?=[(<])|^(?:export )?(?:abstract )?class (?<owner>\w+)|^ {2}(?<creates>constructor)(?=\()/gm;

function signaturesOf(text: string): Signature[] {
  let owner = '';
  return [...text.matchAll(SIGNATURE)].flatMap(({ 0: head, index, groups = {} }): Signature[] => {
    if (groups['owner'] !== undefined) {
      owner = groups['owner'];
      return [];
    }
    const name = groups['declared'] ?? groups['constant'] ?? owner;
    const isCreator = groups['creates'] !== undefined || /^create[A-Z]/.test(name);
    return [{ name, isCreator, parameters: parametersAfter(text, index + head.length) }];
  });
}

/** Counts the parameters of the list that starts at `at`, after type parameters if there are any. */
function parametersAfter(text: string, at: number): number {
  let depth = 0;
  let count = 0;
  let isEmpty = true;
  let isList = false;
  for (let index = at; index < text.length; index++) {
    const char = text[index]!;
    const isArrow = char === '>' && text[index - 1] === '=';
    if (')]}'.includes(char) || (char === '>' && !isArrow)) {
      depth--;
      if (isList && depth === 0) return isEmpty ? count : count + 1;
    } else if (isList && depth === 1 && char === ',') {
      count++;
      isEmpty = true;
    } else if (!/\s/.test(char) && isList && depth >= 1) isEmpty = false;
    if (depth === 0 && char === '(') isList = true;
    if ('([{<'.includes(char)) depth++;
  }
  return count;
}

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const signatures = files.flatMap((file) =>
  signaturesOf(readFileSync(join(root, file), 'utf8')).map((signature) => ({ file, ...signature })),
);

describe('an exported function or constructor', () => {
  it('takes at most four positional parameters', () => {
    expect(signatures.length).toBeGreaterThan(2000);
    const long = signatures.filter(({ name, parameters }) => parameters > (EXCEPTIONS[name] ?? MAX_PARAMETERS));
    expect(long).toEqual([]);
  });

  it('takes at most three if it creates a part of the service', () => {
    const long = signatures.filter(
      ({ file, isCreator, parameters }) => SERVICE.test(file) && isCreator && parameters > MAX_OF_CREATORS,
    );
    expect(long).toEqual([]);
  });

  it.each<[text: string, found: [name: string, parameters: number][]]>([
    ['export function a(): void {}', [['a', 0]]],
    ['export function a(b: string, c: Map<string, number>, d = (x: number, y: number) => x): void {}', [['a', 3]]],
    [
      'export async function* a<B, C extends [D, E]>(\n  b: B,\n  { c, d }: { c: C; d: (e: B, f: C) => void },\n) {}',
      [['a', 2]],
    ],
    ['export const a = (b: number): number => b;', [['a', 1]]],
    ['export const a: Maker = async <B,>(b: B, ...c: B[]) => c;', [['a', 2]]],
    ['export class A {\n  constructor(b: string, c: string) {}\n}', [['A', 2]]],
    ['class A {\n  constructor(\n    b: string,\n  ) {}\n}', [['A', 1]]],
    ['function a(b: string) {}', []],
  ])('has its parameters counted in %j', (text, found) => {
    expect(signaturesOf(text).map(({ name, parameters }) => [name, parameters])).toEqual(found);
  });
});
