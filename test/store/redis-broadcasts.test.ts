/**
 * Broadcasts in a real Redis: the contract that the store of one process keeps, and what several nodes must keep besides.
 * Nodes are four connections of one process.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BroadcastStore } from '../../src/calls/broadcast/broadcast-store.ts';
import type { BroadcastParts } from '../../src/calls/broadcast/broadcasts.ts';
import type { DialGate } from '../../src/calls/broadcast/dial-gate.ts';
import { settleLostNodes } from '../../src/calls/broadcast/recover-broadcasts.ts';
import { causeOf, TEMPORARY_FAILURE } from '../../src/core/causes.ts';
import { systemClock } from '../../src/core/clock.ts';
import { seededRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import type { CallRecord } from '../../src/runtime/journal.ts';
import { redisBroadcasts } from '../../src/store/redis/broadcasts.ts';
import { CommandGroups } from '../../src/store/redis/command-groups.ts';
import { redisDialGate } from '../../src/store/redis/gate.ts';
import { WriteHealth } from '../../src/store/write-health.ts';
import { ANSWERED, attemptOf, broadcastOf, calleesOf, STOPPED } from '../contracts/store/broadcast-fixtures.ts';
import { runRandomly } from '../contracts/store/broadcast-model.ts';
import { describeQueue } from '../contracts/store/broadcast-queue.ts';
import { describeReports } from '../contracts/store/broadcast-reports.ts';
import { T0 } from '../contracts/store/call-fixtures.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

interface Node {
  broadcasts: BroadcastStore;
  gate: DialGate;
  close(): Promise<void>;
}

async function nodeOf(server: RedisServer, name: string, holdMs?: number): Promise<Node> {
  const connection = await connectTo(server);
  const health: WriteHealth = new WriteHealth(systemClock, async () => undefined);
  const groups = new CommandGroups({ connection, clock: systemClock, health });
  let tokens = 0;
  const broadcasts = redisBroadcasts({
    groups,
    client: connection.client,
    node: name,
    nextToken: () => `${name}-${++tokens}`,
    addDeliveries: async () => undefined,
    addReceipt: async () => undefined,
    ...(holdMs === undefined ? {} : { holdMs }),
  });
  return {
    broadcasts,
    gate: redisDialGate({ groups, node: name }),
    async close() {
      await groups.close();
      connection.close();
    },
  };
}

async function nodes(count: number, holdMs?: number): Promise<Node[]> {
  const server = await startRedis();
  const all = await Promise.all(Array.from({ length: count }, (_, index) => nodeOf(server, `node-${index}`, holdMs)));
  onTestFinished(async () => {
    for (const node of all) await node.close();
    await server.stop();
  });
  return all;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

describe.skipIf(redisProgram.missing)(`the contract of broadcasts in Redis${redisProgram.why}`, () => {
  let server: RedisServer;
  let node: Node;
  beforeAll(async () => {
    server = await startRedis();
    node = await nodeOf(server, 'node-1', 0);
  });
  beforeEach(() => server.command('FLUSHDB'));
  afterAll(async () => {
    await node.close();
    await server.stop();
  });
  describeQueue(() => node.broadcasts);
  describeReports(() => node.broadcasts);
});

describe.skipIf(redisProgram.missing)(`broadcasts in Redis${redisProgram.why}`, () => {
  it('agree with a simple model, whatever happens in whatever order', async () => {
    const [{ broadcasts }] = (await nodes(1, 0)) as [Node];
    for (let seed = 1; seed <= 4; seed++) {
      await broadcasts.create(broadcastOf(`b${seed}`), calleesOf(7), []);
      await runRandomly(broadcasts, `b${seed}`, { numbers: 7, steps: 40, random: seededRandom(seed) });
    }
  });

  it('are claimed by one of several nodes, and end once', async () => {
    const [one, two] = (await nodes(2, 0)) as [Node, Node];
    await one.broadcasts.create(broadcastOf('b1'), calleesOf(1), []);
    const claims = [one, two].map(({ broadcasts }, index) =>
      broadcasts.claim('b1', 1, { callId: `call-${index}`, atMs: T0 }),
    );
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    await one.broadcasts.settle('b1', 1, { result: STOPPED, atMs: T0 });
    const ends = [one, two].map(({ broadcasts }, index) =>
      broadcasts.change('b1', { state: 'completed', endedMs: T0 + index }, []),
    );
    expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
    expect(await two.broadcasts.unfinished()).toEqual([]);
  });

  it('that a node reads ahead are kept from the others for a while, and come back when it does not call them', async () => {
    const [one, two] = (await nodes(2, 50)) as [Node, Node];
    await one.broadcasts.create(broadcastOf('b1'), calleesOf(4), []);
    const read = async ({ broadcasts }: Node, most: number): Promise<number[]> =>
      (await broadcasts.due('b1', T0, most)).map(({ number }) => number);
    expect([await read(one, 3), await read(two, 3)]).toEqual([[1, 2, 3], [4]]);
    expect(await one.broadcasts.nextDueMs('b1')).toBeDefined();
    await pause(80);
    expect(await read(two, 9)).toEqual([1, 2, 3, 4]);
  });

  it('know the numbers never to be called on every node', async () => {
    const [one, two] = (await nodes(2)) as [Node, Node];
    const { doNotCall } = one.broadcasts;
    expect(await doNotCall.add('p1', ['331', '332', '331', 'user:ada'], T0)).toBe(3);
    expect(await doNotCall.add('p1', ['332', '333'], T0 + 1.5)).toBe(1);
    expect(await two.broadcasts.doNotCall.has('p1', '331')).toBe(true);
    expect([await doNotCall.remove('p1', '331'), await doNotCall.remove('p1', '331')]).toEqual([true, false]);
    expect(await two.broadcasts.doNotCall.list({ projectId: 'p1', after: '332', limit: 9 })).toEqual([
      { key: '333', addedMs: T0 + 2 },
      { key: 'user:ada', addedMs: T0 },
    ]);
    expect(await doNotCall.count('p1')).toBe(3);
  });

  it('settle what a lost node was calling once, by what is known of its calls', async () => {
    const [lost, one, two] = (await nodes(3, 0)) as [Node, Node, Node];
    await lost.broadcasts.create(broadcastOf('b1'), calleesOf(6), []);
    for (const number of [1, 2, 3, 4, 5])
      await lost.broadcasts.claim('b1', number, { callId: `call-${number}`, atMs: T0 });
    await one.broadcasts.claim('b1', 6, { callId: 'call-6', atMs: T0 });
    const records: Record<string, Partial<CallRecord>> = {
      'call-1': { answeredMs: T0 + 1 },
      'call-2': {},
      // Another node has closed it.
      'call-3': { endedMs: T0 + 2, cause: TEMPORARY_FAILURE },
      'call-4': { endedMs: T0 + 2, cause: causeOf(1) },
    };
    const partsOf = ({ broadcasts }: Node) =>
      ({
        store: broadcasts,
        callStore: { call: async (callId: string) => records[callId] && { callId, ...records[callId] } },
        clock: systemClock,
        log: silentLog,
        isLost: (node: string) => node === 'node-0',
      }) as unknown as BroadcastParts;
    const broadcast = (await one.broadcasts.find('b1'))!;
    await Promise.all([one, two].map((node) => settleLostNodes(broadcast, partsOf(node))));
    const rows = await one.broadcasts.report({ broadcastId: 'b1', limit: 9 });
    expect(rows.map(({ state, result }) => `${state} ${result?.reason ?? ''}`)).toEqual([
      'done success',
      'done Service Restarted',
      'done Service Restarted',
      `done ${causeOf(1).reason}`,
      'done Service Restarted',
      'calling ',
    ]);
    expect(await one.broadcasts.counts('b1')).toMatchObject({ done: 5, calling: 1, attempts: 6 });
  });

  it('share what may be dialled at once, and what a node that is gone had', async () => {
    const [one, two] = (await nodes(2)) as [Node, Node];
    const lanes = (liveCalls: number) => [{ name: 'service', maxConcurrent: 10, liveCalls }];
    expect((await one.gate.grant(lanes(0), 6)).granted).toBe(6);
    expect((await two.gate.grant(lanes(0), 6)).granted).toBe(4);
    expect((await two.gate.grant(lanes(4), 1)).granted).toBe(0);
    // Calls of the other have ended, as it says; it says nothing more when it is gone.
    await one.gate.grant(lanes(2), 0);
    expect((await two.gate.grant(lanes(4), 9)).granted).toBe(4);
    await pause(3100);
    expect((await two.gate.grant(lanes(0), 99)).granted).toBe(10);
  });

  // A machine that holds the whole process up for a tenth of a second takes that from the pace.
  it('of four nodes, one of which dies, call 10,000 numbers once each and at their pace', {
    retry: 2,
    timeout: 30_000,
  }, async () => {
    const PER_SECOND = 2000;
    const all = await nodes(4, 300);
    await all[0]!.broadcasts.create(broadcastOf('b1'), calleesOf(10_000), []);
    const lanes = [
      { name: 'service', callsPerSecond: 5000, liveCalls: 0 },
      { name: 'broadcast b1', callsPerSecond: PER_SECOND, liveCalls: 0 },
    ];
    const dialled = new Map<number, number>();
    const times: number[] = [];
    const isDead = all.map(() => false);
    const calls: Promise<unknown>[] = [];
    const beganMs = systemClock.monotonicMs();
    const dial = async ({ broadcasts, gate }: Node, index: number): Promise<void> => {
      while (!isDead[index]) {
        const { granted, waitMs } = await gate.grant(lanes, 100);
        if (granted === 0) {
          await pause(Math.max(2, waitMs));
          continue;
        }
        const rows = await broadcasts.due('b1', T0, granted);
        if (rows.length === 0 && (await broadcasts.nextDueMs('b1')) === undefined) return;
        if (rows.length === 0) await pause(20);
        calls.push(
          ...rows.map(async ({ number }) => {
            const isMine = await broadcasts.claim('b1', number, { callId: `call-${index}-${number}`, atMs: T0 });
            if (!isMine || isDead[index]) return;
            dialled.set(number, (dialled.get(number) ?? 0) + 1);
            times.push(systemClock.monotonicMs() - beganMs);
            await broadcasts.settle('b1', number, { result: ANSWERED, atMs: T0, attempt: attemptOf(`call-${number}`) });
          }),
        );
      }
    };
    systemClock.after(1500, () => {
      isDead[3] = true;
    });
    await Promise.all(all.map(dial));
    await Promise.all(calls);
    const { broadcasts } = all[0]!;
    // What the dead node had claimed and not called.
    const left = await broadcasts.calling('b1', 10_000);
    for (const { number } of left) await broadcasts.release('b1', number);
    await dial(all[0]!, 0);
    await Promise.all(calls);
    expect(dialled.size).toBe(10_000);
    expect([...dialled.values()].filter((often) => often > 1)).toEqual([]);
    expect(await broadcasts.counts('b1')).toMatchObject({ done: 10_000, success: 10_000, queued: 0, calling: 0 });
    // From the second second on, while there was enough to dial: what was dialled between 1 s and 4 s.
    const inThree = times.filter((ms) => ms >= 1000 && ms < 4000).length;
    expect(inThree / (3 * PER_SECOND)).toBeGreaterThan(0.98);
    expect(inThree / (3 * PER_SECOND)).toBeLessThan(1.02);
  });
});
