/** Limits of a project over two nodes that exchange their reports through one real Redis. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { type Capacity, createCapacity } from '../../src/service/calls/capacity.ts';
import { Membership } from '../../src/service/cluster/membership.ts';
import { redisLeases } from '../../src/service/store/redis/connection/membership.ts';
import { reportOf } from '../contracts/cluster/leases.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

const LIMITS = { calls: 100, inboundReservePercent: 0 };
const PROJECTS = new Map<string, { maxCalls?: number }>([
  ['small', { maxCalls: 10 }],
  ['large', {}],
]);
const LEASE = { expiresMs: 1500, renewedMs: 100, trustedMs: 1200 };

interface TestNode {
  /** Live calls by project. */
  live: Record<string, number>;
  capacity: Capacity;
  leave(): Promise<void>;
}

const refusalOf = ({ capacity }: TestNode, projectId: string): string | undefined =>
  capacity.problem({ projectId, direction: 'inbound' })?.why;

describe.skipIf(redisProgram.missing)(`capacity of a project in a cluster${redisProgram.why}`, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  async function node(id: string): Promise<TestNode> {
    const connection = await connectTo(server);
    const live: Record<string, number> = {};
    const { id: _, ...report } = reportOf(id);
    const cluster = new Membership({
      ...{ me: id, store: redisLeases(connection), clock: systemClock, log: silentLog, lease: LEASE },
      report: () => ({ ...report, maxCalls: LIMITS.calls, callsOf: { ...live } }),
    });
    await cluster.start();
    onTestFinished(async () => {
      await cluster.stop();
      connection.close();
    });
    const capacity = createCapacity({
      clock: systemClock,
      limits: () => LIMITS,
      projects: { find: (projectId) => PROJECTS.get(projectId), list: () => [...PROJECTS] },
      supervisor: { liveCalls: 0, liveCallsOf: (projectId) => ({ inbound: live[projectId] ?? 0, outbound: 0 }) },
      others: () => cluster.others(),
    });
    return { live, capacity, leave: () => cluster.stop() };
  }

  it('refuses a call on one node while the other has the rest of `max_calls`', async () => {
    const [one, two] = [await node('1'), await node('2')];
    Object.assign(one.live, { small: 6 });
    Object.assign(two.live, { small: 4 });
    await expect
      .poll(() => [refusalOf(one, 'small'), refusalOf(two, 'small')])
      .toEqual(['project_full', 'project_full']);
    two.live['small'] = 3;
    await expect.poll(() => refusalOf(one, 'small')).toBeUndefined();
    expect(refusalOf(one, 'large')).toBeUndefined();
  });

  it('gives the project 80 % of both nodes, and of the remaining one after the other has left', async () => {
    const [one, two] = [await node('3'), await node('4')];
    Object.assign(one.live, { large: 85 });
    Object.assign(two.live, { large: 75 });
    await expect.poll(() => refusalOf(one, 'large')).toBe('project_full');
    two.live['large'] = 74;
    await expect.poll(() => refusalOf(one, 'large')).toBeUndefined();
    await two.leave();
    await expect.poll(() => refusalOf(one, 'large')).toBe('project_full');
    one.live['large'] = 79;
    expect(refusalOf(one, 'large')).toBeUndefined();
  });
});
