/**
 * A bad network for tests: UDP relays between peers and an engine, which lose, delay, reorder and throttle packets.
 * Peers use the relay because their candidates are changed (`sdp`), or because the engine advertises its address.
 */
import { createSocket, type Socket } from 'node:dgram';

/** One direction. */
export interface Network {
  /** Share of the packets that are lost, 0 to 1. */
  loss: number;
  /** Delay of each packet, in ms, and random addition up to `jitterMs`. */
  delayMs: number;
  jitterMs: number;
  /** Packets may overtake each other; otherwise they are as late as the one before. */
  reorders: boolean;
  /** Undefined: unlimited. Packets that would wait longer than `queueMs` are dropped. */
  bitsPerSecond?: number;
  queueMs: number;
}

export const GOOD: Network = { loss: 0, delayMs: 0, jitterMs: 0, reorders: true, queueMs: 300 };

/** Overhead of IP and UDP, which counts towards the rate of a link. */
const HEADERS_BYTES = 28;

class Direction {
  network: Network = GOOD;
  readonly #random: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** When the link is free, and when the last packet leaves it. */
  #freeMs = 0;
  #lastMs = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  pass(bytes: Buffer, send: () => void): void {
    const { loss, delayMs, jitterMs, reorders, bitsPerSecond, queueMs } = this.network;
    if (this.#random() < loss) return;
    const nowMs = performance.now();
    let atMs = nowMs;
    if (bitsPerSecond !== undefined) {
      const startMs = Math.max(nowMs, this.#freeMs);
      if (startMs - nowMs > queueMs) return;
      this.#freeMs = startMs + ((bytes.length + HEADERS_BYTES) * 8000) / bitsPerSecond;
      atMs = this.#freeMs;
    }
    atMs += delayMs + this.#random() * jitterMs;
    if (!reorders) atMs = Math.max(atMs, this.#lastMs);
    this.#lastMs = atMs;
    const waitMs = atMs - nowMs;
    if (waitMs < 1) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      send();
    }, waitMs);
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

export class Relay {
  readonly #address: string;
  readonly #random: () => number;
  /** Front sockets by the address behind them; each front opens one socket for each client. */
  readonly #fronts = new Map<string, Promise<{ front: Socket; port: number }>>();
  readonly #sockets: Socket[] = [];
  readonly #links = new Map<string, { up: Direction; down: Direction }>();
  #network: { up: Partial<Network>; down: Partial<Network> } = { up: {}, down: {} };

  /** `address`: local address on which the relay listens. */
  constructor(address: string, random: () => number = Math.random) {
    this.#address = address;
    this.#random = random;
  }

  /** Sets the network conditions to the engine (`up`) and from it. The rates apply to each connection separately. */
  set(network: { up?: Partial<Network>; down?: Partial<Network> }): void {
    this.#network = { up: network.up ?? {}, down: network.down ?? {} };
    for (const link of this.#links.values()) this.#apply(link);
  }

  #apply({ up, down }: { up: Direction; down: Direction }): void {
    up.network = { ...GOOD, ...this.#network.up };
    down.network = { ...GOOD, ...this.#network.down };
  }

  /** Returns the relay's port for this target. `port`: port to use; default: any. */
  async through(host: string, targetPort: number, port = 0): Promise<number> {
    const key = `${host}:${targetPort}`;
    const known = this.#fronts.get(key) ?? this.#open(host, targetPort, port);
    this.#fronts.set(key, known);
    return (await known).port;
  }

  async #open(host: string, targetPort: number, port: number): Promise<{ front: Socket; port: number }> {
    const front = createSocket('udp4');
    this.#sockets.push(front);
    const backs = new Map<string, Promise<(bytes: Buffer) => void>>();
    front.on('message', (bytes, { address, port: from }) => {
      const who = `${address}:${from}`;
      let back = backs.get(who);
      if (!back) {
        back = this.#connect(`${who} ${host}:${targetPort}`, { host, targetPort }, (reply) => {
          front.send(reply, from, address);
        });
        backs.set(who, back);
      }
      void back.then((send) => send(bytes));
    });
    await new Promise<void>((resolve) => front.bind(port, this.#address, resolve));
    return { front, port: front.address().port };
  }

  async #connect(
    name: string,
    { host, targetPort }: { host: string; targetPort: number },
    reply: (bytes: Buffer) => void,
  ): Promise<(bytes: Buffer) => void> {
    const socket = createSocket('udp4');
    this.#sockets.push(socket);
    const link = { up: new Direction(this.#random), down: new Direction(this.#random) };
    this.#links.set(name, link);
    this.#apply(link);
    socket.on('message', (bytes) => link.down.pass(bytes, () => reply(bytes)));
    await new Promise<void>((resolve) => socket.bind(0, this.#address, resolve));
    return (bytes) => link.up.pass(bytes, () => socket.send(bytes, targetPort, host));
  }

  /** The same description, whose candidates lead here. */
  async sdp(text: string): Promise<string> {
    const ports = new Map<string, number>();
    for (const [, host, port] of text.matchAll(CANDIDATE)) {
      ports.set(`${host}:${port}`, await this.through(host!, Number(port)));
    }
    return text.replace(
      CANDIDATE,
      (_, host: string, port: string) => ` udp 2130706431 ${this.#address} ${ports.get(`${host}:${port}`)} typ host`,
    );
  }

  async stop(): Promise<void> {
    for (const { up, down } of this.#links.values()) for (const each of [up, down]) each.stop();
    await Promise.all(this.#sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }
}

const CANDIDATE = / udp \d+ (\d[\d.]+) (\d+) typ host/gi;
