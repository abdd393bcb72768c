/**
 * Number of nodes of foreign flows imported and checked per CPU second. The peer is plain parsing of the same file with
 * source locations in the same run.
 */
import { loadDocument } from '../src/base/schema/load.ts';
import { importFiles } from '../src/language/importers/import-files.ts';
import { FORMATS, type Format, type SourceFile } from '../src/language/importers/imported.ts';
import { withoutRemarks } from '../src/language/importers/json-remarks.ts';
import { readXml } from '../src/language/importers/read-xml.ts';
import { verbs } from '../src/verbs/steps.ts';
import { CORPUS } from '../test/importers/corpus.ts';
import { FIELD } from '../test/importers/field.ts';
import { reportRounds } from './figure.ts';

const WARM_UP = 5;
const ROUNDS = 40;

/** CPU time, because other processes may run at the same time. */
function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Measures the import of documents against plain parsing, in alternate rounds. */
function measure(name: string, format: Format, documents: readonly (readonly SourceFile[])[]): void {
  const imported: number[] = [];
  const parsed: number[] = [];
  let nodes = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    nodes = 0;
    const importSeconds = cpuSeconds(() => {
      for (const sources of documents) {
        const result = importFiles(sources, { verbs });
        if (result.format !== format) throw new Error(JSON.stringify(result.diagnostics));
        nodes += result.nodes.length;
      }
    });
    const parseSeconds = cpuSeconds(() => {
      for (const [first] of documents) parse(format, first!);
    });
    if (round < WARM_UP) continue;
    imported.push(importSeconds);
    parsed.push(parseSeconds);
  }
  const nodesPerSecond = (seconds: number): number => nodes / seconds;
  const [ours, peers] = [imported, parsed].map((rounds) => rounds.map(nodesPerSecond));
  reportRounds(`import.${format}.${name}`, ours!, '1/s', peers!);
}

function parse(format: Format, { file, text }: SourceFile): void {
  const isXml = format === 'twiml' || format === 'voicexml';
  const read = isXml ? readXml({ file, text }) : loadDocument(withoutRemarks(text), file);
  if (!('root' in read || 'document' in read)) throw new Error(JSON.stringify(read.diagnostics));
}

for (const { format, sources } of CORPUS) measure('nodes_per_cpu_second', format, [sources]);
// Documents in the shapes of the public documentation, and generated ones.
for (const format of Object.keys(FORMATS) as Format[]) {
  const documents = FIELD.filter((each) => each.format === format).map(({ sources }) => sources);
  measure('field_nodes_per_cpu_second', format, documents);
}
