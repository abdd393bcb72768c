import { describe, expect, it } from 'vitest';
import { loadDocument } from '../../src/base/schema/load.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const load = (text: string) => loadDocument(text, 'x.yaml');
const refused = (text: string) =>
  load(text).diagnostics.map(({ line, column, code, hint }) => `${line}:${column} ${code}${hint ? ` | ${hint}` : ''}`);

describe('places', () => {
  const { document } = load(`flow: a
steps:
  hello:
    play: "Hi ${'$'}{ vars.name }"
    exits: { done: bye, error: "x" }
  long: |
    text
`);
  it.each([
    ['/flow', 1, 7],
    ['/steps/hello/play', 4, 11],
    ['/steps/hello/exits/error', 5, 32],
    ['/steps/hello/exits/nothing/here', 5, 12],
  ])('%s is at %i:%i', (pointer, line, column) => {
    expect(document!.locationOf(pointer)).toEqual({ file: 'x.yaml', line, column });
  });

  it('finds keys, and characters of a text', () => {
    expect(document!.keyLocationOf('/steps/hello')).toMatchObject({ line: 3, column: 3 });
    expect(document!.locationOf('/steps/hello/play', 6)).toMatchObject({ line: 4, column: 18 });
    expect(document!.locationOf('/steps/long', 2)).toMatchObject({ line: 6 });
  });

  it('reads JSON, indented with tabs as well', () => {
    const json = load('{\n\t"flow": "a",\n\t"n": [1, true, null, "on"]\n}');
    expect(json.document!.value).toEqual({ flow: 'a', n: [1, true, null, 'on'] });
    expect(json.document!.locationOf('/n/3')).toMatchObject({ line: 3, column: 23 });
  });
});

describe('texts that different readers read differently, or that are not flows', () => {
  it.each<[string, string, string]>([
    ['unquoted on', 'a: on', '1:4 yaml-word | write "on" in quotes, or true / false'],
    ['unquoted NO', 'a: [x, NO]', '1:8 yaml-word | write "NO" in quotes, or true / false'],
    ['unquoted yes as a key', 'yes: 1', '1:1 yaml-word | write "yes" in quotes'],
    ['octal or digits', 'pin: 08', '1:6 yaml-number | write "08" in quotes'],
    ['sexagesimal', 'from: 17:00', '1:7 yaml-number | write "17:00" in quotes'],
    ['hexadecimal', 'a: 0x1F', '1:4 yaml-number | write "0x1F" in quotes'],
    ['an account number', 'a: 12345678901234567890', '1:4 yaml-number | write "12345678901234567890" in quotes'],
    ['not a number', 'a: .nan', '1:4 yaml-number | write ".nan" in quotes'],
    ['an alias of nothing', 'dtmf: *1', '1:7 yaml-alias | write "*1" in quotes'],
    ['a lone star', 'dtmf: *', '1:7 yaml-alias | write "*" in quotes'],
    [
      'a comment for a value',
      'a:\n  terminator: #\n  b: 1',
      '2:15 yaml-comment | quote the value if the # belongs to it ("#"), or write {} or null before the comment',
    ],
    [
      'a comment that swallows a bracket',
      'd: { min: 1, terminator: # }\nb: 2',
      '1:26 yaml-comment | write "#" in quotes',
    ],
    ['a duplicate key', 'a: 1\nb: 2\na: 3', '3:1 duplicate-key | it is already at line 1'],
    ['a tag of YAML', 'a: !!binary aGk=', '1:13 yaml-tag | remove it'],
    ['a tag of another program', 'a: !js 1', '1:4 yaml-tag | quote the value'],
    ['two documents', 'a: 1\n---\nb: 2', '2:1 yaml-documents | one flow per file: remove the `---`'],
    ['a tab', 'a:\n\tb: 1', '2:1 yaml-syntax | indent with spaces'],
    [
      'a text with a colon',
      'say: well: hello',
      '1:6 yaml-syntax | check the indentation, or quote a text that holds ": "',
    ],
    [
      'an unquoted expression in a map',
      'a: { b: ${ vars.x } }',
      '1:10 yaml-syntax | put the whole value that holds ${ … } in quotes, and use single quotes inside: "${ vars.x = \'a\' }"',
    ],
    ['an open quote', 'a: "x', '1:6 yaml-syntax | a bracket or a quote is not closed, or a comma is missing'],
    ['a key that is a list', '? [a]\n: 1', '1:3 yaml-key'],
    ['a key that would become a prototype', '__proto__: 1', '1:1 yaml-key'],
    ['nothing', '', '1:1 empty'],
    ['only a comment', '# nothing', '1:1 empty'],
  ])('rejects the text: %s', (_name, text, expected) => {
    expect(refused(text)).toEqual([expected]);
  });

  it('takes the same words in quotes', () => {
    expect(load('{a: "on", b: "08", c: "*1", d: "#", e: "17:00"}').document!.value).toEqual({
      a: 'on',
      b: '08',
      c: '*1',
      d: '#',
      e: '17:00',
    });
  });

  it('does not mistake a remark after a key for its value', () => {
    expect(load('steps: # all of them\n  a: 1').document!.value).toEqual({ steps: { a: 1 } });
  });
});

describe('bounds', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 10; level += 1) {
    bomb.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    );
  }

  it.each<[string, string]>([
    ['a bomb of aliases', bomb.join('\n')],
    ['an alias of itself', 'a: &a [*a]'],
    ['more than a megabyte', `a: ${'x'.repeat(1_000_001)}`],
    ['brackets without end', '['.repeat(100_000)],
    ['dashes without end', `${'- '.repeat(10_000)}x`],
    ['levels without end', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['values without end', `a: [${'1,'.repeat(200_000)}1]`],
  ])('%s is refused quickly', (_name, text) => {
    const started = cpuTimeMs();
    expect(load(text).diagnostics.map(({ code }) => code)).toEqual(['too-big']);
    expect(cpuTimeMs() - started).toBeLessThan(5000);
  });

  it('follows an honest alias', () => {
    expect(load('a: &x { b: 1 }\nc: *x').document!.value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  });

  it('reads many keys in reasonable time', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    const started = cpuTimeMs();
    expect(load(text).diagnostics).toEqual([]);
    expect(cpuTimeMs() - started).toBeLessThan(5000);
  });
});

// Fixture 22.
describe('merge keys of YAML 1.1', () => {
  it.each([
    ['a: &x { p: 1, q: 2 }\nb: { <<: *x, q: 3 }', { a: { p: 1, q: 2 }, b: { p: 1, q: 3 } }],
    ['a: &x { p: 1, q: 2 }\nb: { q: 3, <<: *x }', { a: { p: 1, q: 2 }, b: { p: 1, q: 3 } }],
    [
      'a: &x { p: 1 }\nb: &y { p: 2, q: 2 }\nc:\n  <<: [*x, *y]\n  r: 3',
      { a: { p: 1 }, b: { p: 2, q: 2 }, c: { p: 1, q: 2, r: 3 } },
    ],
    ['a: &x { p: 1 }\nb: &y { <<: *x, q: 2 }\nc: { <<: *y }', { a: { p: 1 }, b: { p: 1, q: 2 }, c: { p: 1, q: 2 } }],
    ['a: { "<<": 1 }', { a: { '<<': 1 } }],
  ])('reads %s as %j', (text, expected) => {
    expect(load(text)).toMatchObject({ diagnostics: [], document: { value: expected } });
  });

  it('keeps the positions of the keys that a map has itself', () => {
    const { document } = load('a: &x { p: 1, q: 2 }\nb: { <<: *x, q: 3 }');
    expect(document!.locationOf('/b')).toMatchObject({ line: 2, column: 4 });
    expect(document!.locationOf('/b/q')).toMatchObject({ line: 2, column: 17 });
    expect(document!.locationOf('/b/p')).toMatchObject({ line: 1, column: 12 });
  });

  it('are refused for anything but a merge of maps', () => {
    expect(refused('a: &x 1\nb: { <<: *x }')).toEqual(['2:10 yaml-alias | write "<<" in quotes']);
  });
});

describe('files that are not UTF-8', () => {
  const text = 'flow: a\nstart: b\n';
  it.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 with a mark, the other way', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
  ])('in %s: are refused with that reason', (_name, bytes) => {
    expect(refused(bytes.toString('utf8'))).toEqual(['1:1 wrong-encoding | save it again as UTF-8']);
  });
});
