/**
 * Cost of delivering events: deliveries per second of this process's CPU time, from the commit to the outbox (SQLite,
 * in a file) over HTTP to a receiver in another process, until they are removed from the outbox. Measured for a
 * continuous stream and for a backlog. The peer is a bare loop of the same HTTP client that posts the same bodies to
 * the same receiver with the same concurrency. Also measures the memory of events that wait for an unavailable
 * receiver.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { systemClock } from '../src/base/core/clock.ts';
import type { Delivery } from '../src/base/core/delivery.ts';
import { randomIds, systemRandom } from '../src/base/core/ids.ts';
import type { JsonObject } from '../src/base/core/json.ts';
import { silentLog } from '../src/base/core/silent-log.ts';
import { WebhookDispatcher } from '../src/service/observers/webhooks/dispatcher.ts';
import { httpSender } from '../src/service/observers/webhooks/http-sender.ts';
import type { Outbox } from '../src/service/observers/webhooks/outbox.ts';
import { DeliveryListeners } from '../src/service/store/delivery-listeners.ts';
import { openDatabase } from '../src/service/store/sqlite/database.ts';
import { GroupCommit } from '../src/service/store/sqlite/group-commit.ts';
import { createDeliveryWriter, sqliteOutbox } from '../src/service/store/sqlite/outbox.ts';
import { WriteHealth } from '../src/service/store/write-health.ts';
import { deliveryOf } from '../test/contracts/store/call-fixtures.ts';
import { report, reportRounds } from './figure.ts';

const CALLS = 4000;
const EVENTS_PER_CALL = 5;
const EVENTS = CALLS * EVENTS_PER_CALL;
const AT_ONCE = 32;
/** Maximum number of committed but undelivered events in the continuous case. */
const MAX_ON_THE_WAY = 128;
const WAITING_CALLS = 25_000;
const WAITING_EVENTS_PER_CALL = 4;
const ROUNDS = 3;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const folder = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
let files = 0;

/** The outbox of the store without call journals: the cost of the rest of a decision is another figure. */
interface Store {
  outbox: Outbox;
  commit(delivery: Delivery): Promise<void>;
  close(): void;
}

function newStore(): Store {
  const database = openDatabase({ file: join(folder, `${++files}.db`), nowMs: () => Date.now() });
  const group = new GroupCommit({ database, clock: systemClock, health: new WriteHealth(systemClock) });
  const listeners = new DeliveryListeners();
  const enqueue = createDeliveryWriter(database, listeners);
  return {
    outbox: sqliteOutbox({ database, group, listeners, deliveryWriter: enqueue }),
    commit: (delivery) => group.write(delivery.orderKey, enqueue(delivery), () => listeners.emitCommitted([delivery])),
    close() {
      group.close();
      database.close();
    },
  };
}

async function startReceiver(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'peers/webhook-receiver.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout!, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${Number(String(port))}`, child };
}

/** Payload of a call event, the most frequent kind. */
const payloadOf = (callId: string, seq: number): JsonObject => ({
  voice_id: callId,
  state: seq === EVENTS_PER_CALL ? 'disconnected' : 'connected',
  from: '+33199001122',
  to: '+33612345678',
  owner_ref: 'order 4711',
  app_instance: 'b7f0c7de-52a5-4e6b-8d0f-1f9f3a6f0c55',
  broadcast_id: 'b7f0c7de-52a5-4e6b-8d0f-1f9f3a6f0c55',
  appInstance: 'b7f0c7de-52a5-4e6b-8d0f-1f9f3a6f0c55',
  timestamp: new Date().toISOString(),
});

/** Events grouped by call. Created before the measurement, as are the bodies of the peer. */
const eventsOf = (url: string, calls: number, perCall: number): Delivery[][] =>
  Array.from({ length: calls }, (_, n) =>
    Array.from({ length: perCall }, (__, seq) => {
      const callId = randomIds.next('call');
      const payload = payloadOf(callId, seq + 1);
      return deliveryOf(randomIds.next('event'), `call-${n}`, { url, payload, createdMs: Date.now() });
    }),
  );

const dispatcherOf = (store: Store, delivered: () => void = () => undefined): WebhookDispatcher =>
  new WebhookDispatcher({
    outbox: store.outbox,
    sender: httpSender({ privateTargets: 'loopback' }, { clock: systemClock, timeoutMs: 5000, connections: AT_ONCE }),
    clock: systemClock,
    log: silentLog,
    random: systemRandom,
    secretsOf: () => [SECRET],
    isLive: () => false,
    onAnswer: () => undefined,
    onAttempt: ({ outcome }) => {
      if (outcome === 'delivered') delivered();
    },
  });

/** Number of operations per second of CPU time. */
async function perCpuSecond(count: number, work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return count / ((user + system) / 1e6);
}

async function bareLoop(url: string): Promise<number> {
  const agent = new Agent({ connections: AT_ONCE });
  const bodies = Array.from({ length: EVENTS }, (_, n) => JSON.stringify(payloadOf(`call-${n}`, n % 5)));
  let next = 0;
  const one = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const headers = { 'content-type': 'application/json' };
      const response = await request(`${url}/events`, { method: 'POST', headers, body, dispatcher: agent });
      await response.body.text();
    }
  };
  const result = await perCpuSecond(EVENTS, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  });
  await agent.close();
  return result;
}

/** Concurrent calls, with a new one for each that ends. */
async function asTheyCome(url: string): Promise<number> {
  const store = newStore();
  let delivered = 0;
  let wake: (() => void) | undefined;
  const dispatcher = dispatcherOf(store, () => {
    delivered += 1;
    wake?.();
  });
  dispatcher.start();
  const events = eventsOf(`${url}/events`, CALLS, EVENTS_PER_CALL);
  const result = await perCpuSecond(EVENTS, async () => {
    let committed = 0;
    for (let call = 0; call < CALLS; call += AT_ONCE) {
      const calls = events.slice(call, call + AT_ONCE);
      for (let seq = 0; seq < EVENTS_PER_CALL; seq++) {
        await Promise.all(calls.map((its) => store.commit(its[seq]!)));
        committed += calls.length;
        while (committed - delivered > MAX_ON_THE_WAY) await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    while ((await store.outbox.counts()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await dispatcher.stop();
  store.close();
  return result;
}

/** All events are waiting when the dispatcher starts; the commits are not measured. */
async function backlog(url: string): Promise<number> {
  const store = newStore();
  await commitAll(store, { calls: CALLS, perCall: EVENTS_PER_CALL, url: `${url}/events` });
  const dispatcher = dispatcherOf(store);
  const result = await perCpuSecond(EVENTS, async () => {
    dispatcher.start();
    while ((await store.outbox.counts()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  await dispatcher.stop();
  store.close();
  return result;
}

async function commitAll(store: Store, { calls, perCall, url }: { calls: number; perCall: number; url: string }) {
  for (let call = 0; call < calls; call += 100) {
    const events = eventsOf(url, 100, perCall).flat();
    await Promise.all(
      events.map(({ orderKey, ...event }) => store.commit({ ...event, orderKey: `${call} ${orderKey}` })),
    );
  }
}

/** Megabytes of heap and buffers for a hundred thousand waiting events with a running dispatcher. */
async function waitingMb(): Promise<number> {
  const used = (): number => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 2 ** 20;
  };
  // Includes the store and the dispatcher.
  const before = used();
  const store = newStore();
  const dispatcher = dispatcherOf(store);
  dispatcher.start();
  // No server listens on this port.
  const url = 'http://127.0.0.1:9/events';
  await commitAll(store, { calls: WAITING_CALLS, perCall: WAITING_EVENTS_PER_CALL, url });
  const after = used();
  await dispatcher.stop();
  store.close();
  // A negative difference is garbage that was collected in the meantime.
  return Math.max(0, after - before);
}

const { url, child } = await startReceiver();
try {
  // Warm-up: all rounds use the compiled code.
  await bareLoop(url);
  await asTheyCome(url);
  const peers: number[] = [];
  const coming: number[] = [];
  const waiting: number[] = [];
  // Alternating, because of other load on the machine.
  for (let round = 0; round < ROUNDS; round++) {
    peers.push(await bareLoop(url));
    coming.push(await asTheyCome(url));
    waiting.push(await backlog(url));
  }
  reportRounds('webhooks.per_cpu_second', coming, '1/s', peers);
  reportRounds('webhooks.backlog_per_cpu_second', waiting, '1/s', peers);
  report('webhooks.waiting_mb', await waitingMb(), 'MB');
} finally {
  child.stdin?.end();
  rmSync(folder, { recursive: true, force: true });
}
