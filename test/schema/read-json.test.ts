/** JSON has the values and positions of the YAML parser; ambiguous texts are left to that parser. */
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/base/schema/document.ts';
import { loadDocument } from '../../src/base/schema/load.ts';
import { readJson } from '../../src/base/schema/read-json.ts';

/** A comment is for the parser of YAML alone. */
const asYaml = (text: string) => loadDocument(`# YAML\n${text}`, 'x').document!;

describe('JSON', () => {
  it.each([
    '{"a": [1, -2.5, 1e3, true, null, "x\\u0041\\n\\/"],\n "b": {"c": {}, "d": []}}',
    '  {"k" : "\\ud83d\\ude00 💥 \\"quoted\\""}\r\n',
    '{"flow":"a","a/b~c":[[],{"z":"~/ on # no"}]}',
    '[]',
  ])('has the values and the places that the parser of YAML gives it: %s', (text) => {
    expect(readJson(text)).toBeDefined();
    const [document, yaml] = [loadDocument(text, 'x').document!, asYaml(text)];
    expect(document.value).toEqual(yaml.value);
    for (const [pointer] of walk(document.value)) {
      for (const find of ['locationOf', 'keyLocationOf'] as const) {
        const { line, ...place } = document[find](pointer);
        expect({ ...place, line: line + 1 }).toEqual(yaml[find](pointer));
      }
    }
  });

  it.each([
    ['a key that stands twice', '{"a": 1, "a": 2}'],
    ['the prototype of things as a key', '{"__proto__": 1}'],
    ['an account number', '{"a": 12345678901234567890}'],
    ['a number with a leading zero', '{"a": 017}'],
    ['a comma too many', '{"a": [1,]}'],
    ['a comma too few', '{"a": [1 2]}'],
    ['a word', '{"a": yes}'],
    ['something behind it', '{"a": 1} b'],
    ['a text with a line break', '{"a": "b\nc"}'],
    ['a comment', '{"a": 1 # one\n}'],
    ['an end that is missing', '{"a": ["b'],
    ['many levels', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['many values', `[${'1,'.repeat(60_000)}1]`],
  ])('leaves a text with %s to the parser of YAML', (_, text) => {
    expect(readJson(text)).toBeUndefined();
  });

  it('allows any number of brackets in its texts', () => {
    const text = JSON.stringify(Array.from({ length: 2000 }, () => '${ {{'));
    expect(loadDocument(text, 'x').document?.value).toHaveLength(2000);
  });
});
