/**
 * Cluster of three node processes with a Redis primary and replica, whose calls run on one Asterisk. Numbers 1000, 2000
 * and 3000 are routed to the nodes `one`, `two` and `three`. A separate ARI application records the playbacks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { type Service, startService } from '../e2e/service.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { SECRET, USER } from './asterisk.ts';
import { AsteriskNetwork } from './asterisk-network.ts';

export const NAMES = ['one', 'two', 'three'] as const;
export type Name = (typeof NAMES)[number];
export const numberOf = (name: Name): string => `${NAMES.indexOf(name) + 1}000`;

const EXTENSIONS = `[callweave]
${NAMES.map((name) => `exten => ${numberOf(name)},1,Stasis(callweave-${name})\n same => n,Hangup(34)`).join('\n')}
`;

/** One playback on a channel, as reported by Asterisk. */
export interface Playback {
  /** `LEG.PLAY.ROUND` */
  id: string;
  legId: string;
  startedMs: number;
  finishedMs?: number;
}

export class Nodes {
  readonly network: AsteriskNetwork;
  readonly receiver: Receiver;
  readonly services = new Map<Name, Service>();
  readonly playbacks: Playback[] = [];
  readonly #prefix: string;
  readonly #flow: string;
  readonly #redis: RedisServer[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'callweave-nodes-'));
  readonly #watch: WebSocket;
  #lives = 0;

  /** `prefix`: first three octets of the loopback addresses. `flow`: flow of all numbers. */
  static async open(prefix: string, flow: string): Promise<Nodes> {
    const network = await AsteriskNetwork.open(prefix, { 'extensions.conf': EXTENSIONS });
    const primary = await startRedis();
    const redis = [primary, await startRedis({ replicaOf: primary })];
    const watch = new WebSocket(
      `${network.asterisk.url.replace('http', 'ws')}/events?app=watch&subscribeAll=true&api_key=${USER}:${SECRET}`,
    );
    await new Promise((resolve, reject) => watch.once('open', resolve).once('error', reject));
    const nodes = new Nodes(prefix, flow, network, redis, watch, await startReceiver(`${prefix}.3`));
    try {
      for (const name of NAMES) await nodes.start(name);
    } catch (error) {
      await nodes.close();
      throw error;
    }
    return nodes;
  }

  private constructor(
    prefix: string,
    flow: string,
    network: AsteriskNetwork,
    redis: RedisServer[],
    watch: WebSocket,
    receiver: Receiver,
  ) {
    this.#prefix = prefix;
    this.#flow = flow;
    this.network = network;
    this.#redis = redis;
    this.#watch = watch;
    this.receiver = receiver;
    watch.on('message', (data) => this.#heard(JSON.parse(String(data))));
  }

  /** Restarts the nodes that a test has killed. */
  async startLost(): Promise<void> {
    for (const name of NAMES) if (!isAlive(this.services.get(name)!.pid)) await this.start(name);
  }

  async start(name: Name): Promise<void> {
    const address = `${this.#prefix}.${NAMES.indexOf(name) + 11}`;
    const service = await startService({
      ...{ directory: join(this.#directory, `${name}-${++this.#lives}`), address },
      more: {
        asterisk: {
          ...{ url: this.network.asterisk.url, user: USER, password: SECRET, trunk: 'carrier' },
          media_directory: join(this.#directory, 'sounds'),
        },
        cluster: {
          ...{ redis: { url: this.#redis[0]!.url }, node: name, address: `http://${address}:8080` },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
        },
      },
      numbers: NAMES.map((each) => ({
        ...{ number: numberOf(each), flow: 'takeover', project: 'demo', webhook: this.receiver.url },
      })),
      flows: { 'takeover.flow.yaml': this.#flow },
    });
    this.services.set(name, service);
  }

  /** Process id of the owner of each leg's call. */
  async carriers(): Promise<Map<string, number>> {
    const [primary] = this.#redis;
    const keys = (await primary!.command('KEYS', 'cw:*:call:*')) as string[];
    const found = keys.map(async (key) => {
      const owner = String(await primary!.command('HGET', key, 'owner'));
      const first = String(await primary!.command('LINDEX', key.replace(':call:', ':journal:'), '0'));
      const [started] = JSON.parse(first.slice(first.indexOf(' '))) as { leg: string }[];
      // The owner has the form `HOST-PID-RANDOM`.
      return [started!.leg, Number(owner.split('-').at(-2))] as const;
    });
    return new Map(await Promise.all(found));
  }

  /** Entries of the journal of a leg's call. */
  async journal(legId: string): Promise<string[]> {
    const [primary] = this.#redis;
    for (const key of (await primary!.command('KEYS', 'cw:*:journal:*')) as string[]) {
      const decisions = (await primary!.command('LRANGE', key, '0', '-1')) as string[];
      const entries = decisions.flatMap((each) => JSON.parse(each.slice(each.indexOf(' '))) as { leg?: string }[]);
      if (entries[0]?.leg === legId) return entries.map((entry) => JSON.stringify(entry));
    }
    return [];
  }

  /** States reported to the application, by call; a repeated event counts once. */
  states(): Map<string, string[]> {
    const seen = new Map(this.receiver.events.map(({ id, body }) => [id, body]));
    const states = new Map<string, string[]>();
    for (const { voice_id: callId, state } of seen.values()) {
      if (state === undefined) continue;
      states.set(String(callId), [...(states.get(String(callId)) ?? []), String(state)]);
    }
    return states;
  }

  /** Ids of the plays that Asterisk started more than once. */
  repeated(): string[] {
    const plays = this.playbacks.map(({ id }) => id);
    return plays.filter((id, at) => plays.indexOf(id) !== at);
  }

  async close(): Promise<void> {
    await Promise.all([...this.services.values()].map((node) => node.kill()));
    this.#watch.terminate();
    await this.receiver.stop();
    await this.network.close();
    for (const server of this.#redis.toReversed()) await server.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #heard({ type, playback }: { type: string; playback?: { id: string; target_uri: string } }): void {
    if (!playback) return;
    const { id } = playback;
    if (type === 'PlaybackStarted') {
      this.playbacks.push({ id, legId: playback.target_uri.replace(/^channel:/, ''), startedMs: Date.now() });
    } else if (type === 'PlaybackFinished') {
      const found = this.playbacks.findLast((each) => each.id === id);
      if (found) found.finishedMs = Date.now();
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
