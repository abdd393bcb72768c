/**
 * Failovers of Redis: a primary with a replica under calls that write, the primary killed, the replica made the
 * primary. Used by the test of a few rounds, and by `npm run failovers -- ROUNDS`.
 */
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { Durability } from '../../src/service/store/redis/connection/redis-client.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import { writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, redisProgram, type ServerProgram, startRedis, until } from '../redis-server.ts';

export interface FailoverResult {
  /** Decisions that the store acknowledged. */
  acknowledged: number;
  /** Number of these that the new primary lacks at the end. */
  lost: number;
  /** Calls whose commit was rejected. */
  ended: number;
  /** From the death of the primary to the first commit after it. */
  awayMs: number;
}

export interface FailoverOptions {
  calls: number;
  durability: Durability;
  program?: ServerProgram;
  /** How long calls write before the primary dies, and after it. */
  writeMs: number;
  /** Time for which the replica is stopped before the primary dies, so that it lacks the latest writes. */
  lagMs?: number;
}

export async function failOver(options: FailoverOptions): Promise<FailoverResult> {
  const { calls, durability, program = redisProgram, writeMs, lagMs = 0 } = options;
  const primary = await startRedis({ program });
  const replica = await startRedis({ program, replicaOf: primary });
  const connection = await connectTo([primary, replica], { durability });
  const store = openRedisStore({
    ...{ connection, node: 'node-1', local: createMemoryStore(), archive: 'archive-1', keepCallsMs: 60_000 },
    ...{ clock: systemClock, log: silentLog },
  });
  const result: FailoverResult = { acknowledged: 0, lost: 0, ended: 0, awayMs: 0 };
  const seqs = Array.from({ length: calls }, () => 0);
  let isOver = false;
  let killedMs: number | undefined;
  const carry = async (call: number): Promise<void> => {
    while (!isOver) {
      try {
        await store.calls.commit(writeOf(`call-${call}`, [seqs[call]! + 1]));
      } catch {
        result.ended += 1;
        return;
      }
      seqs[call]! += 1;
      if (killedMs !== undefined && result.awayMs === 0) result.awayMs = performance.now() - killedMs;
      await pause(2);
    }
  };
  const all = seqs.map((_, call) => carry(call));
  try {
    await pause(writeMs);
    if (lagMs > 0) replica.signal('SIGSTOP');
    await pause(lagMs);
    primary.signal('SIGKILL');
    if (lagMs > 0) replica.signal('SIGCONT');
    await replica.command('REPLICAOF', 'NO', 'ONE');
    const next = durability === 'memory' ? undefined : await startRedis({ program, replicaOf: replica });
    killedMs = performance.now();
    await until(async () => result.awayMs > 0 || result.ended === calls, 20_000);
    await pause(writeMs);
    isOver = true;
    await Promise.all(all);
    result.acknowledged = seqs.reduce((sum, seq) => sum + seq, 0);
    for (const [call, seq] of seqs.entries()) {
      const journal = await store.calls.journal(`call-${call}`);
      if (journal.some((entry, index) => entry.seq !== index + 1)) throw new Error(`call-${call} has a gap`);
      result.lost += Math.max(0, seq - journal.length);
    }
    await store.close();
    await next?.stop();
    return result;
  } finally {
    isOver = true;
    connection.close();
    await Promise.all([primary.stop(), replica.stop()]);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
