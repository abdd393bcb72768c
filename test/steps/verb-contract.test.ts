import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { checkArguments } from '../../src/base/schema/validate.ts';
import { possibleOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { stepsByVerb, verbs } from '../../src/verbs/steps.ts';

it('requires a schema and a step in every folder of a verb', () => {
  expect(verbs.map(({ verb }) => verb)).toEqual([...verbSchemas.keys()]);
  expect(stepsByVerb.size).toBe(verbs.length);
});

describe.each(verbs.map((definition) => [definition.verb, definition] as const))('%s', (verb, definition) => {
  const schema = verbSchemas.get(verb)!;
  const examples = schema['examples'] as JsonObject[];

  it('is described, with an example', () => {
    expect(schema).toMatchObject({ title: verb, description: expect.stringMatching(/\S/) });
    expect(examples.length).toBeGreaterThan(0);
  });

  it('is declared consistently: success is an outcome, a terminal verb has none but error, and only a verb that waits is a generator', () => {
    const args = examples[0]![verb] ?? null;
    const outcomes = possibleOutcomes(definition, args);
    if (definition.success !== undefined) expect(outcomes).toContain(definition.success);
    if (definition.terminal) expect(outcomes.filter((outcome) => outcome !== 'error')).toEqual([]);
    expect(new Set(outcomes).size).toBe(outcomes.length);
    expect(definition.run.constructor.name === 'AsyncGeneratorFunction').toBe(definition.waits ?? false);
    if (definition.media) expect(definition.needsCall).toBe(true);
  });

  it('accepts any arguments in its declarations', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (args) => {
        possibleOutcomes(definition, args as Json);
        definition.calls?.(args as Json);
        checkArguments(definition, args as Json);
      }),
      { numRuns: 50, seed: 1 },
    );
  });
});
