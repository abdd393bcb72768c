/**
 * Service for broadcasts in a separate process that can be killed. Its store, calls and broadcasts are the real ones,
 * created and started in the order of `src/app.ts`, but without HTTP and SIP, so that the process starts quickly. Its
 * phones are simulated and write each observation to a file at once, so that the file is complete whenever it dies.
 *
 * The process loads its modules in advance and opens its data on command, so that the next process is ready while the
 * current one still runs.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { systemClock as clock } from '../../src/base/core/clock.ts';
import { randomIds as ids, systemRandom } from '../../src/base/core/ids.ts';
import { createLog } from '../../src/base/core/log.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { SimulatedEngine } from '../../src/media/telephony/simulated/engine.ts';
import { silentAudio } from '../../src/proof/testkit/silent-audio.ts';
import type { Broadcasts } from '../../src/service/calls/broadcast/create-broadcasts.ts';
import { createBroadcasts } from '../../src/service/calls/broadcast/create-broadcasts.ts';
import { createCallRefusals } from '../../src/service/calls/call-refusals.ts';
import { createCapacity } from '../../src/service/calls/capacity.ts';
import { conferenceGateway } from '../../src/service/calls/conferences/conference-gateway.ts';
import { configuredRooms } from '../../src/service/calls/conferences/room-phones.ts';
import { createVenues } from '../../src/service/calls/conferences/venues.ts';
import { recoverCalls } from '../../src/service/calls/recovery/recover-calls.ts';
import { nodeEpoch } from '../../src/service/cluster/node-epoch.ts';
import { broadcastDeliveries } from '../../src/service/observers/webhooks/broadcast-events.ts';
import { createSupervisor } from '../../src/service/runtime/supervisor.ts';
import { startRetention } from '../../src/service/store/retention.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { stepsByVerb, verbs } from '../../src/verbs/steps.ts';
import { planOf, readSights, type Sight } from './phones.ts';

/** A person answers and stays until the phone hangs up. */
const TALK = 'flow: talk\nstart: wait\nsteps: { wait: { pause: 1m, next: bye }, bye: { hangup: normal } }\n';
const LIMITS = { callsPerSecond: 1000, maxConcurrent: 500 };

/** Requests of the parent, and their answers. */
export interface Question {
  id: number;
  ask: keyof Broadcasts;
  args: unknown[];
}
export type Answer = { id: number; answer: unknown } | { id: number; error: string };

const directory = process.argv[2]!;

async function live(): Promise<void> {
  const owner = nodeEpoch();
  const sights = join(directory, 'sights');
  const file = openSync(sights, 'a');
  const called = new Map<string, number>();
  for (const [phone, seen] of readSights(readFileSync(sights, 'utf8')).byPhone) {
    called.set(phone, seen.filter((sight) => sight === 'dialled').length);
  }
  const write = (sight: Sight, phone: string) => writeSync(file, `${sight} ${phone}\n`);
  const engine = new SimulatedEngine({
    clock,
    ids,
    audio: silentAudio(),
    callee: ({ to }) => planOf(to, called.get(to)! - 1),
    dialled(farEnd, { to }) {
      called.set(to, (called.get(to) ?? 0) + 1);
      write('dialled', to);
      farEnd.observe(({ type }) => {
        if (type === 'answered' || type === 'ended') write(type, to);
      });
    },
  });
  const log = createLog({ level: 'error', stream: process.stderr });
  const store = openSqliteStore({ file: join(directory, 'callweave.db'), clock });
  const places = createVenues({ clock, ids, rooms: configuredRooms([]) });
  const { flow } = compileFlow(TALK, 'talk.flow.yaml', verbs, {});
  const find = (name: unknown) => (name === 'talk' ? flow : undefined);
  const supervisor = createSupervisor({
    owner,
    clock,
    ids,
    engine,
    callStore: store.calls,
    flow: find,
    steps: stepsByVerb,
    http: async () => ({ ok: false, reason: 'network', message: 'there is no network' }),
    deliveriesOf: () => [],
    recordings: { open: ({ recordingId }) => ({ file: recordingId }), close: () => undefined },
    venues: places,
    mayPresent: () => true,
    mayStream: () => true,
    onCrash: (callId, error) => log.error('call.crashed', { callId, error }),
  });
  const parts = {
    clock,
    ids,
    random: systemRandom,
    log,
    engine,
    supervisor,
    callStore: store.calls,
    flows: { get: find, names: () => [], compile: () => ({ diagnostics: [] }) },
    numbers: {
      find: () => undefined,
      shared: () => [],
      belongsTo: () => true,
      of: () => [],
      outboundGreeting: () => undefined,
    },
    projects: { find: () => undefined },
    conferences: conferenceGateway(places.conference),
    queues: places.queue,
    rooms: places.room,
    recordings: undefined as never,
    refusals: createCallRefusals(),
    recordingUrl: (recordingId: string) => recordingId,
    mayStream: () => true,
    isRoutable: () => true,
    prompts: () => ({}),
    promptAudio: { refusal: () => undefined },
    env: () => ({}),
    secrets: () => ({}),
    schedules: () => ({}),
    capacity: createCapacity({
      ...{ clock, supervisor },
      limits: () => ({ calls: 100_000, inboundReservePercent: 0 }),
      projects: { find: () => undefined, list: () => [] },
    }),
    deliveriesOf: () => [],
  };
  const broadcasts = createBroadcasts({
    ...parts,
    store: store.broadcasts,
    limits: {
      ...LIMITS,
      projectCallsPerSecond: LIMITS.callsPerSecond,
      projectMaxConcurrent: LIMITS.maxConcurrent,
      projectBroadcasts: 100,
      numbers: 100_000,
    },
    eventsOf: (broadcast, what, counts) =>
      broadcastDeliveries(broadcast, what, counts, { nextId: () => ids.next('event'), nowMs: clock.now() }),
  });
  await broadcasts.recover();
  await recoverCalls({ ...parts, owner });
  const stopRetention = startRetention({ store, clock, log, directory, callDays: 1, recordingDays: 1 });
  await engine.start({ incoming: () => undefined, event: supervisor.legEvent });
  broadcasts.start();

  process.on('message', ({ id, ask, args }: Question) => {
    const reply = (answer: Answer) => process.send!(answer);
    void (async () => (broadcasts[ask] as (...all: unknown[]) => unknown)(...args))().then(
      (answer) => reply({ id, answer: answer ?? null }),
      (error: unknown) => reply({ id, error: String(error) }),
    );
  });
  process.once('SIGTERM', async () => {
    broadcasts.close();
    await supervisor.drain({ hangUp: true });
    stopRetention();
    await engine.stop();
    await store.close();
    closeSync(file);
    process.disconnect();
  });
  process.send!('alive');
}

process.once('message', () => void live());
// The compile cache is flushed now, because a killed process cannot flush it at its end.
flushCompileCache();
process.send!('loaded');
