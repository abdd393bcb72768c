/** The readers find the prose of each kind of file, with its line, and nothing else. */
import { describe, expect, it } from 'vitest';
import { textsOf } from './texts.ts';

const found = (file: string, content: string): string[] =>
  textsOf(file, content).map(({ kind, line, text }) => `${line} ${kind}: ${text}`);

describe('texts of a file', () => {
  it('reads comments of a source, and joins lines that follow each other', () => {
    const source = [
      '/** Registry of calls. */',
      'const a = 1; // In ms.',
      '// The first line',
      '// continues here.',
      '// biome-ignore lint: a directive',
      '/*',
      ' * A block',
      ' */',
    ].join('\n');
    expect(found('src/a.ts', source)).toEqual([
      '1 comment: Registry of calls.',
      '2 comment: In ms.',
      '3 comment: The first line\ncontinues here.',
      '6 comment: A block',
    ]);
  });

  it('sees no comments in texts, templates and regular expressions', () => {
    const source =
      "const a = 'http://a.example'; const b = `//${c ? `// ${d}` : '}'}`; const e = /[/]\\/\\/ '/; // Real.";
    expect(found('src/a.ts', source)).toEqual(['1 comment: Real.']);
  });

  it('divides where a regular expression cannot stand', () => {
    expect(found('src/a.ts', "const half = all / 2; // It's half.\nconst third = all / 3;")).toEqual([
      "1 comment: It's half.",
    ]);
  });

  it('reads messages of sources, with values as one word', () => {
    const source =
      "fail(`step ${name} has no exit`); const id = 'call-id'; db.run('SELECT a from b where c'); say('it\\'s the end');";
    expect(found('src/a.ts', source)).toEqual(['1 message: step $x has no exit', "1 message: it's the end"]);
  });

  it('reads labels and markup of pages in browsers as texts of the interface', () => {
    const source = '<Button title="Save"\n  run={() => a > b}>Save\n  draft</Button>;\nconst s = "Hang up the call";';
    expect(found('src/pages/studio/web/a.tsx', source).sort()).toEqual([
      '1 ui: Save',
      '2 ui: Save draft',
      '4 ui: Hang up the call',
    ]);
  });

  it('reads titles of tests and groups, and no other texts of tests', () => {
    const source = [
      "describe('calls', () => {",
      "  it('ends with 404', () => say('a text of a test'));",
      "  it.each([1, 2])('counts %i', () => {});",
      '  test.skipIf(missing.includes(program))(`${program} rings`, () => {});',
      '});',
    ].join('\n');
    expect(found('test/a.test.ts', source)).toEqual([
      '1 describe: calls',
      '2 test: ends with 404',
      '3 test: counts %i',
      '4 test: $x rings',
    ]);
  });

  it('reads the title of a test after a long table', () => {
    const source = `it.each([\n${"  ['a case of the table', 1],\n".repeat(40)}])('counts %s', async (_what, count) => {});`;
    expect(found('test/a.test.ts', source)).toEqual(['42 test: counts %s']);
  });

  it('reads paragraphs, items and cells of Markdown, and skips code', () => {
    const page =
      '# Calls\nOne line\nand the next.\n\n* an item\n```\nwho knows\n```\n| key | when it is sent |\n|---|---|\n';
    expect(found('docs/a.md', page)).toEqual([
      '1 doc: Calls',
      '2 doc: One line and the next.',
      '5 doc: an item',
      '9 doc: when it is sent',
    ]);
  });

  it('reads descriptions of schemas, and no other values', () => {
    const schema =
      '{\n  "description": "The \\"main\\" leg",\n  "otherwise": "the first one",\n  "const": "not a text"\n}';
    expect(found('schemas/a.schema.json', schema)).toEqual(['2 schema: The "main" leg', '3 schema: the first one']);
  });
});
