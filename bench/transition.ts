/**
 * Routing decisions per CPU second: the route machine (pure xstate transitions) compared with a hand-written loop over
 * a map and with plain xstate actors that receive events.
 */
import { createActor, createMachine } from 'xstate';
import { compileFlow } from '../src/language/flow/compile.ts';
import { IDLE } from '../src/language/flow/compiled-flow.ts';
import { verbs } from '../src/verbs/steps.ts';
import { reportRounds } from './figure.ts';

const STEPS = 20;
const ROUNDS = 5;
const PER_ROUND = 20_000;

const name = (index: number): string => `step_${index % STEPS}`;
const text = [
  'flow: bench',
  'start: step_0',
  'steps:',
  ...Array.from({ length: STEPS }, (_, index) => `  ${name(index)}: { pause: 1s, next: ${name(index + 1)} }`),
].join('\n');
const { flow, diagnostics } = compileFlow(text, 'bench.flow.yaml', verbs);
if (!flow) throw new Error(JSON.stringify(diagnostics));

const table = new Map(Array.from({ length: STEPS }, (_, index) => [name(index), { done: name(index + 1) }]));
const plain = createMachine({
  initial: name(0),
  states: Object.fromEntries([...table].map(([step, on]) => [step, { on }])),
});

function perCpuSecond(decide: () => void): number {
  const before = process.cpuUsage();
  for (let count = 0; count < PER_ROUND; count++) decide();
  const used = process.cpuUsage(before);
  return PER_ROUND / ((used.user + used.system) / 1e6);
}

const rates = { ours: [] as number[], loop: [] as number[], actor: [] as number[] };
for (let round = 0; round <= ROUNDS; round++) {
  let at = flow.machine.next(IDLE, 'start') as string;
  let by: 'step' | string = name(0);
  const actor = createActor(plain).start();
  const measured = {
    ours: perCpuSecond(() => {
      at = flow.machine.next(at, 'done') as string;
    }),
    loop: perCpuSecond(() => {
      by = table.get(by)!.done;
    }),
    actor: perCpuSecond(() => actor.send({ type: 'done' })),
  };
  // The first round is a warm-up.
  if (round > 0) for (const key of ['ours', 'loop', 'actor'] as const) rates[key].push(measured[key]);
}
reportRounds('transition', rates.ours, 'decisions per CPU-s', rates.actor);
reportRounds('transition.loop', rates.ours, 'decisions per CPU-s', rates.loop);
