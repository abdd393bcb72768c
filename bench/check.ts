/**
 * Duration of a check of a loaded flow of 130 steps, as for each key press in the studio. The peer is loading the same
 * text: both grow with the flow, so that the ratio is comparable between machines.
 */
import { loadDocument } from '../src/base/schema/load.ts';
import { compileLoaded } from '../src/language/flow/compile.ts';
import { verbs } from '../src/verbs/steps.ts';
import { CLINIC_FLOW, CLINIC_STEPS } from './clinic-flow.ts';
import { reportRounds } from './figure.ts';

const WARM_UP = 5;
const ROUNDS = 60;
const FILE = '/flows/bench.flow.yaml';

/** CPU time, because other processes may run at the same time. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const loaded: number[] = [];
const checked: number[] = [];
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  let document = loadDocument('', FILE);
  const loadMs = cpuMs(() => {
    document = loadDocument(CLINIC_FLOW, FILE);
  });
  const checkMs = cpuMs(() => {
    const { flow, diagnostics } = compileLoaded(document, FILE, verbs);
    if (flow?.steps.size !== CLINIC_STEPS || diagnostics.length > 0)
      throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
  });
  if (round < WARM_UP) continue;
  loaded.push(loadMs);
  checked.push(checkMs);
}
reportRounds('check.130_steps', checked, 'ms', loaded);
