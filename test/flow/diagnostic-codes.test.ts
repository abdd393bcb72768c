/** The table of codes is what the sources say and what tests have seen, no more and no less. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DIAGNOSTIC_CODES } from '../../src/base/schema/diagnostic-codes.ts';

const SOURCES = ['language/flow', 'base/schema', 'verbs', 'proof/workbench'].map((room) =>
  join(import.meta.dirname, '../../src', room),
);
const TESTS = ['flow', 'schema', 'api'].map((room) => join(import.meta.dirname, '..', room));
const SCHEMAS = ['schemas', 'src/verbs'].map((folder) => join(import.meta.dirname, '../..', folder));

const textsOf = (folder: string, ending: string, skipped: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith(skipped))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

const table = new Map(Object.values(DIAGNOSTIC_CODES).flatMap((codes) => Object.entries(codes)));

/** The ways in which sources say a code: a key `code`, or the first argument of what complains. */
const SAID = [
  /\bcode: '([a-z-]+)'/g,
  /\b#?(?:refuse|complain|problem|missing|valueIssue|keyIssue|unused)\(\s*'([a-z-]+)'/g,
  /\berrorAt\([^';]*'([a-z-]+)'/g,
  /'(missing-no-[a-z]+)'/g,
  /"code": "([a-z-]+)"/g,
  /\?\? '(wrong-[a-z]+)'/g,
];

const said = new Set(
  [
    ...SOURCES.flatMap((room) => textsOf(room, '.ts', 'diagnostic-codes.ts')),
    ...SCHEMAS.flatMap((folder) => textsOf(folder, 'schema.json', 'config.schema.json')),
  ].flatMap((text) => SAID.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code]) => code!))),
);

it('has every code that the checks say', () => {
  expect([...said].filter((code) => !table.has(code)).sort()).toEqual([]);
});

it('has no code that nothing says', () => {
  expect([...table.keys()].filter((code) => !said.has(code))).toEqual([]);
});

it('lists a code once', () => {
  expect(table.size).toBe(Object.values(DIAGNOSTIC_CODES).reduce((sum, codes) => sum + Object.keys(codes).length, 0));
});

const tests = TESTS.flatMap((room) => textsOf(room, '.test.ts', 'diagnostic-codes.test.ts'));

it.each([...table])('%s is seen by a test, as severe as it is said to be', (code, { severity }) => {
  const mentions = tests.flatMap((text) => [...text.matchAll(new RegExp(`['" ]${code}(\\?)?['" ]`, 'g'))]);
  expect(mentions.length, 'no test of this folder expects it').toBeGreaterThan(0);
  const isWarned = mentions.some(([, mark]) => mark === '?');
  expect(isWarned).toBe(severity !== 'error');
});
