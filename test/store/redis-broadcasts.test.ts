/**
 * Broadcasts in a real Redis: the contract of the store, and the additional rules for several nodes. Nodes are four
 * connections of one process.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { causeOf, TEMPORARY_FAILURE } from '../../src/base/core/causes.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import type { Delivery } from '../../src/base/core/delivery.ts';
import { seededRandom } from '../../src/base/core/ids.ts';
import type { Receipt } from '../../src/base/core/receipt.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { BroadcastParts } from '../../src/service/calls/broadcast/broadcasts.ts';
import { settleLostNodes } from '../../src/service/calls/broadcast/recover-broadcasts.ts';
import type { CallRecord } from '../../src/service/runtime/journal.ts';
import { ANSWERED, attemptOf, broadcastOf, calleesOf, STOPPED } from '../contracts/store/broadcast-fixtures.ts';
import { runRandomly } from '../contracts/store/broadcast-model.ts';
import { describeQueue } from '../contracts/store/broadcast-queue.ts';
import { describeReports } from '../contracts/store/broadcast-reports.ts';
import { T0 } from '../contracts/store/call-fixtures.ts';
import { type RedisServer, redisProgram, startRedis, until, valkeyProgram } from '../redis-server.ts';
import { type BroadcastNode, broadcastNode, broadcastNodes } from './redis-broadcast-nodes.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

for (const program of [redisProgram, valkeyProgram]) {
  describe.skipIf(program.missing)(`the contract of broadcasts in ${program.name}${program.why}`, () => {
    let server: RedisServer;
    let node: BroadcastNode;
    beforeAll(async () => {
      server = await startRedis({ program });
      node = await broadcastNode(server, 'node-1', 0);
    });
    beforeEach(() => server.command('FLUSHDB'));
    afterAll(async () => {
      await node.close();
      await server.stop();
    });
    describeQueue(() => node.broadcasts);
    describeReports(() => node.broadcasts);
  });
}

describe.skipIf(redisProgram.missing)(`Redis broadcast store${redisProgram.why}`, () => {
  it('behaves like the reference model for random command sequences', async () => {
    const [{ broadcasts }] = (await broadcastNodes(1, 0)) as [BroadcastNode];
    for (let seed = 1; seed <= 4; seed++) {
      await broadcasts.create(broadcastOf(`b${seed}`), calleesOf(7), []);
      await runRandomly(broadcasts, `b${seed}`, { numbers: 7, steps: 40, random: seededRandom(seed) });
    }
  });

  it('are claimed by one of several nodes, and end once', async () => {
    const [one, two] = (await broadcastNodes(2, 0)) as [BroadcastNode, BroadcastNode];
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

  it('reserves prefetched numbers for the node, and releases them if it does not dial', async () => {
    const [one, two] = (await broadcastNodes(2, 50)) as [BroadcastNode, BroadcastNode];
    await one.broadcasts.create(broadcastOf('b1'), calleesOf(4), []);
    const read = async ({ broadcasts }: BroadcastNode, most: number): Promise<number[]> =>
      (await broadcasts.due('b1', T0, most)).map(({ number }) => number);
    expect([await read(one, 3), await read(two, 3)]).toEqual([[1, 2, 3], [4]]);
    expect(await one.broadcasts.nextDueMs('b1')).toBeDefined();
    await pause(80);
    expect(await read(two, 9)).toEqual([1, 2, 3, 4]);
  });

  it('applies the do-not-call list on every node', async () => {
    const [one, two] = (await broadcastNodes(2)) as [BroadcastNode, BroadcastNode];
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

  it('settles the pending numbers of a lost node once, from the results of its calls', async () => {
    const [lost, one, two] = (await broadcastNodes(3, 0)) as [BroadcastNode, BroadcastNode, BroadcastNode];
    await lost.broadcasts.create(broadcastOf('b1'), calleesOf(6), []);
    for (const number of [1, 2, 3, 4, 5])
      await lost.broadcasts.claim('b1', number, { callId: `call-${number}`, atMs: T0 });
    await one.broadcasts.claim('b1', 6, { callId: 'call-6', atMs: T0 });
    const records: Record<string, Partial<CallRecord>> = {
      'call-1': { answeredMs: T0 + 1, endedMs: T0 + 2, cause: TEMPORARY_FAILURE },
      // Another node has not closed it yet, and has closed the next.
      'call-2': {},
      'call-3': { endedMs: T0 + 2, cause: TEMPORARY_FAILURE },
      'call-4': { endedMs: T0 + 2, cause: causeOf(1) },
    };
    const partsOf = ({ broadcasts }: BroadcastNode) =>
      ({
        store: broadcasts,
        callStore: { call: async (callId: string) => records[callId] && { callId, ...records[callId] } },
        clock: systemClock,
        log: silentLog,
        isLost: (node: string) => node === 'node-0',
      }) as unknown as BroadcastParts;
    const broadcast = (await one.broadcasts.find('b1'))!;
    const settled = async (): Promise<string[]> => {
      await Promise.all([one, two].map((node) => settleLostNodes(broadcast, partsOf(node))));
      const rows = await one.broadcasts.report({ broadcastId: 'b1', limit: 9 });
      return rows.map(({ state, result }) => `${state} ${result?.reason ?? ''}`);
    };
    expect((await settled())[1]).toBe('calling ');
    records['call-2'] = { endedMs: T0 + 3, cause: TEMPORARY_FAILURE };
    expect(await settled()).toEqual([
      'done success',
      'done Service Restarted',
      'done Service Restarted',
      `done ${causeOf(1).reason}`,
      'done Service Restarted',
      'calling ',
    ]);
    expect(await one.broadcasts.counts('b1')).toMatchObject({ done: 5, calling: 1, attempts: 6 });
  });

  describe('final events, when their node is lost', () => {
    const NEVER = new Promise<void>(() => undefined);
    const RECEIPT: Receipt = {
      ...{ projectId: 'project-1', key: 'key', request: 'request', status: 200, body: '{"made":1}', createdMs: T0 },
    };
    const event = (id: string): Delivery => ({
      ...{ id, projectId: 'project-1', orderKey: 'b1', url: 'http://127.0.0.1:9/', payload: { id }, createdMs: T0 },
    });
    const isLost = (node: string): boolean => node === 'node-0';
    /** Two nodes; the first one blocks in the methods set in `stands`. */
    const two = async (stands: { addDeliveries?: boolean; addReceipt?: boolean }) => {
      const sent: string[] = [];
      const receipts = new Map<string, Receipt>();
      const [dead, alive] = (await broadcastNodes(2, 0, (index) => ({
        addDeliveries: async (all) =>
          index === 0 && stands.addDeliveries ? NEVER : void sent.push(...all.map(({ id }) => id)),
        receipts: {
          find: async (_project, key) => receipts.get(key),
          add: async (receipt) => (index === 0 && stands.addReceipt ? NEVER : void receipts.set(receipt.key, receipt)),
        },
      }))) as [BroadcastNode, BroadcastNode];
      return { dead: dead.broadcasts, alive: alive.broadcasts, sent, receipts };
    };

    it('is sent by another once that one is lost, in order, and never before', async () => {
      const { dead, alive, sent } = await two({ addDeliveries: true });
      void dead.create(broadcastOf('b1'), calleesOf(1), [event('begins')]);
      await until(async () => (await alive.find('b1')) !== undefined);
      await alive.settle('b1', 1, { result: STOPPED, atMs: T0 });
      void dead.change('b1', { state: 'completed', endedMs: T0 }, [event('ends')]);
      await until(async () => (await alive.find('b1'))?.endedMs !== undefined);
      await alive.repair!(() => false);
      expect(sent).toEqual([]);
      await alive.repair!(isLost);
      await alive.repair!(isLost);
      expect(sent).toEqual(['begins', 'ends']);
      // Nothing is looked for any more, and the end stays the only one.
      expect(await alive.unfinished()).toEqual([]);
      expect(await alive.change('b1', { state: 'completed', endedMs: T0 }, [event('ends again')])).toBe(false);
      expect(await alive.prune(T0 + 1)).toBe(1);
      expect(await alive.list({ projectId: 'project-1', limit: 9 })).toEqual([]);
    });

    it('is sent after what another has left', async () => {
      const { dead, alive, sent } = await two({ addDeliveries: true });
      void dead.create(broadcastOf('b1'), calleesOf(1), [event('begins')]);
      await until(async () => (await alive.find('b1')) !== undefined);
      expect(await alive.change('b1', { state: 'failed', endedMs: T0 }, [event('ends')])).toBe(true);
      expect(sent).toEqual(['begins', 'ends']);
    });

    it('is made with its receipt, and not where the request was repeated meanwhile', async () => {
      const { dead, alive, receipts } = await two({ addReceipt: true });
      void dead.create(broadcastOf('b1'), calleesOf(1), [], RECEIPT);
      const isReady = async (): Promise<boolean> => {
        await alive.repair!(isLost);
        return receipts.size > 0;
      };
      expect(await alive.find('b1')).toBeUndefined();
      await until(isReady);
      expect(receipts.get('key')).toEqual(RECEIPT);
      expect((await alive.list({ projectId: 'project-1', limit: 9 })).map(({ order }) => order.broadcastId)).toEqual([
        'b1',
      ]);
      receipts.set('key', { ...RECEIPT, body: '{"made":2}' });
      void dead.create(broadcastOf('b2'), calleesOf(1), [], RECEIPT);
      await pause(200);
      await alive.repair!(isLost);
      expect(await alive.find('b2')).toBeUndefined();
      expect(await alive.list({ projectId: 'project-1', limit: 9 })).toHaveLength(1);
    });
  });

  it('stops dialling on all nodes after one node stops the broadcast, and accepts released numbers', async () => {
    const [one, two] = (await broadcastNodes(2, 60_000)) as [BroadcastNode, BroadcastNode];
    await one.broadcasts.create(broadcastOf('b1'), calleesOf(3), []);
    const rows = await one.broadcasts.due('b1', T0, 9);
    expect([rows.length, await two.broadcasts.due('b1', T0, 9)]).toEqual([3, []]);
    await one.broadcasts.letGo!('b1', [2, 3]);
    expect((await two.broadcasts.due('b1', T0, 9)).map(({ number }) => number)).toEqual([2, 3]);
    await one.broadcasts.change('b1', { state: 'stopped', hangUp: true }, []);
    expect(await two.broadcasts.claim('b1', 2, { callId: 'call-2', atMs: T0 })).toBe(false);
    // A node that begins it late changes nothing.
    await two.broadcasts.change('b1', { state: 'running', startedMs: T0 }, []);
    expect(await two.broadcasts.find('b1')).toMatchObject({ state: 'stopped', hangUp: true });
  });

  it('ignores results from a node that does not own the number', async () => {
    const [one, two] = (await broadcastNodes(2, 0)) as [BroadcastNode, BroadcastNode];
    await one.broadcasts.create(broadcastOf('b1'), calleesOf(1), []);
    await one.broadcasts.claim('b1', 1, { callId: 'call-1', atMs: T0 });
    // Taken for lost.
    await two.broadcasts.requeue('b1', 1, attemptOf('call-1'), STOPPED, T0, 'node-0');
    await two.broadcasts.claim('b1', 1, { callId: 'call-2', atMs: T0 });
    await one.broadcasts.settle('b1', 1, { result: ANSWERED, atMs: T0, attempt: attemptOf('call-1') });
    await one.broadcasts.release('b1', 1);
    expect(await two.broadcasts.callingNodes!('b1')).toEqual(['node-1']);
    expect(await two.broadcasts.counts('b1')).toMatchObject({ calling: 1, done: 0, attempts: 2 });
  });

  it('shares the concurrency limit, including that of a lost node', async () => {
    const [one, two] = (await broadcastNodes(2)) as [BroadcastNode, BroadcastNode];
    const lanes = (liveCalls: number) => [{ name: 'service', maxConcurrent: 10, liveCalls }];
    expect((await one.gate.grant(lanes(0), 6)).granted).toBe(6);
    expect((await two.gate.grant(lanes(0), 6)).granted).toBe(4);
    expect((await two.gate.grant(lanes(4), 1)).granted).toBe(0);
    // The calls of the other node have ended, as it reports; it reports nothing more after it is lost.
    await one.gate.grant(lanes(2), 0);
    expect((await two.gate.grant(lanes(4), 9)).granted).toBe(4);
    await pause(3100);
    expect((await two.gate.grant(lanes(0), 99)).granted).toBe(10);
  });

  it('continues after a failover, with each number claimed once', { timeout: 30_000 }, async () => {
    const primary = await startRedis();
    const servers = [primary, await startRedis({ replicaOf: primary })];
    const all = await Promise.all(['node-0', 'node-1'].map((name) => broadcastNode(servers, name, 300)));
    onTestFinished(async () => {
      for (const node of all) await node.close();
      for (const server of servers) await server.stop();
    });
    await all[0]!.broadcasts.create(broadcastOf('b1'), calleesOf(200), []);
    const claimed = new Map<number, number>();
    const call = async ({ broadcasts }: BroadcastNode, index: number): Promise<void> => {
      // Pure reads are refused while Redis is unavailable.
      while ((await broadcasts.counts('b1').catch(() => undefined))?.done !== 200) {
        const rows = await broadcasts.due('b1', T0, 5);
        if (rows.length === 0) await pause(20);
        for (const { number } of rows) {
          // Nodes never have one id: a claim that is repeated after the failover is known by it.
          const callId = `call-${index}-${number}`;
          if (!(await broadcasts.claim('b1', number, { callId, atMs: T0 }))) continue;
          claimed.set(number, (claimed.get(number) ?? 0) + 1);
          await broadcasts.settle('b1', number, { result: ANSWERED, atMs: T0, attempt: attemptOf(callId) });
        }
      }
    };
    const calling = Promise.all(all.map(call));
    await until(async () => claimed.size >= 60);
    primary.signal('SIGKILL');
    await servers[1]!.command('REPLICAOF', 'NO', 'ONE');
    servers.push(await startRedis({ replicaOf: servers[1]! }));
    await calling;
    expect([claimed.size, Math.max(...claimed.values())]).toEqual([200, 1]);
    expect(await all[0]!.broadcasts.counts('b1')).toMatchObject({ done: 200, success: 200, attempts: 200 });
  });

  // A machine that holds the process up in the wrong moment takes more than can be made up for in a second.
  it('catches up on missed calls slowly, as long as there are numbers to dial', { retry: 2 }, async () => {
    const [one] = (await broadcastNodes(1)) as [BroadcastNode];
    const lanes = [{ name: 'service', callsPerSecond: 100, liveCalls: 0 }];
    const begin = async (forMs: number): Promise<number> => {
      const endMs = systemClock.monotonicMs() + forMs;
      let count = 0;
      while (systemClock.monotonicMs() < endMs) {
        const { granted, waitMs } = await one.gate.grant(lanes, 100);
        count += granted;
        await pause(Math.min(Math.max(1, waitMs), endMs - systemClock.monotonicMs()));
      }
      return count;
    };
    const startMs = systemClock.monotonicMs();
    const before = await begin(300);
    // All nodes stand still.
    await pause(400);
    const missed = await begin(1000);
    const dueOf = (ms: number): number => (ms + 100) / 10 + 1;
    expect(before + missed).toBeLessThanOrEqual(dueOf(systemClock.monotonicMs() - startMs));
    expect(missed).toBeGreaterThan(100);
    expect(missed).toBeLessThanOrEqual(dueOf(1100) * 1.1 + 10);
    // No numbers were waiting, so nothing was missed.
    await pause(2100);
    expect((await one.gate.grant(lanes, 100)).granted).toBeLessThanOrEqual(10);
  });

  // That they are as fast as they may is measured where nothing else runs: `npm run broadcasts`.
  it('calls each of 1,000 numbers once within the rate, with four nodes of which one dies', async () => {
    const PER_SECOND = 500;
    const all = await broadcastNodes(4, 300);
    await all[0]!.broadcasts.create(broadcastOf('b1'), calleesOf(1000), []);
    const lanes = [
      { name: 'service', callsPerSecond: 5000, liveCalls: 0 },
      { name: 'broadcast b1', callsPerSecond: PER_SECOND, liveCalls: 0 },
    ];
    const dialled = new Map<number, number>();
    const times: number[] = [];
    const isDead = all.map(() => false);
    const calls: Promise<unknown>[] = [];
    const beganMs = systemClock.monotonicMs();
    const dial = async ({ broadcasts, gate }: BroadcastNode, index: number): Promise<void> => {
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
    systemClock.after(600, () => {
      isDead[3] = true;
    });
    await Promise.all(all.map(dial));
    await Promise.all(calls);
    const { broadcasts } = all[0]!;
    // Numbers that the dead node had claimed and not called.
    const left = await broadcasts.calling('b1', 10_000);
    for (const { number } of left) {
      await broadcasts.requeue('b1', number, attemptOf('lost'), STOPPED, T0, 'node-3');
    }
    await dial(all[0]!, 0);
    await Promise.all(calls);
    expect(dialled.size).toBe(1000);
    expect([...dialled.values()].filter((often) => often > 1)).toEqual([]);
    expect(await broadcasts.counts('b1')).toMatchObject({ done: 1000, success: 1000, queued: 0, calling: 0 });
    times.sort((one, two) => one - two);
    // Up to 100 ms may be caught up, and a claim may follow its permit.
    const mostBy = (ms: number): number => (ms + 100) * (PER_SECOND / 1000) + 1;
    for (const [index, ms] of times.entries()) expect(index + 1).toBeLessThanOrEqual(mostBy(ms));
  });
});
