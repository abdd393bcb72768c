/**
 * Three nodes as processes of their own, each with wires of its own to Redis and its replica, and what may befall them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { type Service, startService } from '../e2e/service.ts';
import { type RedisServer, startRedis, until } from '../redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';

export const NAMES = ['one', 'two', 'three'] as const;
export type NodeName = (typeof NAMES)[number];

export type FaultKind = 'kill' | 'pause' | 'cut_hang' | 'cut_reset' | 'failover';

export interface Fault {
  /** `overload`: the machine was too busy (`lost-leases.ts`). */
  kind: FaultKind | 'overload';
  /** Absent: Redis. */
  node?: NodeName;
  fromMs: number;
  /** Time at which its cause was removed. */
  healedMs: number;
  /** Time at which the state was normal again. */
  untilMs: number;
}

export interface FaultNodes {
  service(name: NodeName): Service;
  /** False from the moment of its fault until it answers again. */
  isUp(name: NodeName): boolean;
  /** `lastsMs`: duration of a pause or a disconnection. */
  befall(kind: FaultKind, node: NodeName, lastsMs?: number): Promise<Fault>;
  /** Stops the node with SIGTERM and starts it again. */
  restart(name: NodeName): Promise<void>;
  /** Logs by run and node: `1-one` and so on. */
  logs(): Map<string, string>;
  stop(): Promise<void>;
}

/** `127.0.45.1` and so on: the network of one cluster. */
export interface FaultNodesOptions {
  network: string;
  flows: Record<string, string>;
  numbers: object[];
  more?: object;
}

const LASTS_MS = 3000;
const READY_WITHIN_MS = 30_000;

export async function startFaultNodes({ network, flows, numbers, more }: FaultNodesOptions): Promise<FaultNodes> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-faults-'));
  let primary = await startRedis();
  let replica = await startRedis({ replicaOf: primary });
  const servers: RedisServer[] = [primary, replica];
  const wires = new Map<NodeName, [TcpProxy, TcpProxy]>();
  const services = new Map<NodeName, Service>();
  const lives: [NodeName, Service][] = [];
  const down = new Set<NodeName>();
  /** The node's wire that leads to the primary. */
  let first = 0;

  const start = async (name: NodeName): Promise<void> => {
    const address = `${network}.${NAMES.indexOf(name) + 1}`;
    const service = await startService({
      ...{ directory: join(directory, name), address, numbers, flows },
      sip: { routes: [{ uri: `sip:${network}.9:5060` }], rtp_ports: [20_000, 29_999] },
      more: {
        limits: { requests_per_second: 1000, request_burst: 1000, drain: '20s' },
        cluster: {
          redis: { url: wires.get(name)!.map(({ port }) => `redis://127.0.0.1:${port}`) },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
          node: name,
          address: `http://${address}:8080`,
        },
        ...more,
      },
    });
    services.set(name, service);
    lives.push([name, service]);
  };
  const isReady = async (name: NodeName): Promise<boolean> => {
    const { url } = services.get(name)!;
    return fetch(`${url}/ready`, { signal: AbortSignal.timeout(1000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  const allReady = () => until(async () => (await Promise.all(NAMES.map(isReady))).every(Boolean), READY_WITHIN_MS);

  const failOver = async (): Promise<void> => {
    const lost = primary;
    lost.signal('SIGKILL');
    await replica.command('REPLICAOF', 'NO', 'ONE');
    primary = replica;
    replica = await startRedis({ replicaOf: primary });
    servers.push(replica);
    for (const pair of wires.values()) pair[first]!.target = replica.port;
    first = 1 - first;
    await lost.stop();
    servers.splice(servers.indexOf(lost), 1);
  };

  const faults: Record<FaultKind, (name: NodeName, lastsMs: number) => Promise<void>> = {
    async kill(name) {
      await services.get(name)!.kill();
      await start(name);
    },
    async pause(name, lastsMs) {
      process.kill(services.get(name)!.pid, 'SIGSTOP');
      await elapse(lastsMs);
      process.kill(services.get(name)!.pid, 'SIGCONT');
    },
    cut_hang: (name, lastsMs) => cut(name, 'hang', lastsMs),
    cut_reset: (name, lastsMs) => cut(name, 'reset', lastsMs),
    failover: failOver,
  };
  const cut = async (name: NodeName, how: 'hang' | 'reset', lastsMs: number): Promise<void> => {
    for (const wire of wires.get(name)!) wire.cut(how);
    await elapse(lastsMs);
    for (const wire of wires.get(name)!) wire.heal();
  };

  for (const name of NAMES) {
    wires.set(name, [await startTcpProxy(primary.port), await startTcpProxy(replica.port)]);
  }
  const stop = async (): Promise<void> => {
    await Promise.all([...services.values()].map((service) => service.kill()));
    for (const wire of [...wires.values()].flat()) await wire.stop();
    for (const server of servers.toReversed()) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await Promise.all(NAMES.map(start));
    await allReady();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    service: (name) => services.get(name)!,
    isUp: (name) => !down.has(name),
    async befall(kind, node, lastsMs = LASTS_MS) {
      const fromMs = Date.now();
      if (kind !== 'failover') down.add(node);
      await faults[kind](node, lastsMs);
      const healedMs = Date.now();
      await allReady();
      down.delete(node);
      return { kind, ...(kind === 'failover' ? {} : { node }), fromMs, healedMs, untilMs: Date.now() };
    },
    async restart(name) {
      await services.get(name)!.stop();
      await start(name);
      await until(() => isReady(name), READY_WITHIN_MS);
    },
    logs: () => new Map(lives.map(([name, service], index) => [`${index + 1}-${name}`, service.log()])),
    stop,
  };
}
