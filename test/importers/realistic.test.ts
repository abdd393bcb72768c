/** Share of exact nodes in realistic flows, in the style of the public documentation: at least six of each format. */
import { describe, expect, it } from 'vitest';
import { hasErrors } from '../../src/base/core/diagnostic.ts';
import { type CheckedImport, importFiles } from '../../src/language/importers/import-files.ts';
import type { Format } from '../../src/language/importers/imported.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { countsOf, errorsOf } from './imported.ts';
import * as connect from './realistic/amazon-connect.ts';
import * as jambonz from './realistic/jambonz.ts';
import * as ncco from './realistic/ncco.ts';
import type { RealisticFlows } from './realistic/realistic-flows.ts';
import * as swml from './realistic/swml.ts';
import * as studio from './realistic/twilio-studio.ts';
import * as twiml from './realistic/twiml.ts';
import * as voicexml from './realistic/voicexml.ts';

const FORMATS: readonly [Format, RealisticFlows][] = [
  ['twiml', twiml],
  ['twilio-studio', studio],
  ['amazon-connect', connect],
  ['ncco', ncco],
  ['jambonz', jambonz],
  ['swml', swml],
  ['voicexml', voicexml],
];

function importOf(format: Format, files: Readonly<Record<string, string>>): CheckedImport {
  const sources = Object.entries(files).map(([file, text]) => ({ file, text }));
  const result = importFiles(sources, { verbs });
  if (result.format === undefined) throw new Error(JSON.stringify(result.diagnostics));
  expect(result.format).toBe(format);
  expect(hasErrors(result.diagnostics)).toBe(false);
  return result;
}

describe.each(FORMATS)('flows of %s as people write them', (format, { flows, counts }) => {
  it('are imported as exactly as the page says', () => {
    const nodes = Object.values(flows).flatMap((files) => importOf(format, files).nodes);
    const notExact = nodes.filter(({ fidelity }) => fidelity === 'workaround' || fidelity === 'todo');
    expect(countsOf(nodes), JSON.stringify(notExact, null, 1)).toEqual(counts);
    for (const { notes } of notExact) expect(notes).not.toEqual([]);
  });

  it.each(Object.entries(flows))('has no finding in %s except for todo steps', (_name, files) => {
    const result = importOf(format, files);
    expect(errorsOf(result).filter((error) => !error.startsWith('todo: '))).toEqual([]);
    expect(result.compiled).toHaveLength(result.flows.length);
  });
});
