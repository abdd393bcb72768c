/** Errors at a field: every keyword of the schemas in plain words, in each language of the pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isObject, type Json } from '../../../src/base/core/json.ts';
import { verbSchemas } from '../../../src/base/schema/schema-forms.ts';
import type { LanguageKey } from '../../../src/language/flow/text/language.ts';
import { LANGUAGES } from '../../../src/pages/shared/web/words/languages.ts';
import { language } from './samples.ts';

type Limits = typeof import('../../../src/pages/studio/web/form/limits.ts');

const TEXTS = join(import.meta.dirname, '../../../src/pages/shared/web/words/texts');

/** A value that does not keep a limit, and its error in English. */
const BROKEN: Readonly<Record<string, readonly [key: LanguageKey, value: Json, words: string]>> = {
  type: [{ type: ['number', 'boolean'] }, 'many', 'Needs a number or yes or no'],
  const: [{ const: 'all' }, 'some', 'Only all is possible'],
  enum: [{ type: 'string', enum: ['low', 'high'] }, 'medium', 'One of: low or high'],
  minLength: [{ type: 'string', minLength: 3 }, 'ab', 'At least 3 characters'],
  maxLength: [{ type: 'string', maxLength: 1 }, 'ab', 'At most 1 character'],
  pattern: [{ type: 'string', pattern: '^[0-9]+$' }, 'ab', 'This does not fit'],
  format: [{ type: 'string', format: 'date' }, 'tomorrow', 'Needs a date, such as 2026-12-25'],
  minimum: [{ type: 'integer', minimum: 1 }, 0, 'At least 1'],
  maximum: [{ type: 'integer', minimum: 1, maximum: 20 }, 21, 'Needs a number between 1 and 20'],
  exclusiveMinimum: [{ type: 'number', exclusiveMinimum: 0 }, 0, 'More than 0'],
  exclusiveMaximum: [{ type: 'number', exclusiveMaximum: 9 }, 9, 'Less than 9'],
  multipleOf: [{ type: 'number', multipleOf: 5 }, 7, 'Needs a multiple of 5'],
  minItems: [{ type: 'array', minItems: 1 }, [], 'At least 1 entry'],
  maxItems: [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'At most 2 entries'],
  uniqueItems: [{ type: 'array', uniqueItems: true }, ['a', 'b', 'a'], 'a is there twice'],
  minProperties: [{ type: 'object', minProperties: 2 }, { a: 1 }, 'At least 2 entries'],
  maxProperties: [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'At most 1 entry'],
  required: [{ type: 'object', required: ['to'] }, {}, 'to is missing'],
  additionalProperties: [
    { type: 'object', closed: true, properties: { to: {}, from: {} } },
    { too: 1 },
    'too is not known here. Known: to and from',
  ],
  propertyNames: [
    { type: 'object', names: { pattern: '^[a-z]+$', says: 'must be a word' } },
    { A1: 1 },
    'A1: Needs to be a word',
  ],
};

const PLACE = /must not|\/[a-z]+\/|[a-z_]+\.[a-z_]+\.[a-z_]+/i;

const saysIn = ({ says, code, properties = {}, items, values, names, pattern }: LanguageKey): LanguageKey[] => [
  ...(says === undefined || code === 'duration' ? [] : [{ says, ...(pattern !== undefined && { pattern }) }]),
  ...[...Object.values(properties), items, values, names].flatMap((key) => (key === undefined ? [] : saysIn(key))),
];
const allSays = [language.step, language.flow, ...Object.values(language.verbs).map(({ schema }) => schema)].flatMap(
  saysIn,
);

// Other files share the modules of a worker: they would find those that speak the last language.
afterAll(() => void vi.resetModules());

describe.each(LANGUAGES)('in $name', ({ code, locale = code }) => {
  let limits: Limits;

  beforeAll(async () => {
    vi.resetModules();
    const { setLanguage } = await import('../../../src/pages/shared/web/words/translate.ts');
    const texts = code === 'en' ? {} : JSON.parse(readFileSync(join(TEXTS, `${code}.json`), 'utf8'));
    setLanguage(texts, locale);
    limits = await import('../../../src/pages/studio/web/form/limits.ts');
  });

  it('has words for each keyword', () => {
    expect(Object.keys(BROKEN)).toEqual(Object.keys(limits.LIMIT_CHECKS));
    for (const [keyword, [key, value, english]] of Object.entries(BROKEN)) {
      const words = limits.problemOf(value, key);
      if (code === 'en') expect(words, keyword).toBe(english);
      else if (keyword !== 'propertyNames') expect(words, keyword).not.toBe(english);
      expect(words, keyword).toBeDefined();
      expect(words, keyword).not.toMatch(PLACE);
    }
  });

  it('finds the part of a list or a map that does not fit', () => {
    const key: LanguageKey = { type: 'object', values: { type: 'array', items: { type: 'integer', maximum: 3 } } };
    expect(limits.problemOf({ lines: [1, 2] }, key)).toBeUndefined();
    expect(limits.problemOf({ lines: [1, 4] }, key)).toContain('3');
  });

  it('says what each pattern of the language accepts, without the words of a schema', () => {
    for (const key of allSays) {
      const words = limits.saysOf(key)!;
      expect(words).not.toMatch(/^must\b|must NOT|quoted|in quotes/i);
      if (code !== 'en') expect(words).not.toBe(limits.sentence(key.says!));
    }
  });
});

it('accepts the examples of each verb', async () => {
  const { problemOf } = await import('../../../src/pages/studio/web/form/limits.ts');
  for (const [verb, schema] of verbSchemas) {
    for (const example of schema['examples'] as Json[]) {
      if (!isObject(example)) continue;
      expect(problemOf(example[verb]!, language.verbs[verb]!.schema), verb).toBeUndefined();
    }
  }
});
