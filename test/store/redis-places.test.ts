import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { CommandGroups } from '../../src/store/redis/command-groups.ts';
import { redisPlaces } from '../../src/store/redis/places.ts';
import type { RedisConnection } from '../../src/store/redis/redis-client.ts';
import { WriteHealth } from '../../src/store/write-health.ts';
import { placeContract } from '../contracts/cluster/places.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

describe.skipIf(redisProgram.missing)(`homes of places${redisProgram.why}`, () => {
  let server: RedisServer;
  let connection: RedisConnection;
  let groups: CommandGroups;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connectTo(server);
    const health: WriteHealth = new WriteHealth(systemClock, async () => undefined);
    groups = new CommandGroups({ connection, clock: systemClock, health });
  });
  afterAll(async () => {
    await groups.close();
    connection.close();
    await server.stop();
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
  });

  placeContract('Redis', (test) => test((node) => redisPlaces({ groups, client: connection.client, node })));
});
