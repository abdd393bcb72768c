/**
 * What a check of a flow of 130 steps takes after it was loaded, as at each key press in the studio. Its peer is the loading
 * of the same text: both grow with the flow, so that their ratio says the same on every machine.
 */
import { compileLoaded } from '../src/flow/compile.ts';
import { loadDocument } from '../src/schema/load.ts';
import { verbs } from '../src/steps/index.ts';
import { CLINIC_FLOW, CLINIC_STEPS } from './clinic-flow.ts';
import { median, report } from './figure.ts';

const WARM_UP = 5;
const ROUNDS = 30;
const FILE = '/flows/bench.flow.yaml';

/** Processor time: others may be busy beside us. */
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
report('check.130_steps', median(checked), 'ms', median(loaded));
