/**
 * A room client without a browser: a WebSocket, and a synthetic peer for its media. Used by `room-soak.ts` and
 * `room-gaps.ts`.
 */
import { setTimeout as elapse } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Service } from '../test/e2e/service.ts';
import type { FloodKind } from '../test/rooms/peers/flood.ts';
import type { PeerOrder, Reception, Sending } from '../test/rooms/peers/peer-messages.ts';
import type { People } from '../test/rooms/peers/people.ts';

/** 75 video packets and 50 audio packets a second. */
export const SENDING: Sending = {
  audio: { level: -20 },
  video: {
    framesPerSecond: 25,
    layers: [{ width: 640, height: 360, packetsPerFrame: 3, packetBytes: 1030 }],
  },
};
/** All participants are audible and visible at once. */
const ALL_TALK = { max_active_talkers: 16 };
const WITHIN_MS = 20_000;
let clients = 0;

export class RoomClient {
  readonly #socket: WebSocket;
  readonly #people: People;
  readonly #address: string;
  readonly #sending: Sending;
  readonly #mark: number;
  #name = '';
  /** Version of its last offer. */
  #version = 0;
  #turn: Promise<unknown> = Promise.resolve();
  id = '';
  isOver = false;

  /** `address` of its peer. */
  constructor(
    people: People,
    { url, address, token, sending }: { url: string; address: string; token: string; sending: Sending },
  ) {
    this.#people = people;
    this.#address = address;
    this.#sending = sending;
    this.#mark = people.nextMark();
    this.#socket = new WebSocket(url);
    this.#socket.on('open', () => this.say({ type: 'join', token }));
    this.#socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; [key: string]: unknown };
      this.#turn = this.#turn.then(() => this.#onMessage(message)).catch(() => undefined);
    });
    this.#socket.on('close', () => {
      this.isOver = true;
    });
    this.#socket.on('error', () => undefined);
  }

  say(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #onMessage(message: { type: string; [key: string]: unknown }): Promise<void> {
    if (message.type === 'welcome') this.id = String(message['id']);
    if (message.type === 'welcome' || message.type === 'media_restarted') await this.#beginAnew();
    if (message.type === 'pub.restart') await this.#offer({ type: 'send_anew' });
    if (message.type === 'pub.answer' && message['version'] === this.#version)
      await this.#order({ type: 'pub.answer', sdp: String(message['sdp']) });
    if (message.type !== 'sub.offer') return;
    const sdp = await this.#people.order<string>(this.#name, message as never);
    this.say({ type: 'sub.answer', version: message['version'], sdp });
  }

  /**
   * Replaces the peer. The new one exists before the old one is removed, because statistics can be requested at any
   * time.
   */
  async #beginAnew(): Promise<void> {
    const before = this.#name;
    const name = `client ${++clients}`;
    await this.#people.order(name, { type: 'add', mark: this.#mark, address: this.#address });
    this.#name = name;
    if (before !== '') await this.#people.order(before, { type: 'close' });
    await this.#offer({ type: 'send', sending: this.#sending });
  }

  async #offer(order: PeerOrder): Promise<void> {
    const offer = await this.#people.order<object>(this.#name, order);
    this.say({ type: 'pub.offer', version: ++this.#version, ...offer });
  }

  #order = (order: PeerOrder): Promise<unknown> => this.#people.order(this.#name, order);

  /** Sends attack traffic. */
  flood(kind: FloodKind, packetsPerSecond: number): Promise<unknown> {
    return this.#order({ type: 'flood', kind, packetsPerSecond });
  }

  /** Longest idle time of all lines that ever received packets. */
  async longestIdleMs(): Promise<number> {
    const { media } = await this.#people.order<{ media: Reception[] }>(this.#name, { type: 'received' });
    return Math.max(0, ...media.filter(({ packets }) => packets > 0).map(({ idleMs }) => idleMs));
  }

  /** Number of lines that currently receive packets. */
  async receivedLines(): Promise<number> {
    if (this.#name === '') return 0;
    const { media } = await this.#people.order<{ media: Reception[] }>(this.#name, { type: 'received' });
    return media.filter(({ idleMs, packets }) => packets > 0 && idleMs < 200).length;
  }

  break(): void {
    this.#socket.terminate();
  }

  async close(): Promise<void> {
    this.#socket.terminate();
    await this.#turn;
    if (this.#name !== '') await this.#order({ type: 'close' });
  }
}

/** Creates a room. Each client joins with a token of its own. */
export async function openRoom(
  service: Pick<Service, 'url' | 'api'>,
  people: People,
  options: { address: string; sending: Sending },
) {
  const made = { name: 'Bench', owner_ref: 'bench', settings: ALL_TALK };
  const { body } = await service.api('POST', '/video/v2/rooms', made);
  const { room_id: roomId } = body['room'] as { room_id: string };
  return {
    async enter(role: string, user: string): Promise<RoomClient> {
      const order = { name: user, role, user_ref: user };
      const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
      const url = `${service.url.replace('http', 'ws')}/video/v2/connect`;
      return new RoomClient(people, { url, token: String(issued['token']), ...options });
    },
    remove: () => service.api('DELETE', `/video/v2/rooms/${roomId}`),
  };
}

/** Waits until each client receives on this many lines. */
export const untilReceived = (clients: readonly RoomClient[], lines: number): Promise<void> =>
  until(`all receive ${lines} lines`, async () => {
    const counts = await Promise.all(clients.map((each) => each.receivedLines()));
    return counts.every((count) => count >= lines);
  });

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > WITHIN_MS) throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
    await elapse(50);
  }
}
