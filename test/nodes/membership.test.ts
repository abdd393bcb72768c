/** Failure detection between nodes, in virtual time. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { clusterOfOne } from '../../src/service/cluster/cluster.ts';
import { Membership } from '../../src/service/cluster/membership.ts';
import { nodeEpoch } from '../../src/service/cluster/node-epoch.ts';
import { leaseContract, reportOf } from '../contracts/cluster/leases.ts';
import { SimulatedLeases } from './simulated-leases.ts';

leaseContract('memory', async (test) => {
  const clock = new VirtualClock();
  await test({ store: new SimulatedLeases(clock).connect(), pass: (ms) => clock.advance(ms) });
});

const LEASE = { expiresMs: 1500, renewedMs: 500, trustedMs: 1200 };

/** Nodes `1` … `count`, each with its own connection to the store. */
async function startNodes(count: number) {
  const clock = new VirtualClock();
  const leases = new SimulatedLeases(clock);
  const nodes = Array.from({ length: count }, (_, index) => {
    const link: { isCut?: boolean; delayMs?: number } = {};
    const { id, ...report } = reportOf(String(index + 1));
    const node = new Membership({
      ...{ me: id, store: leases.connect(link), clock, log: silentLog, lease: LEASE },
      report: () => report,
    });
    const events: string[] = [];
    node.onChange(({ joined, lost }) => {
      for (const { id: other } of joined) events.push(`+${other}`);
      for (const { id: other } of lost) events.push(`-${other} ${clock.monotonicMs()}`);
    });
    node.onRegained(() => events.push('regained'));
    return { node, link, events };
  });
  for (const { node } of nodes) await node.start();
  await clock.advance(2000);
  for (const { events } of nodes) events.length = 0;
  return { clock, leases, nodes };
}

const idsOf = (node: Membership): string[] => node.nodes().map(({ id }) => id);

describe('nodes of a cluster', () => {
  it('lists all members, itself first, with the published data of each', async () => {
    const { nodes } = await startNodes(3);
    expect(nodes.map(({ node }) => idsOf(node))).toEqual([
      ['1', '2', '3'],
      ['2', '1', '3'],
      ['3', '1', '2'],
    ]);
    const [, other] = nodes[0]!.node.nodes();
    expect(other).toMatchObject({ name: 'node-2', liveCalls: 3, address: 'http://127.0.0.1:802' });
    expect(other!.leaseAgeMs).toBeLessThan(1000);
  });

  it('counts a node as lost after its lease expired, once and within two seconds', async () => {
    const { clock, nodes } = await startNodes(3);
    const cutMs = clock.monotonicMs();
    nodes[2]!.link.isCut = true;
    await clock.advance(10_000);
    for (const { events, node } of nodes.slice(0, 2)) {
      expect(events).toHaveLength(1);
      const [what, atMs] = events[0]!.split(' ');
      expect(what).toBe('-3');
      expect(Number(atMs) - cutMs).toBeLessThan(2000);
      expect(idsOf(node)).not.toContain('3');
    }
  });

  it('stops deciding before the others count it as lost', async () => {
    const { clock, nodes } = await startNodes(2);
    const [one, two] = nodes;
    two!.link.isCut = true;
    let stoppedMs: number | undefined;
    while (one!.events.length === 0) {
      await clock.advance(10);
      if (!two!.node.isLeaseValid()) stoppedMs ??= clock.monotonicMs();
    }
    const lostMs = Number(one!.events[0]!.split(' ')[1]);
    expect(stoppedMs).toBeLessThan(lostMs - 100);
    expect(two!.node.nodes().map(({ id }) => id)).not.toContain('2');
  });

  it('holds its lease again when the store returns, and reports it once', async () => {
    const { clock, nodes } = await startNodes(2);
    const [one, two] = nodes;
    two!.link.isCut = true;
    await clock.advance(5000);
    expect(two!.events).toEqual([]);
    two!.link.isCut = false;
    await clock.advance(1000);
    expect(two!.events).toEqual(['regained']);
    expect(two!.node.isLeaseValid()).toBe(true);
    expect(one!.events.at(-1)).toBe('+2');
  });

  it('counts a lease from when its renewal was sent, however late the answer is', async () => {
    const { clock, nodes } = await startNodes(1);
    const { node, link } = nodes[0]!;
    link.delayMs = 1300;
    await clock.advance(1800);
    expect(node.isLeaseValid()).toBe(false);
  });

  it('counts no node as lost after the store was unreachable for all', async () => {
    const { clock, leases, nodes } = await startNodes(3);
    leases.isAway = true;
    await clock.advance(20_000);
    expect(nodes.map(({ node }) => node.isLeaseValid())).toEqual([false, false, false]);
    leases.isAway = false;
    await clock.advance(5000);
    expect(nodes.map(({ node }) => node.isLeaseValid())).toEqual([true, true, true]);
    expect(nodes.flatMap(({ events }) => events).filter((event) => event.startsWith('-'))).toEqual([]);
  });

  it('announces at once that it leaves', async () => {
    const { clock, nodes } = await startNodes(2);
    await nodes[1]!.node.stop();
    await clock.advance(250);
    expect(nodes[0]!.events.map((event) => event.split(' ')[0])).toEqual(['-2']);
  });
});

describe('a single process', () => {
  it('is a cluster with one node', () => {
    const { id, ...report } = reportOf('1');
    const cluster = clusterOfOne(id, () => report);
    expect(cluster.isLeaseValid()).toBe(true);
    expect(cluster.nodes()).toEqual([{ ...reportOf('1'), leaseAgeMs: 0 }]);
  });

  it('has a different id in every life', () => {
    expect(nodeEpoch()).toContain(`-${process.pid}-`);
    expect(nodeEpoch()).not.toBe(nodeEpoch());
  });
});
