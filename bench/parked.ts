/**
 * Memory of waiting calls: complete runs (mailbox, step program, journal numbering) parked in `wait_for`, compared with
 * a minimal xstate actor and with a bare object of a hand-written loop.
 */
import { createActor, createMachine } from 'xstate';
import { systemClock } from '../src/base/core/clock.ts';
import { randomIds } from '../src/base/core/ids.ts';
import { compileFlow } from '../src/language/flow/compile.ts';
import { CallRun } from '../src/service/runtime/call-run.ts';
import type { RuntimePorts } from '../src/service/runtime/ports.ts';
import { stepsByVerb, verbs } from '../src/verbs/steps.ts';
import { report } from './figure.ts';

const RUNS = 5_000;
const { flow, diagnostics } = compileFlow(
  'flow: parked\nstart: wait\nsteps:\n  wait: { wait_for: { events: [go] }, exits: { go: bye } }\n  bye: { hangup: normal }\n',
  'parked.flow.yaml',
  verbs,
);
if (!flow) throw new Error(JSON.stringify(diagnostics));

const collect = globalThis.gc;
if (!collect) throw new Error('start with node --expose-gc');

async function bytesEach(make: (index: number) => unknown): Promise<number> {
  collect!();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: RUNS }, (_, index) => make(index));
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  collect!();
  const each = (process.memoryUsage().heapUsed - before) / RUNS;
  return kept.length === RUNS ? each : Number.NaN;
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
const runs = await bytesEach((index) => {
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
const actors = await bytesEach(() => createActor(machine).start());
const objects = await bytesEach((index) => ({ callId: `call-${index}`, at: 'wait', vars: {} }));
report('parked', runs, 'bytes per parked run', actors);
report('parked.loop', runs, 'bytes per parked run', objects);
process.exit(0);
