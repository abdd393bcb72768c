/** Schemas of verbs: outcomes are declared in one form, and all references resolve. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts';
import { placesWith } from '../../src/base/schema/argument-keywords.ts';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import { schemaInForm, stepSchema, verbSchemas } from '../../src/base/schema/schema-forms.ts';
import type { OutcomeTable } from '../../src/language/flow/possible-outcomes.ts';
import { factsOf } from '../../src/language/flow/verb-facts.ts';

const REQUIRED = {
  title: 'a',
  description: 'b',
  group: 'logic',
  icon: { path: 'M0 0' },
  picker: { group: 'end', place: 1, sentence: 'Ends.', begins: null },
  examples: [{}],
};
const validate = new Ajv2020({ strict: false }).compile(readSchema('verb'));

/** The schema of an argument, by a pointer from the long form. */
function argumentAt(schema: JsonObject, pointer: string): JsonObject | undefined {
  const forms = [schema, ...((schema['anyOf'] ?? []) as JsonObject[])];
  const [key, ...rest] = pointer.split('/').slice(1);
  if (key === undefined) return schema;
  const found = forms.map(({ properties }) => (properties as JsonObject | undefined)?.[key]).find(isObject);
  return found && rest.length > 0 ? argumentAt(found, `/${rest.join('/')}`) : found;
}

describe.each([...verbSchemas])('schema of %s', (verb, schema) => {
  const outcomes = schema['outcomes'] as unknown as OutcomeTable;

  it('has the form of schemas of verbs', () => {
    validate(schema);
    expect(validate.errors).toBeNull();
  });

  it('has one success at most, and refers to outcomes that are there', () => {
    const entries = Object.values(outcomes);
    expect(entries.filter(({ success }) => success).length).toBeLessThanOrEqual(1);
    for (const { finerThan, unroutedAs } of entries) {
      for (const other of [finerThan, unroutedAs]) if (other) expect(Object.keys(outcomes)).toContain(other);
    }
  });

  it('takes names of outcomes and targets only from keys that no template may give', () => {
    for (const { each, target, named } of Object.values(outcomes)) {
      const pointers = [each, named === undefined ? target : undefined].filter((pointer) => pointer !== undefined);
      for (const pointer of pointers) {
        expect(schema['static'] === true || argumentAt(schema, pointer)?.['static'], pointer).toBe(true);
      }
    }
  });

  it('ends for a command with an outcome that is there', () => {
    const { preemptedBy } = factsOf(verb);
    for (const outcome of preemptedBy?.outcomes ?? []) expect(Object.keys(outcomes)).toContain(outcome);
  });

  it('refers to arguments that are there', () => {
    const { card = [], badges = [], lazy = [], perItem } = factsOf(verb);
    const inTexts = JSON.stringify([card, badges]).matchAll(/\{(\/[^}"]*)\}/g);
    const written = [...card, ...badges].flatMap((entry) =>
      typeof entry === 'string'
        ? []
        : ['prompt', 'keys', 'entries', 'count'].map((key) => Object(entry)[key] as string),
    );
    const pointers = [
      ...[...inTexts].map(([, pointer]) => pointer!),
      ...written.filter((pointer) => pointer !== undefined && pointer !== ''),
      ...lazy.map((key) => `/${key}`),
      ...(perItem ? [perItem.of, ...perItem.in] : []),
    ];
    const known = new Set(placesWith(verb, 'type').map(([pointer]) => pointer));
    const isKnown = (pointer: string): boolean => known.has(pointer) || argumentAt(schema, pointer) !== undefined;
    expect(pointers.filter((pointer) => !isKnown(pointer))).toEqual([]);
  });

  it('has `takesTime` only if it does not listen, and `needsCall` only without `media`', () => {
    const { listens, takesTime, media, needsCall } = factsOf(verb);
    expect(listens !== undefined && takesTime === true).toBe(false);
    expect(media === true && needsCall === true).toBe(false);
  });

  it('keeps its own keywords out of the validators', () => {
    const made = Object.keys(schemaInForm(schema as Json, 'written', 'verb') as JsonObject);
    const own = ['outcomes', 'group', 'icon', 'card', 'badges', 'listens', 'media', 'lazy', 'names'];
    expect(made.filter((keyword) => own.includes(keyword))).toEqual([]);
  });
});

describe('form of the schemas of verbs', () => {
  it('refuses mistakes in the outcomes of a verb', () => {
    const made = (entry: Json): JsonObject => ({
      ...REQUIRED,
      outcomes: { done: entry },
    });
    expect(validate(made({ text: 'Done.' }))).toBe(true);
    const mistakes: Json[] = [
      'Done.',
      {},
      { text: 'no capital' },
      { text: 'Done.', kind: 'other' },
      { text: 'Done.', needs: ['luck'] },
      { text: 'Done.', where: { required: ['a'] } },
      { text: 'Done.', when: { pattern: 'a' } },
      { text: 'Done.', when: { anyOf: [{ minimum: 1 }] } },
    ];
    for (const entry of mistakes) expect(validate(made(entry)), JSON.stringify(entry)).toBe(false);
  });

  it('has no name of other systems twice, and none that is a verb', () => {
    const names = [...verbSchemas.values()].flatMap(({ everyday = [] }) => everyday as string[]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => verbSchemas.has(name))).toEqual([]);
  });

  it('holds for keywords of the shared arguments, too', () => {
    const shared = readSchema('components')['$defs'] as JsonObject;
    validate({ ...REQUIRED, outcomes: {}, properties: shared });
    expect(validate.errors).toBeNull();
  });

  it('holds for the outcomes of every step, too', () => {
    validate({ ...REQUIRED, outcomes: stepSchema['outcomes'] });
    expect(validate.errors).toBeNull();
  });
});
