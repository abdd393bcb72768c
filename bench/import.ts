/**
 * Number of nodes of foreign flows imported and checked per CPU second. The peer is plain parsing of the same file with
 * source locations in the same run.
 */
import { loadDocument } from '../src/base/schema/load.ts';
import { importFiles } from '../src/language/importers/import-files.ts';
import { readXml } from '../src/language/importers/read-xml.ts';
import { verbs } from '../src/verbs/steps.ts';
import { CORPUS } from '../test/importers/corpus.ts';
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

for (const { format, file, text, sources } of CORPUS) {
  const imported: number[] = [];
  const parsed: number[] = [];
  let nodes = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const importSeconds = cpuSeconds(() => {
      const result = importFiles(sources, { verbs });
      if (result.format !== format) throw new Error(JSON.stringify(result.diagnostics));
      nodes = result.nodes.length;
    });
    const parseSeconds = cpuSeconds(() => {
      const read = format === 'twiml' || format === 'voicexml' ? readXml({ file, text }) : loadDocument(text, file);
      if (!('root' in read || 'document' in read)) throw new Error(JSON.stringify(read.diagnostics));
    });
    if (round < WARM_UP) continue;
    imported.push(importSeconds);
    parsed.push(parseSeconds);
  }
  const nodesPerSecond = (seconds: number): number => nodes / seconds;
  const [ours, peers] = [imported, parsed].map((rounds) => rounds.map(nodesPerSecond));
  reportRounds(`import.${format}.nodes_per_cpu_second`, ours!, '1/s', peers!);
}
