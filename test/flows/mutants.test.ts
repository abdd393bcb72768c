/**
 * The tests of the flows that we show are what people copy: they notice nine of ten mistakes, but not other words of
 * prompts. Here a sample; all of them are tried by `npm run test:mutants`. The templates of the studio have no tests beside
 * them: their steps become part of another flow.
 */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callweave, ROOT } from '../cli/command.ts';

interface Flow {
  flow: string;
  killed: number;
  survived: number;
  survivors: { file: string; line: number; before: string; after: string }[];
}

test('detects nine of ten mistakes by the tests of published flows', async () => {
  const paths = [...globSync(`${ROOT}/flows/*.flow.yaml`), `${ROOT}/examples`];
  const ran = await callweave(['test', '--mutate', ...paths, '--limit', '4', '--except', 'text', '--json'], {
    cwd: ROOT,
  });
  const { flows } = ran.json() as { flows: Flow[] };
  expect(flows.length).toBeGreaterThanOrEqual(17);
  const [killed, survived] = [sum(flows.map((flow) => flow.killed)), sum(flows.map((flow) => flow.survived))];
  const survivors = flows.flatMap((flow) =>
    flow.survivors.map(({ file, line, before }) => `${file}:${line} ${before}`),
  );
  expect(killed / (killed + survived), survivors.join('\n')).toBeGreaterThanOrEqual(0.9);
}, 120_000);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
