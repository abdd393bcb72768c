/** Hints between nodes about pending deliveries, and the claim of a receiver, over a real Redis. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { CommandGroups } from '../../src/service/store/redis/connection/command-groups.ts';
import { redisReceiverClaims } from '../../src/service/store/redis/stores/receiver-claims.ts';
import { redisWakeHints } from '../../src/service/store/redis/stores/wake-hints.ts';
import { WriteHealth } from '../../src/service/store/write-health.ts';
import { connectTo, EVERY_RIGHT, redisProgram, startRedis, until } from '../redis-server.ts';

const nodes = async (count: number) => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const connections = await Promise.all(Array.from({ length: count }, () => connectTo(server, EVERY_RIGHT)));
  onTestFinished(() => connections.forEach((connection) => void connection.close()));
  return connections;
};

it.skipIf(redisProgram.missing)(
  `wakes a node for receivers of another, once for many hints of a turn${redisProgram.why}`,
  async () => {
    const [one, two] = await nodes(2);
    const heard: (readonly string[])[] = [];
    const stop = redisWakeHints(two!).onWake((receivers) => void heard.push(receivers));
    await until(async () => String(await two!.client.call('PUBSUB', 'NUMSUB', 'cw:arrivals')) === 'cw:arrivals,1');
    const { wake } = redisWakeHints(one!);
    for (const receiver of ['a', 'b', 'a']) wake(receiver);
    await until(async () => heard.length > 0);
    await one!.client.publish('cw:arrivals', 'not JSON');
    wake('c');
    await until(async () => heard.length > 1);
    expect(heard).toEqual([['a', 'b'], ['c']]);
    stop();
  },
);

it.skipIf(redisProgram.missing)(
  `assigns a receiver to one node, until that releases it or is passed over${redisProgram.why}`,
  async () => {
    const [connection] = await nodes(1);
    const health = new WriteHealth(systemClock, async () => undefined);
    const groups = new CommandGroups({ connection: connection!, clock: systemClock, health });
    onTestFinished(() => groups.close());
    const claims = redisReceiverClaims(groups);
    const claim = (node: string, from?: string, lastsMs = 60_000) => claims.claim('r', { node, from, lastsMs });
    expect(await claim('one')).toBe('one');
    expect(await claim('two')).toBe('one');
    expect(await claim('one')).toBe('one');
    // A node without the claim cannot release it.
    await claims.release('r', 'two');
    expect(await claim('two')).toBe('one');
    await claims.release('r', 'one');
    expect(await claim('two')).toBe('two');
    expect(await claim('three', 'one')).toBe('two');
    expect(await claim('three', 'two', 30)).toBe('three');
    await until(async () => (await claim('four')) === 'four');
  },
);
