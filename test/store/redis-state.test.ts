/** Reports on the state of the shared Redis. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { CommitTimes } from '../../src/service/store/redis/connection/commit-times.ts';
import { storeStateOf } from '../../src/service/store/redis/connection/store-state.ts';
import { connectTo, redisProgram, startRedis, until } from '../redis-server.ts';

it.skipIf(redisProgram.missing)(
  `says whether it is reached, and how its replica follows${redisProgram.why}`,
  async () => {
    const primary = await startRedis();
    onTestFinished(() => primary.stop());
    const connection = await connectTo(primary, { durability: 'replica' });
    onTestFinished(() => connection.close());
    const parts = { connection, times: new CommitTimes(), clock: systemClock };
    expect(await storeStateOf(parts)).toMatchObject({ isReachable: true, replicas: 0, durability: 'replica' });
    const replica = await startRedis({ replicaOf: primary });
    onTestFinished(() => replica.stop());
    await until(async () => (await storeStateOf(parts)).replicas === 1);
    for (const ms of [1, 2, 3, 100]) parts.times.add(ms);
    expect(await storeStateOf(parts)).toMatchObject({
      replicaLagBytes: expect.any(Number),
      memoryBytes: expect.any(Number),
      version: expect.stringMatching(/^(Redis|Valkey) \d/),
      ...{ commitP50Ms: 3, commitP99Ms: 100 },
    });
    primary.signal('SIGKILL');
    await until(async () => !(await storeStateOf(parts)).isReachable);
  },
);
