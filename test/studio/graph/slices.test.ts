import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphOf } from '../../../src/language/flow/graph.ts';
import { FlowReader, type FlowText, readWhole } from '../../../src/language/flow/text/flow-reader.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { isMap, nodesIn, type YamlNode } from '../../../src/language/flow/text/yaml/nodes.ts';
import { rounds } from '../../rounds.ts';
import { language, shippedFiles, textOf } from './flows.ts';

const graph = ({ value, lines, isSound }: FlowText) => ({ graph: graphOf(value, { verbs: language, lines }), isSound });
const texts = shippedFiles.map(textOf);
const usual = 'flow: t\nstart: a\nsteps:\n  a: { play: "Hi there.", next: b }\n  b:\n    hangup: normal\n';

/** All pairs with scalars and offsets; the ends of block maps are of no use. */
function* pairsIn(node: YamlNode | null): Generator<unknown> {
  for (const each of nodesIn(node)) {
    if (!isMap(each) || each.flow) yield each;
    else yield each.items.map(({ key }) => key);
  }
}

describe('a flow read by slices', () => {
  it.each(shippedFiles)('equals the flow read as a whole: %s', (file) => {
    const reader = new FlowReader();
    expect(graph(reader.read(textOf(file)))).toEqual(graph(readWhole(textOf(file))));
    expect(reader.parsedSlices).toBeGreaterThan(0);
  });

  it.each(shippedFiles)('has the nodes of the flow read as a whole, at the same offsets: %s', (file) => {
    const reader = new FlowReader();
    const text = textOf(file);
    for (const made of [text, `# A remark.\n${text}`, text.replace('steps:', 'vars: { a: 1 }\nsteps: # all\n')]) {
      const [sliced, whole] = [reader.read(made), readWhole(made)].map(({ contents }) => [...pairsIn(contents)]);
      expect(sliced).toEqual(whole);
    }
  });

  it('parses only the slice that changed', () => {
    const reader = new FlowReader();
    reader.read(usual);
    const changed = reader.read(usual.replace('Hi there.', 'Hello.'));
    expect(reader.parsedSlices).toBe(1);
    expect(graph(changed).graph.steps[0]!.about).toBe('Hello.');
    reader.read(usual.replace('flow: t', '# A remark.\n\nflow: t'));
    expect(reader.parsedSlices).toBe(0);
    reader.read(usual.replace('flow: t', 'flow: other'));
    expect(reader.parsedSlices).toBe(1);
  });

  it('gives the same graph with cached steps of earlier texts', () => {
    const file = textOf('flows/order-status.flow.yaml');
    const source = new GraphSource({ verbs: language });
    const edits = [
      file,
      `# A remark.\n${file}`,
      file.replace('retry: { times: 1,', 'retry: { times: 4,'),
      file.replace('exits: { error: apologise }', 'exits: { error: goodbye }'),
      file.replace('unknown: I cannot find that order.', 'unknown: There is no such order.'),
      file.replace('steps:', 'vars: { order: { type: string, sensitive: true } }\nsteps:'),
      file,
    ];
    for (const text of edits) expect(source.read(text).graph).toEqual(graph(readWhole(text)).graph);
    const again = source.read(file.replace('retry: { times: 1,', 'retry: { times: 2,')).graph;
    const steps = source.read(file).graph.steps;
    expect(steps.filter((step, index) => step === again.steps[index])).toHaveLength(steps.length - 1);
  });

  it('is the same for any split of any shipped flow, whatever was read before', () => {
    const cut = fc.record({
      text: fc.constantFrom(...texts),
      from: fc.nat(4000),
      length: fc.oneof(fc.constant(0), fc.nat(12), fc.nat(400)),
      insert: fc.oneof(
        fc.constant(''),
        fc.constantFrom(
          '\n',
          ' ',
          '  ',
          '"',
          "'",
          '{',
          '}',
          '[',
          ':',
          ': ',
          '#',
          '- ',
          '|',
          '&x ',
          '*x',
          '\t',
          '\r\n',
          'steps:\n',
          '? ',
          '---\n',
          '!t ',
          ',',
          'a: b\n',
          '\u2028',
          '>-\n',
        ),
      ),
      isPrefix: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), (cuts) => {
        const reader = new FlowReader();
        for (const { text, from, length, insert, isPrefix } of cuts) {
          const at = from % text.length;
          const made = text.slice(0, at) + insert + (isPrefix ? '' : text.slice(at + length));
          expect(graph(reader.read(made))).toEqual(graph(readWhole(made)));
        }
      }),
      { numRuns: rounds(80) },
    );
  });

  it.each([
    ['JSON', '{ "flow": "t", "start": "a", "steps": { "a": { "hangup": "normal" } } }'],
    ['anchors', 'flow: t\nstart: a\nsteps:\n  a: &x { hangup: normal }\n  b: *x\n'],
    ['merge keys', 'flow: t\nsteps:\n  a: { <<: { play: x } }\n'],
    ['tabs', 'flow: t\nsteps:\n\ta: { hangup: normal }\n'],
    ['flow-style steps', 'flow: t\nsteps: { a: { hangup: normal },\n  b: { hangup: normal } }\n'],
    ['CRLF', usual.replaceAll('\n', '\r\n')],
    ['two maps of steps', `${usual}steps:\n  c: { hangup: normal }\n`],
    ['one name twice', `${usual}  a: { hangup: busy }\n`],
    ['no steps', 'flow: t\nsteps:\n'],
    ['quoted names', 'flow: t\nsteps:\n  "a": { hangup: normal }\n  \'b c\' : { hangup: normal }\n'],
    ['a block of text that looks like steps', 'flow: t\ndoc: |\n  steps:\n    a: no\nsteps:\n  a: { play: |\n x }\n'],
    ['a key over several lines', 'flow: t\nsteps:\n  ? a\n  : { hangup: normal }\n'],
    ['aliases that lead to themselves', 'flow: t\nsteps: &s\n  a: *s\n'],
    ['nothing', ''],
    ['a list', '- a\n- b\n'],
    ['a name that is special in JavaScript', 'flow: t\nsteps:\n  __proto__: { hangup: normal }\n'],
    ['deeper steps', 'flow: t\nsteps:\n      a: { hangup: normal }\n      b:\n       hangup: normal\n'],
    ['a step that is indented less', 'flow: t\nsteps:\n    a: { hangup: normal }\n  b: { hangup: normal }\n'],
    ['steps at the start of the line', 'flow: t\nsteps:\na: { hangup: normal }\n'],
    ['two documents', `${usual}---\n${usual}`],
  ])('equals the flow read as a whole: %s', (_, text) => {
    expect(graph(new FlowReader().read(text))).toEqual(graph(readWhole(text)));
  });

  it('contains the lines of names in any outline', () => {
    expect([...readWhole('{ "flow": "t",\n"steps": { "a": {},\n "b": {} } }').lines]).toEqual([
      ['a', 2],
      ['b', 3],
    ]);
    expect([...new FlowReader().read(usual).lines]).toEqual([
      ['a', 4],
      ['b', 5],
    ]);
  });
});
