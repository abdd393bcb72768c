/** How much of each format is imported exactly: each construct of its table in docs/importing.md counts once. */
import { expect, it } from 'vitest';
import { importFiles } from '../../src/language/importers/import-files.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { CORPUS } from './corpus.ts';
import { countsOf, errorsOf } from './imported.ts';

it.each(CORPUS)(
  '$format is imported as exactly as the page says, and check finds nothing but what is to be written',
  ({ format, sources, counts: expected }) => {
    const result = importFiles(sources, { verbs });
    if (result.format === undefined) throw new Error(JSON.stringify(result.diagnostics));
    expect(result.format).toBe(format);
    expect(countsOf(result.nodes)).toEqual(expected);
    expect(errorsOf(result).filter((error) => !error.startsWith('todo: '))).toEqual([]);
    expect(result.compiled).toHaveLength(result.flows.length);
  },
);

it.each(CORPUS)('gives a reason for every node of $format that is not exact', ({ sources }) => {
  const result = importFiles(sources, { verbs });
  const nodes = 'nodes' in result ? result.nodes : [];
  expect(nodes.length).toBeGreaterThan(20);
  for (const { fidelity, notes } of nodes) if (fidelity !== 'exact') expect(notes).not.toEqual([]);
});
