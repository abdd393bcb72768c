/**
 * The leases of nodes in Redis: a key that ends by itself for each life, and a hash with what they say of themselves. One
 * hash tag for all of it, so that it can be read at once. Port: `cluster/lease-store.ts`.
 *
 * Invariant: a renewal is as durable as a commit of a call: a node that is cut off together with a primary that is given
 * up does not hold a lease there.
 */
import type { NodeReport } from '../../cluster/cluster.ts';
import type { LeaseStore } from '../../cluster/lease-store.ts';
import type { RedisConnection } from './redis-client.ts';

const NODES = 'cw:{nodes}:all';
const leaseKey = (id: string): string => `cw:{nodes}:lease:${id}`;
const CONFIRM_TIMEOUT_MS = 500;

export function redisLeases({ client, writer, durability }: RedisConnection): LeaseStore {
  return {
    async renew(report, expiresMs) {
      const text = JSON.stringify(report);
      const pipeline = writer.pipeline().hset(NODES, report.id, text).set(leaseKey(report.id), '1', 'PX', expiresMs);
      if (durability !== 'memory') pipeline.call('WAIT', '1', String(CONFIRM_TIMEOUT_MS));
      const replies = (await pipeline.exec()) ?? [];
      for (const [error] of replies) if (error) throw error;
      const confirmed = durability === 'memory' ? 1 : Number(replies.at(-1)?.[1] ?? 0);
      if (confirmed < 1) throw new Error('no replica of Redis has confirmed the lease');
    },
    async list() {
      const reports = Object.values(await client.hgetall(NODES)).map((text) => JSON.parse(text) as NodeReport);
      if (reports.length === 0) return [];
      const pipeline = client.pipeline();
      for (const { id } of reports) pipeline.pttl(leaseKey(id));
      const replies = (await pipeline.exec()) ?? [];
      return reports.map((report, index) => {
        const [error, left] = replies[index] ?? [];
        if (error) throw error;
        // Negative: it is over.
        return { report, leftMs: Math.max(0, Number(left)) };
      });
    },
    async remove(id) {
      await writer.pipeline().hdel(NODES, id).del(leaseKey(id)).exec();
    },
  };
}
