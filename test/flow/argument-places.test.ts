/** Templates in the arguments of all verbs, and values that `check` refuses because they never fit. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isObject, type Json } from '../../src/base/core/json.ts';
import { childPointer } from '../../src/base/schema/document.ts';
import { branchesAt, typesOf } from '../../src/base/schema/schema-branches.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { argumentPlaces } from '../../src/language/flow/argument-places.ts';
import { around, checkWhole, findings } from './check-flow.ts';

/** Pointers of the places of a verb that take values of known types, items of lists included. */
function* placesOf(verb: string, pointer = ''): Generator<string> {
  const branches = branchesAt(verb, pointer);
  if (branches.length === 0 || pointer.split('/').length > 7) return;
  if (branches.every((branch) => typesOf(branch) !== undefined)) yield pointer;
  for (const { schema } of branches) {
    const { properties, items } = schema;
    if (isObject(properties))
      for (const key of Object.keys(properties)) yield* placesOf(verb, childPointer(pointer, key));
    if (isObject(items)) yield* placesOf(verb, `${pointer}/0`);
  }
}

const typeOf = (value: Json): string[] => {
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'number' ? ['number', 'integer'] : [typeof value];
};

const SAMPLES: readonly Json[] = [7, 2.5, true, 'Ann', 'two words'];

it('are found in all verbs', () => {
  const places = [...verbSchemas.keys()].map((verb) => [...new Set(placesOf(verb))].length);
  expect(places.reduce((sum, count) => sum + count)).toBeGreaterThan(300);
  expect(places.filter((count) => count > 0).length).toBeGreaterThan(35);
});

describe.each([...verbSchemas.keys()])('%s', (verb) => {
  const places = [...new Set(placesOf(verb))].map((pointer) => {
    const types = branchesAt(verb, pointer).flatMap((branch) => typesOf(branch)!);
    const taken = (value: Json): boolean => typeOf(value).some((type) => types.includes(type));
    return { pointer, types, taken, place: argumentPlaces(verb, new Set())(pointer)! };
  });

  it('takes numbers and words wherever it takes texts, and one item as a list', () => {
    const refused = places.flatMap(({ pointer, types, taken, place }) =>
      SAMPLES.flatMap((value) => {
        const fit = place.fit(value, 'en-US')!;
        const isTaken =
          types.includes('string') || types.includes('array') ? taken(fit) : taken(value) || fit === value;
        return isTaken ? [] : [`${pointer}: ${JSON.stringify(value)} becomes ${JSON.stringify(fit)}`];
      }),
    );
    expect(refused).toEqual([]);
  });

  it('keeps what it takes already, and nothing', () => {
    for (const { pointer, types, place } of places) {
      expect([place.fit(undefined, 'en-US'), place.fit(null, 'en-US')], pointer).toEqual([undefined, null]);
      const kept = SAMPLES.filter((value) => typeOf(value).some((type) => types.includes(type)) && value !== 'Ann');
      expect(
        kept.map((value) => place.fit(value, 'en-US')),
        pointer,
      ).toEqual(kept);
    }
  });
});

describe('never-fits', () => {
  const head = `vars:
  n: { type: integer, default: 4 }
  text: { type: string, default: "4" }
  map: { type: object, default: {} }
  list: { type: array, default: [] }
  way: { enum: [east, west], default: east }
  none: {}
`;
  const at = (step: string) => findings(around(`  first: { ${step} }`, head)).filter((line) => line.includes('never'));
  const collect = (rules: string) =>
    `collect: { prompt: "Your number please", ${rules.startsWith('digits') ? '' : 'digits: {}, '}${rules} }, exits: { collected: bye, exhausted: bye }`;

  it.each([
    [collect('digits: { length: "${ vars.text }" }')],
    [collect('digits: { length: "1${ vars.n }" }')],
    [collect('attempts: "${ vars.list }"')],
    [collect('barge_in: "${ vars.n }"')],
    [collect('start_timeout: "${ vars.map }"')],
    [collect('typeahead: "${ vars.way }"')],
    ['bridge: { to: "${ vars.map }" }, exits: { completed: bye, failed: bye }'],
    ['pause: "${ vars.list }", next: bye'],
  ])('is found in %s', (step) => {
    expect(at(step)).toEqual([expect.stringMatching(/^\d+:\d+ never-fits$/)]);
  });

  it.each([
    [collect('digits: { length: "${ vars.n }" }')],
    [collect('digits: { length: "${ $number(vars.text) }" }')],
    [collect('start_timeout: "${ vars.n }"')],
    [collect('start_timeout: "${ vars.text }"')],
    [collect('digits: { length: "${ vars.none }" }')],
    ['bridge: { to: "${ vars.n }" }, exits: { completed: bye, failed: bye }'],
    ['bridge: { to: "${ vars.list }" }, exits: { completed: bye, failed: bye }'],
    ['play: "${ vars.list }", next: bye'],
    ['play: "${ vars.map }", next: bye'],
    ['log: { message: "${ vars.n }" }, next: bye'],
  ])('is not found in %s', (step) => {
    expect(at(step)).toEqual([]);
  });
});

describe('a template that gives names of prompts', () => {
  it('is refused if their files are missing', () => {
    const text = readFileSync(
      new URL('../fixtures/field/20-table-with-missing-files.flow.yaml', import.meta.url),
      'utf8',
    );
    const { diagnostics } = checkWhole(text);
    expect(diagnostics.map(({ code, message }) => [code, /`(\w+\.wav)`/.exec(message)?.[1]])).toEqual([
      ['missing-prompt', 'nothere.wav'],
      ['missing-prompt', 'notthere.wav'],
    ]);
  });

  it.each([
    ['{ type: string, default: hello }', ['7:18 name-spoken?']],
    ['{ type: string, enum: [hello, moment], default: hello }', []],
    ['{ type: string, enum: [hello, gone], default: hello }', ['7:18 missing-prompt']],
    ['{ type: string, enum: [Ann, Bob], default: Ann }', []],
    ['{ type: string, default: Ann }', []],
  ])('checks a variable %s as %j', (variable, expected) => {
    const head = `prompts: { hello: Hello there., moment: One moment. }\nvars: { word: ${variable} }\n`;
    expect(findings(around('  first: { play: "${ vars.word }", next: bye }', head))).toEqual(expected);
  });
});
