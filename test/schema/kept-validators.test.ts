/** Cached validators of schemas behave as freshly compiled ones, and are never required. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { keptValidators, PATTERN_MAKER } from '../../src/base/schema/kept-validators.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 3, pattern: '^a' }, age: { default: 7 } },
};
const VALUES = [{}, { name: 'abc' }, { name: 'b' }, { name: 'aaaa' }, { name: 1 }, []];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'callweave-kept-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** A process: what it says of the values, and how often it had to compile. */
function processIn(directory: string | undefined, { schema = SCHEMA, common = 'one' } = {}) {
  let compiled = 0;
  const pattern = Object.assign((source: string) => new RegExp(source), { code: PATTERN_MAKER });
  const find = keptValidators(common, pattern, directory);
  const validate = find(schema, () => {
    compiled++;
    const ajv = new Ajv2020({
      ...{ allErrors: true, verbose: true, useDefaults: true, strict: false },
      code: { regExp: pattern, source: true },
    });
    return { ajv, validate: ajv.compile(schema) };
  });
  const said = VALUES.map((each) => {
    const value = structuredClone(each);
    return { isValid: validate(value), value, errors: structuredClone(validate.errors) };
  });
  return { said, compiled };
}

test('gives the same results from the cache of an earlier process', () => {
  const directory = folder();
  const first = processIn(directory);
  expect(first.compiled).toBe(1);
  expect(first.said.map(({ isValid }) => isValid)).toEqual([true, true, false, false, false, false]);
  expect(first.said[0]!.value).toEqual({ age: 7 });
  expect(processIn(directory)).toEqual({ said: first.said, compiled: 0 });
});

test('compiles another schema, and a schema for another version of its sources', () => {
  const directory = folder();
  processIn(directory);
  expect(processIn(directory, { common: 'two' }).compiled).toBe(1);
  expect(processIn(directory, { schema: { ...SCHEMA, required: ['name'] } }).said[0]!.isValid).toBe(false);
});

test('replaces a damaged file of the cache', () => {
  const directory = folder();
  const { said } = processIn(directory);
  for (const name of readdirSync(directory)) writeFileSync(join(directory, name), 'module.exports = (require, own');
  expect(processIn(directory)).toEqual({ said, compiled: 1 });
  expect(processIn(directory).compiled).toBe(0);
});

test('keeps nothing where the folder cannot be written, or does not exist', () => {
  const missing = join(folder(), 'missing');
  expect([processIn(missing).compiled, processIn(missing).compiled]).toEqual([1, 1]);
  expect([processIn(undefined).compiled, processIn(undefined).compiled]).toEqual([1, 1]);
});
