/** Results of importers in the form that tests compare. */
import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { loadDocument } from '../../src/base/schema/load.ts';
import { type CheckedImport, importFiles } from '../../src/language/importers/import-files.ts';
import type { Fidelity, Format, ImportedNode, ImportOptions } from '../../src/language/importers/imported.ts';
import { verbs } from '../../src/verbs/steps.ts';
import type { Counts } from './corpus/counts.ts';

export function imported(
  texts: string | Readonly<Record<string, string>>,
  options: ImportOptions = {},
  format?: Format,
): CheckedImport & { steps: Readonly<Record<string, JsonObject>> } {
  const files = typeof texts === 'string' ? { 'source.xml': texts } : texts;
  const sources = Object.entries(files).map(([file, text]) => ({ file, text }));
  const result = importFiles(sources, { ...options, verbs }, format);
  if (result.format === undefined) throw new Error(JSON.stringify(result.diagnostics));
  expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { ...result, steps: stepsOf(result.flows[0]!.text) };
}

export function stepsOf(text: string): Readonly<Record<string, JsonObject>> {
  const { document, diagnostics } = loadDocument(text, 'imported.flow.yaml');
  expect(diagnostics).toEqual([]);
  return (document!.value as JsonObject)['steps'] as Record<string, JsonObject>;
}

/** Errors of the source by code and position. */
export function refused(text: string, format?: Format, file = 'source'): string[] {
  const { diagnostics } = importFiles([{ file, text }], { verbs }, format);
  return diagnostics.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

/** Errors of `check`; those of `todo` steps by the text of the step. */
export const errorsOf = ({ findings }: CheckedImport): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);

/** Expects a complete import except for this part, which its node and `check` report. */
export function expectTodo(result: CheckedImport, what: string): void {
  expect(result.nodes.some(({ fidelity, notes }) => fidelity === 'todo' && notes.join().includes(what))).toBe(true);
  expect(errorsOf(result)).toEqual([expect.stringContaining(`todo: this step is still to be written: ${what}`)]);
}

export function countsOf(nodes: readonly ImportedNode[]): Counts {
  const count = (of: Fidelity) => nodes.filter(({ fidelity }) => fidelity === of).length;
  return { exact: count('exact'), workaround: count('workaround'), todo: count('todo') };
}
