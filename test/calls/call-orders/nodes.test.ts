/** Calls that flows place in a cluster: two nodes with one real Redis share each order. Simulated lines, virtual time. */
import { describe, expect, it } from 'vitest';
import type { CallToPlace } from '../../../src/base/core/placed-call.ts';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { createFlowCalls } from '../../../src/service/calls/call-orders/flow-calls.ts';
import { createMemoryStore } from '../../memory-store.ts';
import { redisProgram } from '../../redis-server.ts';
import { type BroadcastNode, broadcastNodes } from '../../store/redis-broadcast-nodes.ts';
import { PROJECT, Rig, type RigOptions, START_MS } from '../broadcast/rig.ts';

const MINUTE = 60_000;
const STEP_MS = 250;
/** A step of the nodes has fewer commands of Redis in turn. */
const ROUND_TRIPS = 6;
const RING_MS = 10_000;
const [ANNA, BOB, CARLA, DAN] = ['+33100000001', '+33100000002', '+33100000003', '+33100000004'] as const;
const TALKS: CalleePlan = { does: 'answer', afterMs: 1000, talkMs: 60_000 };
const NO_ANSWER: CalleePlan = { does: 'no_answer' };

const PAGE = `
flow: page
vars: { accepted: { type: boolean, default: false } }
output: { accepted: "\${ vars.accepted }" }
start: ask
steps:
  ask:
    menu: { prompt: { text: Press one }, choices: { accept: { dtmf: "1" } }, attempts: 1, start_timeout: 5s }
    exits: { accept: note, exhausted: bye, error: bye }
  note: { set: { accepted: true }, next: bye }
  bye: { return: done }
`;

interface Cluster {
  rigs: readonly [Rig, Rig];
  /** Sends an order to the node of this index. */
  send(node: 0 | 1, ...order: Parameters<ReturnType<typeof createFlowCalls>>): Promise<number | string>;
  pass(ms: number): Promise<void>;
  /** Numbers in the order of their calls on both nodes. */
  dialled(): string[];
}

async function openCluster(options: RigOptions = {}): Promise<Cluster> {
  const nodes = (await broadcastNodes(2)) as [BroadcastNode, BroadcastNode];
  const clock = new VirtualClock(START_MS);
  const store = createMemoryStore();
  const open = ({ broadcasts, gate }: BroadcastNode): Rig =>
    Rig.open({ flows: { page: PAGE }, callee: () => TALKS, ...options, clock, gate, store: { ...store, broadcasts } });
  const rigs = [open(nodes[0]), open(nodes[1])] as const;
  const orders = rigs.map((rig) => createFlowCalls({ ...rig.parts, broadcasts: rig.broadcasts }));
  const dials = () => rigs.flatMap((rig) => rig.dials).toSorted((one, other) => one.atMs - other.atMs);
  return {
    rigs,
    async send(node, ...order) {
      const reply = await orders[node]!(...order);
      return reply.ok ? reply.status : reply.message;
    },
    async pass(ms) {
      for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
        await clock.advance(STEP_MS);
        for (let trip = 0; trip < ROUND_TRIPS; trip++)
          await Promise.all(nodes.map(({ broadcasts }) => broadcasts.unfinished()));
      }
    },
    dialled: () => dials().map(({ to }) => to),
  };
}

const order = (more: Partial<CallToPlace> = {}): CallToPlace => ({
  ...{ to: [ANNA], from: '1000', flow: 'page', input: {}, startsMs: START_MS, until: 'answered', allow: ['+33'] },
  ...{ attempts: 1, pauseMs: MINUTE, ringTimeoutMs: RING_MS, ...more },
});

describe.skipIf(redisProgram.missing)(`order of a flow in a cluster${redisProgram.why}`, { timeout: 60_000 }, () => {
  it('calls one number after the other on all nodes, until one answers', async () => {
    const cluster = await openCluster({ callee: (to) => (to === CARLA ? TALKS : NO_ANSWER) });
    expect(await cluster.send(0, { id: 'o-1', place: order({ to: [ANNA, BOB, CARLA, DAN] }) }, PROJECT)).toBe(201);
    await cluster.pass(2 * MINUTE);
    expect(cluster.dialled()).toEqual([ANNA, BOB, CARLA]);
    const times = cluster.rigs.flatMap(({ dials }) => dials.map(({ atMs }) => atMs)).toSorted((a, b) => a - b);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(RING_MS);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(RING_MS);
    expect((await cluster.rigs[1].find('o-1')).endedMs).toBeDefined();
    expect(await cluster.rigs[1].results('o-1')).toMatchObject({
      [CARLA]: 'success success 1',
      [DAN]: 'failed Broadcast Stopped 0',
    });
  });

  it('continues in turn on the other node while one drains', async () => {
    const cluster = await openCluster({ callee: () => NO_ANSWER });
    await cluster.send(0, { id: 'o-1', place: order({ to: [ANNA, BOB, CARLA] }) }, PROJECT);
    await cluster.pass(5000);
    const [first] = cluster.rigs.filter(({ dials }) => dials.length > 0) as [Rig];
    const other = cluster.rigs.find((rig) => rig !== first)!;
    expect(cluster.dialled()).toEqual([ANNA]);
    first.broadcasts.pause(true);
    await cluster.pass(MINUTE);
    expect([first, other].map(({ dials }) => dials.map(({ to }) => to))).toEqual([[ANNA], [BOB, CARLA]]);
  });

  it('places no other call after a person accepted on one node', async () => {
    const accepts: CalleePlan = { does: 'answer', afterMs: 1000, talkMs: 30_000 };
    const cluster = await openCluster({
      callee: () => accepts,
      dialled: (farEnd, { to }) => {
        farEnd.observe((notice) => {
          if (notice.type === 'hears' && to === BOB) farEnd.press('1');
        });
      },
    });
    const place = order({ to: [ANNA, BOB, CARLA], until: 'accepted', attempts: 2 });
    await cluster.send(1, { id: 'o-1', place }, PROJECT);
    await cluster.pass(4 * MINUTE);
    expect(cluster.dialled()).toEqual([ANNA, BOB]);
    expect((await cluster.rigs[0].find('o-1')).endedMs).toBeDefined();
  });

  it('is placed once if a second node sends it again', async () => {
    const cluster = await openCluster();
    expect(await cluster.send(0, { id: 'o-1', place: order() }, PROJECT)).toBe(201);
    expect(await cluster.send(1, { id: 'o-1', place: order() }, PROJECT)).toBe(201);
    await cluster.pass(2 * MINUTE);
    expect(cluster.dialled()).toEqual([ANNA]);
  });

  it('is cancelled by its key on a node that did not place it', async () => {
    const cluster = await openCluster();
    const place = order({ key: 'room 12', startsMs: START_MS + MINUTE });
    await cluster.send(0, { id: 'o-1', place }, PROJECT);
    expect(await cluster.send(1, { id: 'c-1', cancel: 'room 12' }, 'shop-2')).toBe(404);
    expect(await cluster.send(1, { id: 'c-2', cancel: 'room 12' }, PROJECT)).toBe(200);
    expect(await cluster.send(0, { id: 'c-3', cancel: 'room 12' }, PROJECT)).toBe(404);
    await cluster.pass(2 * MINUTE);
    expect(cluster.dialled()).toEqual([]);
  });

  it('replaces an order of another node with the same key', async () => {
    const cluster = await openCluster();
    await cluster.send(0, { id: 'o-1', place: order({ key: 'room 12', startsMs: START_MS + MINUTE }) }, PROJECT);
    const later = order({ to: [BOB], key: 'room 12', startsMs: START_MS + 2 * MINUTE });
    expect(await cluster.send(1, { id: 'o-2', place: later }, PROJECT)).toBe(201);
    await cluster.pass(4 * MINUTE);
    expect(cluster.dialled()).toEqual([BOB]);
    expect((await cluster.rigs[0].find('o-1')).state).toBe('stopped');
  });
});
