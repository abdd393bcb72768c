/** Gallery of templates for new flows, and the report of an import. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  countsOf,
  differing,
  type ImportReport,
  type ReportedNode,
  refusalOfFiles,
  whyNothing,
} from '../../../src/pages/studio/web/flows/import-report.ts';
import { freeName, matching, templatesOf } from '../../../src/pages/studio/web/flows/templates.ts';
import { readExamples } from '../../../src/service/calls/flow-files/examples.ts';

const examples = await readExamples(join(import.meta.dirname, '../../../examples'));

describe('gallery of templates', () => {
  const templates = templatesOf(examples, [{ name: 'bakery' }]);

  it('describes each example in one sentence, under a title that is not the name of a file', () => {
    expect(templates.length).toBe(examples.length + 1);
    for (const { title, sentence } of templates) {
      expect(sentence).toMatch(/^[A-Z].{8,140}[.!?]$/s);
      if (title !== 'bakery') expect(title).toMatch(/^[A-Z][^_.]*$/);
    }
  });

  it.each([
    ['voicemail', 'Voicemail'],
    ['queue', 'Waiting line'],
    ['ivr', 'Menu'],
    ['credit card', 'Payment'],
    ['conference', 'Conference'],
    ['pin', 'Ask for digits'],
    ['bakery', 'bakery'],
  ])('finds by %j first %j', (words, title) => {
    expect(matching(templates, words)[0]?.title).toBe(title);
  });

  it('finds nothing by words that are in no template', () => {
    expect(matching(templates, 'spaceship')).toEqual([]);
  });

  it('suggests a name that is free', () => {
    expect([freeName('menu', []), freeName('menu', ['menu', 'menu-2'])]).toEqual(['menu', 'menu-3']);
  });
});

describe('import of files', () => {
  const node = (fidelity: ReportedNode['fidelity'], name: string): ReportedNode => ({
    ...{ kind: 'say', name, file: 'a.json', line: 1, fidelity, steps: [], notes: [] },
  });
  const report: ImportReport = { flows: [], nodes: [], diagnostics: [], findings: [] };

  it.each([
    [[], 'There is no file.'],
    [[{ name: 'big.json', size: 2_000_001 }], 'big.json is larger than 2 MB.'],
    [Array.from({ length: 21 }, () => ({ name: 'a', size: 1 })), 'At most 20 files at once; these are 21.'],
    [Array.from({ length: 3 }, () => ({ name: 'a', size: 1_500_000 })), 'The files are larger than 3 MB.'],
    [[{ name: 'a', size: 10 }], undefined],
  ])('limits the number and the size of files: case %#', (files, refusal) => {
    expect(refusalOfFiles(files)).toBe(refusal);
  });

  it('counts nodes by fidelity, and lists what is to do before what is nearly the same', () => {
    const nodes = [node('exact', 'a'), node('workaround', 'b'), node('todo', 'c'), node('none', 'd')];
    expect(countsOf(nodes).map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(differing(nodes).map(({ name }) => name)).toEqual(['c', 'b']);
  });

  it('says in a sentence why a file is not imported', () => {
    const problem = { severity: 'error', file: 'a.json', line: 3, message: 'the state b is missing' } as const;
    expect(whyNothing({ ...report, diagnostics: [{ ...problem, code: 'unknown-format' }] })).toBe(
      'a.json is not a format that can be imported.',
    );
    expect(whyNothing({ ...report, diagnostics: [{ ...problem, code: 'bad-reference' }] })).toBe(
      'a.json, line 3: the state b is missing.',
    );
  });
});
