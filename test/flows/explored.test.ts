/**
 * The published flows are copied by authors: no call that can be tried with them goes wrong. `npm test` tries 25 calls of
 * each flow; `npm run test:explore` tries as many as fit into eight seconds.
 */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { compileFiles, libraryAround, noFlows } from '../../src/cli/flow-files.ts';
import { BOUNDS } from '../../src/proof/explore/exploration.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { testedBodies } from '../../src/proof/explore/tested-bodies.ts';

const IS_WHOLE = process.env['EXPLORE'] === 'whole';
const FOLDERS = ['flows', 'examples', 'test/flow/correct'];

const SAMPLE = 25;
const WHOLE = { ...BOUNDS, wallMs: 8_000 };

test('finds no fault in the published flows, for any action of callers and external systems', async () => {
  const shown = compileFiles(FOLDERS).map(({ file, flow }) => {
    const library = libraryAround(file, [dirname(file)]);
    return { flow, flows: library.find.bind(library), tested: testedBodies(dirname(file)) };
  });
  const builtIn = noFlows();
  const own = builtIn
    .names()
    .map((name) => ({ flow: builtIn.get(name), flows: builtIn.find.bind(builtIn), tested: {} }));
  const found: string[] = [];
  let whole = 0;
  for (const { flow, ...options } of [...shown, ...own]) {
    // Some of `correct` belong to other flows, which only their own tests give them.
    if (flow === undefined) continue;
    const bounds = IS_WHOLE ? WHOLE : { runs: SAMPLE };
    const { findings, bounded } = await exploreFlow(flow, { ...options, bounds });
    found.push(...findings.map(({ step, message }) => `${flow.name}: ${step}: ${message}`));
    if (bounded.length === 0) whole++;
  }
  expect(found).toEqual([]);
  expect(whole).toBeGreaterThan(40);
}, 1_200_000);
