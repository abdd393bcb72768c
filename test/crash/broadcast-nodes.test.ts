/** Broadcasts of a cluster of real processes, under failures of nodes and of Redis. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { redisProgram, until } from '../redis-server.ts';
import { ADMIN, CallingNodes, callThrough, numbersFrom } from './calling-nodes.ts';

const sipp = program('sipp');
const PER_SECOND = 40;

describe.skipIf(redisProgram.missing || sipp.missing)(`broadcasts of a cluster${redisProgram.why}${sipp.why}`, () => {
  let all: CallingNodes;
  beforeAll(async () => {
    all = await CallingNodes.start(3);
  });
  afterAll(() => all?.stop());

  let given = 0;
  const numbers = (count: number): string[] => {
    given += count;
    return numbersFrom(given - count, count);
  };
  const dialledOf = (wanted: readonly string[]): string[] => {
    const known = new Set(wanted);
    return all.dialled().flatMap(({ number }) => (known.has(number) ? number : []));
  };
  const resultsOf = async (broadcastId: string): Promise<Map<string, string>> => {
    const { rows } = await all.report(all.nodes[0]!, broadcastId);
    const reason = (row: Record<string, unknown>) => (row['result'] as { reason?: string } | undefined)?.reason;
    return new Map(rows.map((row) => [String(row['dialed_number']), reason(row) ?? 'none']));
  };

  it('calls each number once and ends once if a node is killed midway', { timeout: 120_000 }, async () => {
    const wanted = numbers(400);
    const figures = await callThrough(all, wanted, { perSecond: PER_SECOND, killAfter: 120 });
    expect(figures).toMatchObject({ numbers: 400, twice: [], forgotten: 0 });
    const { success = 0, 'Service Restarted': lost = 0 } = figures.results;
    expect(success + lost).toBe(400);
    // The numbers that the dead node was about to dial, at most one second of its share.
    expect(lost).toBeLessThanOrEqual(PER_SECOND);
    expect(figures.dialled).toBeGreaterThanOrEqual(success);
    await all.restart(2);
  });

  it('continues without a node that is drained, or stops', { timeout: 120_000 }, async () => {
    const wanted = numbers(300);
    const [one, two, three] = all.nodes as [(typeof all.nodes)[0], (typeof all.nodes)[0], (typeof all.nodes)[0]];
    const broadcastId = await all.order(one, wanted, PER_SECOND);
    await until(async () => dialledOf(wanted).length > 60);
    expect((await one.api('POST', '/admin/v1/drain', {}, ADMIN)).status).toBeLessThan(300);
    expect(await two.stop()).toBe(0);
    await until(async () => dialledOf(wanted).length === 300, 60_000);
    await all.ended(broadcastId, 60_000);
    expect(new Set((await resultsOf(broadcastId)).values())).toEqual(new Set(['success']));
    const isEnd = (line: string): boolean => line.includes('broadcast.ended') && line.includes(broadcastId);
    const ends = (): string[] => [one, three].flatMap((node) => node.log().split('\n').filter(isEnd));
    await expect.poll(() => ends().length, { timeout: 5000 }).toBe(1);
    expect((await one.api('DELETE', '/admin/v1/drain', undefined, ADMIN)).status).toBeLessThan(300);
    await all.restart(1);
  });

  it('stops on all nodes at once, also when one dies in that moment', { timeout: 120_000 }, async () => {
    const wanted = numbers(400);
    const [one, two, three] = all.nodes as [(typeof all.nodes)[0], (typeof all.nodes)[0], (typeof all.nodes)[0]];
    const broadcastId = await all.order(one, wanted, PER_SECOND);
    await until(async () => dialledOf(wanted).length > 80);
    const stopped = two.api('DELETE', `/voice/v1/broadcast/${broadcastId}?hangup=true`);
    await three.kill();
    expect((await stopped).status).toBe(200);
    const dialled = dialledOf(wanted).length;
    await all.ended(broadcastId, 0);
    expect(dialledOf(wanted).length - dialled).toBeLessThan(PER_SECOND / 4);
    const results = await resultsOf(broadcastId);
    expect(results.size).toBe(400);
    expect([...results.values()]).not.toContain('none');
    expect(new Set(dialledOf(wanted)).size).toBe(dialledOf(wanted).length);
    const lists = await Promise.all([one, two].map((node) => node.api('GET', '/voice/v1/broadcast')));
    expect(lists[1]!.body['broadcasts']).toEqual(lists[0]!.body['broadcasts']);
    await all.restart(2);
  });

  it('waits while Redis is unreachable, and then calls each number once', { timeout: 120_000 }, async () => {
    const wanted = numbers(200);
    const broadcastId = await all.order(all.nodes[0]!, wanted, PER_SECOND);
    await until(async () => dialledOf(wanted).length > 60);
    all.servers[0]!.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    all.servers[0]!.signal('SIGCONT');
    await all.ended(broadcastId, 30_000);
    expect(dialledOf(wanted).sort()).toEqual(wanted);
    expect(new Set((await resultsOf(broadcastId)).values())).toEqual(new Set(['success']));
  });
});
