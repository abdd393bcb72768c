/** Webhooks of two nodes over a real Redis: one of the nodes dies while receivers are busy. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { type ClusterChange, clusterOfOne, type NodeInfo } from '../../src/service/cluster/cluster.ts';
import { receiverOwnership } from '../../src/service/cluster/receiver-ownership.ts';
import { WebhookDispatcher } from '../../src/service/observers/webhooks/dispatcher.ts';
import type { SendResult } from '../../src/service/observers/webhooks/http-sender.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import { redisReceiverClaims } from '../../src/service/store/redis/stores/receiver-claims.ts';
import { deliveryOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, redisProgram, startRedis, until } from '../redis-server.ts';
import { OK, SECRET } from '../webhooks/rig.ts';

const CALLS = 40;
const EVENTS = 5;
const ORIGINS = 8;
const TAKES_MS = 20;

const info = (id: string): NodeInfo => {
  const facts = { name: id, version: '1', archive: id, address: '', startedMs: 0, liveCalls: 0, load: 0 };
  return clusterOfOne(id, () => ({ ...facts, isDraining: false })).nodes()[0]!;
};

it.skipIf(redisProgram.missing)(
  `sends every event of a node that dies, and repeats at most those in flight${redisProgram.why}`,
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const seen: { node: string; id: string; isAnswered: boolean }[] = [];
    const members = new Set<string>();
    const dead = new Set<string>();
    const changed: (() => void)[] = [];

    const join = async (name: string) => {
      const connection = await connectTo(server);
      const local = createMemoryStore();
      const store = openRedisStore({
        connection,
        local,
        archive: name,
        node: name,
        keepCallsMs: 60_000,
        clock: systemClock,
        log: silentLog,
      });
      const cluster = {
        ...clusterOfOne(name, () => info(name)),
        nodes: () => [...members].map(info),
        onChange(listener: (change: ClusterChange) => void) {
          changed.push(() => listener({ joined: [], lost: [] }));
          return () => undefined;
        },
      };
      const ownership = receiverOwnership({ cluster, claims: redisReceiverClaims(store.groups), clock: systemClock });
      const send = async (id: string): Promise<SendResult> => {
        if (dead.has(name)) return new Promise(() => undefined);
        const attempt = { node: name, id, isAnswered: false };
        seen.push(attempt);
        await new Promise((resolve) => systemClock.after(TAKES_MS, () => resolve(undefined)));
        attempt.isAnswered = true;
        return dead.has(name) ? new Promise(() => undefined) : OK;
      };
      const dispatcher = new WebhookDispatcher({
        outbox: store.outbox,
        ownership,
        clock: systemClock,
        sender: { send: ({ headers }) => send(headers['webhook-id']!), close: async () => undefined },
        log: silentLog,
        random: () => 0.5,
        secretsOf: () => [SECRET],
        isLive: () => false,
        onAnswer: () => undefined,
      });
      members.add(name);
      dispatcher.start();
      for (const one of changed) one();
      onTestFinished(async () => {
        if (!dead.has(name)) await dispatcher.stop();
        await store.close();
        await connection.close();
        await local.close();
      });
      return store;
    };

    const store = await join('n1');
    await join('n2');
    for (let seq = 1; seq <= EVENTS; seq++) {
      const decisions = Array.from({ length: CALLS }, (_, call) => {
        const url = `http://receiver-${call % ORIGINS}.example/events`;
        const delivery = deliveryOf(`c${call}:${seq}`, `c${call}`, { url, createdMs: Date.now() });
        return store.calls.commit(writeOf(`c${call}`, [seq], { deliveries: [delivery] }));
      });
      await Promise.all(decisions);
    }
    await until(async () => seen.some(({ node }) => node === 'n2'));
    dead.add('n2');
    members.delete('n2');
    for (const one of changed) one();
    await until(async () => (await store.outbox.counts()).waiting === 0);

    for (let call = 0; call < CALLS; call++) {
      const ids = seen.filter(({ id, isAnswered }) => isAnswered && id.startsWith(`c${call}:`)).map(({ id }) => id);
      expect([...new Set(ids)]).toEqual(Array.from({ length: EVENTS }, (_, index) => `c${call}:${index + 1}`));
    }
    // At most one event of each call was in flight.
    const counts = Map.groupBy(seen, ({ id }) => id);
    const repeated = [...counts].filter(([, attempts]) => attempts.length > 1);
    expect(repeated.length).toBeLessThanOrEqual(CALLS);
    for (const [, attempts] of repeated) expect(attempts.map(({ node }) => node)).toEqual(['n2', 'n1']);
  },
);
