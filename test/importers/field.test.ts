/**
 * Share of the nodes that are imported exactly or nearly, for documents of other shapes than those of the importers'
 * tests. docs/importing.md has the figures.
 */
import { describe, expect, it } from 'vitest';
import { importFiles } from '../../src/language/importers/import-files.ts';
import { FORMATS, type Format, type ImportedNode } from '../../src/language/importers/imported.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { FIELD } from './field.ts';
import { countsOf, errorsOf } from './imported.ts';

/** Nodes of each format in the documents of `field.ts`. */
const COUNTS: Readonly<Record<Format, { exact: number; workaround: number; todo: number }>> = {
  twiml: { exact: 258, workaround: 49, todo: 2 },
  'twilio-studio': { exact: 117, workaround: 24, todo: 11 },
  'amazon-connect': { exact: 149, workaround: 15, todo: 0 },
  ncco: { exact: 117, workaround: 59, todo: 1 },
  jambonz: { exact: 194, workaround: 71, todo: 0 },
  swml: { exact: 322, workaround: 70, todo: 0 },
  voicexml: { exact: 744, workaround: 20, todo: 19 },
};

describe.each(Object.keys(FORMATS) as Format[])('documents of %s in other shapes', (format) => {
  it('converts nine of ten nodes exactly or nearly, with a reason for each that is not exact', () => {
    const nodes: ImportedNode[] = [];
    for (const { name, sources, format: own } of FIELD) {
      if (own !== format) continue;
      const result = importFiles(sources, { verbs });
      if (result.format === undefined) throw new Error(`${name}: ${JSON.stringify(result.diagnostics)}`);
      expect(result.format, name).toBe(format);
      expect(
        errorsOf(result).filter((error) => !error.startsWith('todo: ')),
        name,
      ).toEqual([]);
      nodes.push(...result.nodes);
    }
    const { exact, workaround, todo } = countsOf(nodes);
    for (const { fidelity, notes } of nodes) if (fidelity !== 'exact') expect(notes).not.toEqual([]);
    expect({ exact, workaround, todo }).toEqual(COUNTS[format]);
    expect((exact + workaround) / (exact + workaround + todo)).toBeGreaterThan(0.9);
  });
});
