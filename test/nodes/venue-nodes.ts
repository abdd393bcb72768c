/**
 * Nodes that share conferences and queues, in virtual time: with their leases, and with failures of their connections.
 */
import { countingIds } from '../../src/base/core/ids.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { Callback } from '../../src/service/calls/conferences/callback.ts';
import { configuredRooms } from '../../src/service/calls/conferences/room-phones.ts';
import { type CallVenues, createVenues } from '../../src/service/calls/conferences/venues.ts';
import { lostNodes } from '../../src/service/cluster/lost-nodes.ts';
import { Membership } from '../../src/service/cluster/membership.ts';
import { type ClusterVenues, createClusterVenues } from '../../src/service/cluster/venues/cluster-venues.ts';
import type { ChannelEnd, NodeChannel, NodeNetwork } from '../../src/service/cluster/venues/node-network.ts';
import { Party } from '../calls/conferences/test-members.ts';
import { reportOf } from '../contracts/cluster/leases.ts';
import { MemoryVenues } from './memory-venues.ts';
import { SimulatedLeases } from './simulated-leases.ts';

const LEASE = { expiresMs: 1500, renewedMs: 500, trustedMs: 1200 };
const ON_THE_WAY_MS = 3;

export interface VenueNode {
  id: string;
  /** The venues as the node's calls see them. */
  venues: ClusterVenues['venues'];
  clusterVenues: ClusterVenues;
  /** The venues of which this node is the owner node. */
  local: CallVenues;
  /** Mixes that this node has linked with an owner node elsewhere. */
  linked: Links;
  /** Mixes of other nodes that this node answers as their owner node. */
  answered: Links;
  hungUp: string[];
  /** Projects whose callbacks this node carries out. */
  callsBack: Set<string>;
  /** The connection to the store, for leases and for venues. */
  store: { isCut?: boolean; delayMs?: number };
  /** True if the node is dead: its messages reach no other node. */
  kill(): void;
  /** Breaks all connections of the node, which can be opened again. */
  disconnect(): void;
}

export async function startVenueNodes(names: readonly string[]): Promise<{
  party: Party;
  nodes: VenueNode[];
  stored: MemoryVenues;
  /** Projects with pending callbacks. */
  waiting: Set<string>;
}> {
  const party = new Party();
  const { clock } = party;
  const leases = new SimulatedLeases(clock);
  const stored = new MemoryVenues(clock);
  const wires = new Wires(clock);
  const waiting = new Set<string>();
  const nodes = await Promise.all(names.map((name) => startNode(name, { clock, leases, stored, wires, waiting })));
  await clock.advance(2000);
  return { party, nodes, stored, waiting };
}

interface Shared {
  clock: VirtualClock;
  leases: SimulatedLeases;
  stored: MemoryVenues;
  wires: Wires;
  waiting: ReadonlySet<string>;
}

async function startNode(name: string, { clock, leases, stored, wires, waiting }: Shared): Promise<VenueNode> {
  const store = {};
  const { id, ...report } = reportOf(name);
  const cluster = new Membership({
    ...{ me: id, store: leases.connect(store), clock, log: silentLog, lease: LEASE },
    report: () => report,
  });
  const [linked, answered] = [new Links(), new Links()];
  const hungUp: string[] = [];
  const callsBack = new Set<string>();
  const numbers = countingIds();
  const ids = { next: (kind: string) => `${numbers.next(kind)}-of-${name}` };
  const local = createVenues({
    ...{ clock, ids, rooms: configuredRooms([]) },
    conferenceOpened: (conference) => clusterVenues.conferenceOpened(conference),
  });
  const clusterVenues: ClusterVenues = createClusterVenues({
    ...{
      cluster,
      isLost: lostNodes(cluster, clock),
      store: stored.connect(id, store),
      network: wires.of(id),
      local,
      clock,
      ids,
      log: silentLog,
    },
    sound: {
      linkMix(mixId, _far, opened) {
        const close = linked.open(mixId);
        const timer = clock.after(1, () => opened({ port: 1, key: 'k' }));
        return {
          close() {
            timer.cancel();
            close();
          },
        };
      },
      acceptMixLink: (mixId) => ({ close: answered.open(mixId) }),
    },
    hangUp: (_project, callId) => void hungUp.push(callId),
    desk: () => ({
      projects: async () => [...waiting],
      async takeUp(isMine) {
        for (const projectId of waiting) {
          if (!isMine(projectId) || callsBack.has(projectId)) continue;
          callsBack.add(projectId);
          local.queue.restore(callbackOf(projectId));
        }
      },
      letGo(isTheirs) {
        for (const projectId of callsBack) {
          if (!isTheirs(projectId)) continue;
          callsBack.delete(projectId);
          local.queue.exit(callbackOf(projectId).callbackId);
        }
      },
    }),
  });
  await cluster.start();
  clusterVenues.start();
  return {
    ...{ id, venues: clusterVenues.venues, clusterVenues, local, linked, answered, hungUp, callsBack, store },
    kill() {
      Object.assign(store, { isCut: true });
      wires.kill(id);
    },
    disconnect: () => wires.cut(id),
  };
}

const callbackOf = (projectId: string): Callback => ({
  ...{ callbackId: `callback of ${projectId}`, projectId, queue: 'support', to: '061', from: '1000', callId: 'c' },
  ...{ flow: 'back', input: {}, agents: ['209'], priority: 0, enteredMs: 1, attempts: 0, maxAttempts: 3, pauseMs: 1 },
  ...{ ringTimeoutMs: 1, notBeforeMs: 0, untilMs: 1e15 },
});

/** The mixes of open links, each once. */
class Links {
  readonly #open = new Map<object, string>();

  open(mixId: string): () => void {
    const link = {};
    this.#open.set(link, mixId);
    return () => void this.#open.delete(link);
  }

  get count(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<string> {
    return new Set(this.#open.values())[Symbol.iterator]();
  }
}

/** Messages arrive a little later, in order; those of a dead node never do. */
class Wires {
  readonly #clock: VirtualClock;
  readonly #ends = new Map<string, (channel: NodeChannel) => ChannelEnd>();
  readonly #dead = new Set<string>();
  readonly #open = new Set<{ of: readonly string[]; cut(): void }>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  of(id: string): NodeNetwork {
    return {
      accept: (end) => void this.#ends.set(id, end),
      open: async (node, end) => {
        await new Promise<void>((resolve) => void this.#clock.after(ON_THE_WAY_MS, resolve));
        if (this.#dead.has(node.id) || this.#dead.has(id)) throw new Error('nobody answers');
        return this.#connect(id, node.id, end);
      },
    };
  }

  kill(id: string): void {
    this.#dead.add(id);
    this.cut(id);
  }

  cut(id: string): void {
    for (const wire of [...this.#open]) if (wire.of.includes(id)) wire.cut();
  }

  #connect(from: string, to: string, end: (channel: NodeChannel) => ChannelEnd): NodeChannel {
    let isOpen = true;
    const ends: ChannelEnd[] = [];
    const cut = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#open.delete(wire);
      this.#clock.after(ON_THE_WAY_MS, () => {
        for (const [index, each] of ends.entries()) if (!this.#dead.has([from, to][index]!)) each.closed();
      });
    };
    const wire = { of: [from, to], cut };
    this.#open.add(wire);
    const channelTo = (node: string, other: number): NodeChannel => ({
      ...{ node, localHost: '127.0.0.1', farHost: '127.0.0.1' },
      send: (message) => {
        const copy = JSON.parse(JSON.stringify(message)) as JsonObject;
        this.#clock.after(ON_THE_WAY_MS, () => isOpen && ends[other]!.message(copy));
      },
      close: cut,
    });
    const own = channelTo(to, 1);
    ends.push(end(own), this.#ends.get(to)!(channelTo(from, 0)));
    return own;
  }
}
