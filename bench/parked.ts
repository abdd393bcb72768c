/**
 * Memory of waiting calls: complete runs parked in `wait_for`, compared with a minimal xstate actor and with a bare
 * object of a hand-written loop; then the time in which an event wakes one of them. The argument is the count
 * of runs.
 */
import { createActor, createMachine } from 'xstate';
import { systemClock } from '../src/base/core/clock.ts';
import { randomIds } from '../src/base/core/ids.ts';
import { compileFlow } from '../src/language/flow/compile.ts';
import { CallRun } from '../src/service/runtime/call-run.ts';
import type { RuntimePorts } from '../src/service/runtime/ports.ts';
import { stepsByVerb, verbs } from '../src/verbs/steps.ts';
import { report } from './figure.ts';

const RUNS = Number(process.argv[2] ?? 5_000);
/** Events whose time is measured, each to another run. */
const WAKES = Math.min(RUNS, 5_000);
/** Peers are small enough to be measured with fewer. */
const PEERS = 5_000;
const BYTES_PER_GB = 1e9;
const { flow, diagnostics } = compileFlow(
  'flow: parked\nstart: wait\nsteps:\n  wait: { wait_for: { events: [go] }, exits: { go: bye } }\n  bye: { hangup: normal }\n',
  'parked.flow.yaml',
  verbs,
);
if (!flow) throw new Error(JSON.stringify(diagnostics));

const collect = globalThis.gc;
if (!collect) throw new Error('start with node --expose-gc');

async function bytesEach<Made>(count: number, make: (index: number) => Made): Promise<{ bytes: number; kept: Made[] }> {
  collect!();
  const before = process.memoryUsage().heapUsed;
  const kept: Made[] = [];
  for (let index = 0; index < count; index++) {
    kept.push(make(index));
    // Runs that were started wait before the next ones begin, as calls arrive.
    if (index % 1_000 === 0) await turn();
  }
  for (let turns = 0; turns < 10; turns++) await turn();
  collect!();
  return { bytes: (process.memoryUsage().heapUsed - before) / count, kept };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const nowhere = { enter: () => {}, tell: () => {}, exit: () => {} };
/** Ports shared by all runs, as in the service. */
const ports: RuntimePorts = {
  owner: 'life-1',
  clock: systemClock,
  ids: randomIds,
  engine: { dial: () => {}, send: () => {} },
  callStore: { commit: async () => {} },
  flow: () => undefined,
  steps: stepsByVerb,
  http: async () => ({ ok: false, reason: 'refused', message: 'no network in this benchmark' }),
  deliveriesOf: () => [],
  recordings: { open: () => ({ file: '' }), close: () => {} },
  venues: { conference: nowhere, queue: nowhere, room: nowhere },
  mayPresent: () => true,
  mayStream: () => false,
  onCrash: (_callId, error) => {
    throw error;
  },
};
const runs = await bytesEach(RUNS, (index) => {
  const spec = {
    callId: `call-${index}`,
    projectId: 'bench',
    direction: 'inbound' as const,
    from: '+33600000000',
    to: '1000',
    legId: `leg-${index}`,
    flow,
    input: {},
    seed: index,
    env: {},
    secrets: {},
    schedules: {},
  };
  const run = new CallRun(spec, ports);
  void run.start();
  return run;
});
const machine = createMachine({ initial: 'wait', states: { wait: { on: { go: 'bye' } }, bye: {} } });
const actors = await bytesEach(PEERS, () => createActor(machine).start());
const objects = await bytesEach(PEERS, (index) => ({ callId: `call-${index}`, at: 'wait', vars: {} }));
report('parked', runs.bytes, 'bytes per parked run', actors.bytes);
report('parked.loop', runs.bytes, 'bytes per parked run', objects.bytes);
report('parked.resident', process.memoryUsage.rss() / BYTES_PER_GB, `GB with ${RUNS} parked runs`);

/** Milliseconds from the event to the decision that it caused, in which the run leaves its step. */
const wakes: number[] = [];
for (let index = 0; index < WAKES; index++) {
  const run = runs.kept[Math.floor((index * RUNS) / WAKES)]!;
  const sentMs = performance.now();
  const reply = await run.command({ type: 'event', name: 'go', data: null });
  wakes.push(performance.now() - sentMs);
  if (!reply.ok || run.view().step === 'wait') throw new Error('the event did not wake the run');
  if (index % 100 === 0) await turn();
}
wakes.sort((one, other) => one - other);
report('parked.wake', wakes[Math.floor(WAKES * 0.99)]!, 'ms to wake a run, 99th percentile', 50);
process.exit(0);
