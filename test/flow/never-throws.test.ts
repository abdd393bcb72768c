import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { compileDocument, compileFlow } from '../../src/language/flow/compile.ts';
import { verbs } from '../../src/verbs/steps.ts';

const directory = new URL('../../flows/', import.meta.url);
const texts = readdirSync(directory)
  .filter((name) => name.endsWith('.flow.yaml'))
  .map((name) => readFileSync(new URL(name, directory), 'utf8'));

/** A flow without an error, or errors without a flow; every place is one. */
function expectSound({ flow, diagnostics }: ReturnType<typeof compileFlow>): void {
  const wrong = diagnostics.some(({ severity }) => severity === 'error');
  expect(flow === undefined).toBe(wrong);
  for (const { line, column, code, message } of diagnostics) {
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(message).not.toBe('');
  }
}

describe('diagnostics instead of exceptions', () => {
  it('characters taken out, put in and doubled', () => {
    const edit = fc.record({
      at: fc.nat(5000),
      cut: fc.nat(12),
      put: fc.oneof(
        fc.constantFrom('{', '}', '[', ']', ':', '"', "'", '${', '#', '*', '&a ', '\t', '\n', '- ', '!!', '|', '? '),
        fc.string({ maxLength: 4 }),
      ),
    });
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        let edited = text;
        for (const { at, cut, put } of edits) {
          const from = at % edited.length;
          edited = edited.slice(0, from) + put + edited.slice(from + cut);
        }
        expectSound(compileFlow(edited, '/flows/x.flow.yaml', verbs));
      }),
      { numRuns: 80 },
    );
  });

  it('returns diagnostics for any JSON, also as arguments of a verb', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const verb = fc.constantFrom(...verbs.map((spec) => spec.verb));
    fc.assert(
      fc.property(json, verb, json, (document, name, args) => {
        expectSound(compileDocument(document, 'request', verbs));
        const steps = { a: { [name]: args, next: 'b' }, b: { hangup: null } };
        expectSound(compileDocument({ flow: 'x', start: 'a', steps } as JsonObject, 'request', verbs));
      }),
      { numRuns: 80 },
    );
  });
});

describe('the schemas of the language', () => {
  const isSchema = compileCheck({ $ref: 'https://json-schema.org/draft/2020-12/schema' });
  const files = new URL('../../schemas/', import.meta.url);
  const shared = readdirSync(files)
    .filter((name) => name.endsWith('.schema.json'))
    .map((name): [string, Json] => [name, JSON.parse(readFileSync(new URL(name, files), 'utf8')) as Json]);

  it.each([...shared, ...verbSchemas])('%s is a JSON Schema', (_, schema) => {
    expect(isSchema(schema)).toBeUndefined();
  });

  it('detects a broken schema of a verb', () => {
    expect(isSchema({ type: 'strnig' })).toBeDefined();
  });
});
