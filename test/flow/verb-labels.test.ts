import { describe, expect, it } from 'vitest';
import { verbsPage } from '../../src/cli/verbs-page.ts';
import { graphOf } from '../../src/language/flow/graph.ts';
import { languageOf } from '../../src/language/flow/language.ts';
import { verbNamed } from '../../src/language/flow/text/language.ts';
import { verbs } from '../../src/verbs/steps.ts';

const language = languageOf(verbs);
const labelOf = (verb: string): string | undefined => language.verbs[verb]!.label;

describe('the label of a verb', () => {
  it('comes from its schema, else has its name with spaces, and is absent if it is the name', () => {
    expect([labelOf('request'), labelOf('join_room'), labelOf('menu')]).toEqual([
      'HTTP request',
      'join room',
      undefined,
    ]);
  });

  it('differs from the labels and names of all other verbs', () => {
    const names = Object.entries(language.verbs).flatMap(([verb, { label }]) => [verb, ...(label ? [label] : [])]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('is shown at the steps of a graph', () => {
    const steps = { a: { request: { get: 'https://x.example' } }, b: { hangup: 'normal' } };
    const graph = graphOf({ flow: 'f', start: 'a', steps }, { verbs: language.verbs });
    expect(graph.steps.map(({ verb, verb_label: label }) => [verb, label])).toEqual([
      ['request', 'HTTP request'],
      ['hangup', undefined],
    ]);
  });

  it('finds the verb as its name does, in capitals or not', () => {
    expect(['http request', 'request', 'Join room', 'menu'].map((word) => verbNamed(language, word))).toEqual([
      'request',
      'request',
      'join_room',
      'menu',
    ]);
    expect([verbNamed(language, 'toString'), verbNamed(language, '')]).toEqual([undefined, undefined]);
  });

  it('is in the reference if the schema has one', () => {
    expect(verbsPage()).toContain('### request\n\nName in the studio: HTTP request.');
    expect(verbsPage()).not.toContain('Name in the studio: join room.');
  });
});
