/**
 * Cost of a commit in a cluster: in Redis with confirmation by a replica (`WAIT 1`), compared with the same commits in
 * SQLite in the same run. CPU time is that of this process. Also measures the Redis memory of a live call with 20
 * decisions.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/core/clock.ts';
import { silentLog } from '../src/base/core/silent-log.ts';
import type { CallWrite } from '../src/service/runtime/call-store.ts';
import { openRedisStore } from '../src/service/store/redis/store.ts';
import { openSqliteStore } from '../src/service/store/sqlite/store.ts';
import type { Store } from '../src/service/store/store.ts';
import { createMemoryStore } from '../test/memory-store.ts';
import { connectTo, startRedis } from '../test/redis-server.ts';
import { decisionsOf } from './decisions.ts';
import { report, reportRounds } from './figure.ts';

const COMMITS = 10_000;
/** Rounds of both stores alternate, so that other load affects both. */
const ROUNDS = 7;
const CALLS = 500;
const DECISIONS = 20;
const MEASURED_CALLS = 500;

interface Measured {
  cpuUs: number;
  perSecond: number;
}

async function measured(store: Store, run: string, atOnce: number): Promise<Measured> {
  const all: CallWrite[] = decisionsOf(`${run}-${atOnce}`, { commits: COMMITS, calls: CALLS });
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const startNs = process.hrtime.bigint();
  for (let n = 0; n < all.length; n += atOnce) {
    await Promise.all(all.slice(n, n + atOnce).map((write) => store.calls.commit(write)));
  }
  const seconds = Number(process.hrtime.bigint() - startNs) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: (user + system) / COMMITS, perSecond: COMMITS / seconds };
}

const folder = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
const primary = await startRedis();
const replica = await startRedis({ replicaOf: primary });
const connection = await connectTo(primary, { durability: 'replica' });
try {
  const shared = openRedisStore({
    ...{ connection, node: 'node-1', local: createMemoryStore(), archive: 'bench', keepCallsMs: 60_000 },
    ...{ clock: systemClock, log: silentLog },
  });
  for (const atOnce of [10, 100]) {
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const local = openSqliteStore({ file: join(folder, `${atOnce}-${round}.db`), clock: systemClock });
      const costs = [await measured(local, `s${round}`, atOnce), await measured(shared, `r${round}`, atOnce)] as const;
      await local.close();
      // Warm-up round, in which the code is compiled.
      if (round === 0) continue;
      theirs.push(costs[0]);
      ours.push(costs[1]);
    }
    const cpu = ({ cpuUs }: Measured): number => cpuUs;
    reportRounds(`cluster.commit_cpu.group_of_${atOnce}`, ours.map(cpu), 'us', theirs.map(cpu));
    const rate = ({ perSecond }: Measured): number => perSecond;
    reportRounds(`cluster.commits.group_of_${atOnce}`, ours.map(rate), '1/s', theirs.map(rate));
  }
  await primary.command('FLUSHALL');
  const before = await usedMemory();
  const writes = decisionsOf('m', { commits: MEASURED_CALLS * DECISIONS, calls: MEASURED_CALLS });
  for (let n = 0; n < writes.length; n += 100) {
    // Without events, which are delivered quickly and do not belong to the memory of a call.
    await Promise.all(writes.slice(n, n + 100).map((write) => shared.calls.commit({ ...write, deliveries: [] })));
  }
  report('cluster.memory_per_live_call', ((await usedMemory()) - before) / MEASURED_CALLS / 1024, 'KiB');
  await shared.close();
} finally {
  connection.close();
  await Promise.all([primary.stop(), replica.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

async function usedMemory(): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(String(await primary.command('INFO', 'memory')))?.[1]);
}
