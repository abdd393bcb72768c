/** The studio's YAML reader compared with the parser of the service: the same values, at the same positions. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isAlias, isMap, isNode, isScalar, type Node, parseDocument, visit } from 'yaml';
import { loadDocument } from '../../../src/base/schema/load.ts';
import { nodesIn } from '../../../src/language/flow/text/yaml/nodes.ts';
import { plainData } from '../../../src/language/flow/text/yaml/plain-data.ts';
import { readYaml } from '../../../src/language/flow/text/yaml/read-yaml.ts';
import { shippedFiles, textOf } from '../graph/flows.ts';
import { manners } from '../text/manners.ts';

interface Reading {
  value: unknown;
  /** Kinds and positions of scalars and of values in brackets. */
  places: string[];
}

/** Undefined if it has a problem. */
function ours(text: string): Reading | undefined {
  const { contents, problems } = readYaml(text);
  const data = plainData(contents);
  if (problems.length > 0 || data === undefined) return undefined;
  const places = [...nodesIn(contents)]
    .filter((node) => node.kind === 'scalar' || node.kind === 'alias' || node.flow)
    .map(({ kind, range, anchor }) => `${kind} ${range.join('-')} ${anchor ?? ''}`);
  return { value: data.value, places };
}

/** `log` silent accepts a second document, which the service refuses. */
const OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'error' } as const;

/** Undefined if it has a problem, or content that the service refuses in any flow: tags, keys that are not strings. */
function theirs(text: string): Reading | undefined {
  const document = parseDocument(text, OPTIONS);
  let isRefused = document.errors.length + document.warnings.length > 0;
  const places: string[] = [];
  visit(document, {
    Node(key, node) {
      const named = isAlias(node) ? node.resolve(document) : node;
      isRefused ||= (!isAlias(node) && node.tag !== undefined) || named === undefined;
      isRefused ||= key === 'key' && (!isScalar(named) || named.source === '');
      const place = placeOf(node);
      if (place !== undefined) places.push(place);
    },
  });
  if (isRefused) return undefined;
  try {
    return { value: document.toJS(), places };
  } catch {
    return undefined;
  }
}

function placeOf(node: Node): string | undefined {
  if (!isNode(node) || node.range == null) return undefined;
  const [from, to] = node.range;
  const anchor = isAlias(node) ? '' : (node.anchor ?? '');
  if (isScalar(node) || isAlias(node)) return `${isAlias(node) ? 'alias' : 'scalar'} ${from}-${to} ${anchor}`;
  return 'flow' in node && node.flow === true ? `${isMap(node) ? 'map' : 'seq'} ${from}-${to} ${anchor}` : undefined;
}

describe('YAML that the service accepts', () => {
  test.each(shippedFiles)('is read alike in %s', (file) => {
    const reading = ours(textOf(file));
    expect(reading?.places.length).toBeGreaterThan(5);
    expect(reading).toEqual(theirs(textOf(file)));
  });

  test.each(manners)('is read alike: $name', ({ text }) => {
    expect(ours(text)).toEqual(theirs(text));
    expect(ours(text)).toBeDefined();
  });

  it.each([
    ['nothing', ''],
    ['a remark alone', '# nothing\n'],
    ['words over lines', 'a: one\n  two\n\n  three # ends\nb: 1\n'],
    ['a colon and a # within words', 'a: b:c d#e http://x.y/#z\n'],
    ['quotes over lines', "a: \"one \\\n   two\n\n   three\\n\"\nb: 'one\n  it''s\n\n  two'\n"],
    ['escapes', 'a: "\\x41\\u00e9\\U0001F600\\t\\/\\"\\\\\\N\\_\\L\\P\\e\\0"\n'],
    ['a text of lines', 'a: |\n  one\n   two\n\n  three\n\n\nb: 1\n'],
    ['texts of lines that end differently', 'a: |-\n  x\n\nb: |+\n  x\n\nc: >\n  x\n\n'],
    ['folded lines', 'a: >-\n  one\n  two\n\n  three\n    further in\n    too\n  out\n\n\n  end\n'],
    ['a text of lines that begins empty', 'a: |\n\n\n  x\nb: >\n\n  y\n'],
    ['a text with its indentation said', 'a: |2\n    x\n   y\nb: >1-\n   x\n  y\n'],
    ['a text of lines at the end', 'a: |\n  x'],
    ['an empty text of lines', 'a: |\nb: >-\n\nc: |+\n\n'],
    ['numbers', '[0, -1, +2, 1.5, .5, 1., 1e3, -1.5E-3, 0x1F, 0o17, 08, 1_000, .inf, -.Inf, 12:30]\n'],
    ['words that mean something', '[null, ~, Null, NULL, nUll, true, True, TRUE, tRue, false, yes, no, on, off, y]\n'],
    ['what is not there', 'a:\nb: \nc: # remark\nd:   # remark\ne: [ , x]\n'.replace('[ , x]', '[]')],
    ['lists as far in as their key', 'a:\n- 1\n- b: 2\n  c: 3\n-\n  - 4\n- - 5\n  - 6\nd: x\n'],
    ['keys in quotes', '"a b": 1\n\'c\': 2\n"d":\n  e: 3\n'],
    ['keys of numbers', '1: a\n1.0: b\n0x10: c\ntrue: d\nnull: e\n'],
    ['a key over several lines', '? a\n: b\n? c\n'],
    ['brackets over lines', 'a: { b: [1,\n   2, # two\n   3],\n   "c":d, e, f: }\n'],
    ['brackets with words over lines', 'a: [one\n   two, three]\n'],
    ['brackets that end as far in as their key', 'a:\n  b: {\n    c: [1]\n  }\nd: [\n  e\n]\nf: {\n  g: {\n  } }\n'],
    ['pairs in a list in brackets', '[a: 1, "b":2, c]\n'],
    ['anchors of everything', 'a: &a x\nb: &b\n  c: 1\nd: &d [*a , *b]\n&e e: *d\nf: &f\ng: *f\n'],
    ['an anchor that is given again', 'a: &x 1\nb: *x\nc: &x 2\nd: *x\n'],
    ['an alias as a key', 'a: &x k\n*x : 1\n'],
    ['a merge key, which is a key', 'a: { <<: { b: 1 } }\n'],
    ['marks of the document', '%YAML 1.2\n---\na: 1\n...\n# after\n'],
    ['a document on the line of its mark', '--- { a: 1 }\n'],
    ['line ends of Windows', 'a: x\r\n  y\r\n\r\nb: "1\r\n  2"\r\nc: |\r\n  x\r\n\r\n  y\r\nd: [1,\r\n  2]\r\n'],
    ['keys that are special in JavaScript', '__proto__: 1\nconstructor: 2\ntoString: { __proto__: 3 }\n'],
    ['a dash and a question mark in words', 'a: -x\nb: ?y\nc: - z\n'.replace('c: - z\n', '')],
    ['tabs behind signs', 'a:\tb\t# c\nd:\t[\t1,\t2\t]\n-x:\ty\n'],
    ['one word', 'word'],
    ['two lines of words', 'two\nwords'],
  ])('reads as the service does: %s', (_, text) => {
    expect(theirs(text)).toBeDefined();
    expect(ours(text)).toEqual(theirs(text));
  });
});

describe('YAML that the service refuses', () => {
  it.each([
    ['a: b: c\n'],
    ['a: 1\n  b: 2\n'],
    ['  a: 1\n b: 2\n'],
    ['a: - b\n'],
    ['a: "b" c\n'],
    ['a: "b\n'],
    ["a: 'b\n"],
    ['a: "\\q"\n'],
    ['a: "\\u12"\n'],
    ['a: {b: 1\n'],
    ['a: [1, 2}\n'],
    ['a: {\n  b: [\n]\n  }\n'],
    ['a:\n  b: {\n    c: 1\n }\n'],
    ['a: [,]\n'],
    ['a: @b\n'],
    ['a: `b\n'],
    ['a: %b\n'],
    ['a: *nothing\n'],
    ['a: &x *x\n'],
    ['a: &x { b: *x }\n'],
    ['a: &x &y b\n'],
    ['\ta: 1\n'],
    ['a:\n\tb: 1\n'],
    ['a: 1\n---\nb: 2\n'],
    ['a: |\n    x\n  y\n'],
    ['a: |3x\n'],
    ['a: !t b\n'],
    ['word\na: 1\n'],
    ['{ a: 1 } b\n'],
    [`a: ${'['.repeat(5000)}`],
    [`${'- '.repeat(5000)}x`],
  ])('refuses the text %j', (text) => {
    expect(loadDocument(text, 'a.flow.yaml').document).toBeUndefined();
    expect(ours(text)).toBeUndefined();
  });

  it('has a problem if its aliases expand too far', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`,
    );
    const text = `l0: &l0 x\n${levels.join('\n')}\n`;
    expect(readYaml(text).problems).toEqual([]);
    expect(plainData(readYaml(text).contents)).toBeUndefined();
  });
});

describe('a text with a problem', () => {
  it('still gives its other keys', () => {
    const { contents, problems } = readYaml('a: 1\nb: "x" y\n  more\nc: { d: [ }\ne:\n  f: @\n  g: 2\nh: 3\n');
    expect(problems).toEqual([12, 31, 41]);
    expect(plainData(contents)?.value).toMatchObject({ a: 1, e: { g: 2 }, h: 3 });
  });
});

const PIECES =
  'a|b|:|: | |\n|\n |\n  |\n    |- |-|"|\'|#| #|{|}|[|]|,|, |>|>-|\n\n|x y|1|? |&a |*a|*a : |\t|\\|\\n|\r\n|---\n|~|a: b\n|<<: |é'
    .split('|')
    .concat('|', '|\n', '|+\n', '|2\n');
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 18 }).map((parts) => parts.join(''));
const texts = [...shippedFiles.map(textOf), ...manners.map(({ text }) => text)].map((text) => text.slice(0, 2500));
const damaged = fc
  .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(2500), fc.nat(12), fc.constantFrom(...PIECES))))
  .map(([text, cuts]) =>
    cuts.slice(0, 3).reduce((made, [from, length, piece]) => {
      const at = from % (made.length + 1);
      return made.slice(0, at) + piece + made.slice(at + (length > 6 ? 0 : length));
    }, text),
  );

test.each([
  ['made of signs', pieces, 3000],
  ['that is damaged', damaged, 200],
])('refuses any text %s, or reads the values of the service', (_, any, numRuns) => {
  fc.assert(
    fc.property(any, (text) => {
      const reading = ours(text);
      const known = theirs(text);
      if (reading !== undefined && known !== undefined) expect(reading.value).toEqual(known.value);
    }),
    { numRuns },
  );
});
