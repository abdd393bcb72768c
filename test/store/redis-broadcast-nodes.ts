/** Nodes that share the broadcasts of one real Redis: connections of this process, each with its store and its gate. */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import type { Delivery } from '../../src/base/core/delivery.ts';
import type { BroadcastStore } from '../../src/service/calls/broadcast/broadcast-store.ts';
import type { DialGate } from '../../src/service/calls/broadcast/dial-gate.ts';
import type { ReceiptStore } from '../../src/service/calls/control/receipt-store.ts';
import { CommandGroups } from '../../src/service/store/redis/connection/command-groups.ts';
import { Reader } from '../../src/service/store/redis/connection/reader.ts';
import { redisBroadcasts } from '../../src/service/store/redis/stores/broadcasts.ts';
import { redisDialGate } from '../../src/service/store/redis/stores/gate.ts';
import { WriteHealth } from '../../src/service/store/write-health.ts';
import { connectTo, type RedisServer, startRedis } from '../redis-server.ts';

export interface BroadcastNode {
  broadcasts: BroadcastStore;
  gate: DialGate;
  close(): Promise<void>;
}

interface Outside {
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  receipts: Pick<ReceiptStore, 'find' | 'add'>;
}

/** With several servers, the first is the primary, and its replica confirms the writes. */
export async function broadcastNode(
  server: RedisServer | readonly RedisServer[],
  name: string,
  holdMs?: number,
  outside: Partial<Outside> = {},
): Promise<BroadcastNode> {
  const connection = await connectTo(server, { durability: Array.isArray(server) ? 'replica' : 'memory' });
  const health: WriteHealth = new WriteHealth(systemClock, async () => undefined);
  const groups = new CommandGroups({ connection, clock: systemClock, health });
  const broadcasts = redisBroadcasts({
    groups,
    reader: new Reader(connection.client),
    node: name,
    addDeliveries: async () => undefined,
    receipts: { find: async () => undefined, add: async () => undefined },
    ...outside,
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

export async function broadcastNodes(
  count: number,
  holdMs?: number,
  outside?: (index: number) => Partial<Outside>,
): Promise<BroadcastNode[]> {
  const server = await startRedis();
  const all = await Promise.all(
    Array.from({ length: count }, (_, index) => broadcastNode(server, `node-${index}`, holdMs, outside?.(index))),
  );
  onTestFinished(async () => {
    for (const node of all) await node.close();
    await server.stop();
  });
  return all;
}
