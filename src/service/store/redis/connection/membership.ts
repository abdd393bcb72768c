/**
 * Leases of nodes in Redis: an expiring key for each epoch, and a hash with the nodes' reports. All use one hash tag,
 * so that they can be read together. Port: `service/cluster/lease-store.ts`.
 *
 * Invariant: a renewal is as durable as a commit of a call: a node that is partitioned together with a replaced primary
 * cannot renew its lease there.
 */
import { WriteError } from '../../../../base/core/write-error.ts';
import type { NodeReport } from '../../../cluster/cluster.ts';
import type { LeaseStore } from '../../../cluster/lease-store.ts';
import type { RedisConnection } from './redis-client.ts';
import { passing } from './server-errors.ts';

const NODES = 'cw:{nodes}:all';
const leaseKey = (id: string): string => `cw:{nodes}:lease:${id}`;
const CONFIRM_TIMEOUT_MS = 500;

export function redisLeases({ client, writer, durability }: RedisConnection): LeaseStore {
  return {
    renew: (report, expiresMs) =>
      passing(async () => {
        const text = JSON.stringify(report);
        const pipeline = writer.pipeline().time();
        pipeline.hset(NODES, report.id, text).set(leaseKey(report.id), '1', 'PX', expiresMs);
        if (durability !== 'memory') pipeline.call('WAIT', '1', String(CONFIRM_TIMEOUT_MS));
        const replies = (await pipeline.exec()) ?? [];
        for (const [error] of replies) if (error) throw error;
        const confirmed = durability === 'memory' ? 1 : Number(replies.at(-1)?.[1] ?? 0);
        if (confirmed < 1) throw new WriteError('no_replica');
        return millisecondsOf(replies[0]![1]);
      }),
    async list() {
      const texts = await passing(() => client.hgetall(NODES));
      const reports = Object.values(texts).map((text) => JSON.parse(text) as NodeReport);
      if (reports.length === 0) return [];
      const replies = await passing(async () => {
        const pipeline = client.pipeline();
        for (const { id } of reports) pipeline.pttl(leaseKey(id));
        return (await pipeline.exec()) ?? [];
      });
      return reports.map((report, index) => {
        const [error, left] = replies[index] ?? [];
        if (error) throw error;
        // Negative if the lease has expired.
        return { report, leftMs: Math.max(0, Number(left)) };
      });
    },
    async remove(id) {
      await passing(() => writer.pipeline().hdel(NODES, id).del(leaseKey(id)).exec());
    },
  };
}

/** Converts the reply to TIME (seconds and microseconds). */
export function millisecondsOf(time: unknown): number {
  const [seconds, micros] = time as [string, string];
  return Number(seconds) * 1000 + Number(micros) / 1000;
}
