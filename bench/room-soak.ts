/**
 * Sessions of rooms, opened and closed again and again: three people come, hear each other, one is dropped, the link of one
 * breaks, and sometimes the engine is killed in the middle. Then a look at what is left of them: `soak.ts`.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as elapse } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { engineOf } from '../test/e2e/rooms-page.ts';
import type { Service } from '../test/e2e/service.ts';
import type { Reception } from '../test/rooms/peers/peer-messages.ts';
import { People, VOICE } from '../test/rooms/peers/people.ts';
import { report } from './figure.ts';
import { residentKb } from './process-figures.ts';

const AT_ONCE = 4;
const WARMING = 8;
/** One in so many sessions meets the end of the engine. */
const KILL_EVERY = 25;
const WITHIN_MS = 20_000;
/** A link that broke is waited for, for 30 s. */
const SETTLING_MS = 40_000;
const MOST_GROWTH = 1.15;
/** Files that may be open for a moment. */
const MOST_FILES = 5;

interface Left {
  kb: number;
  files: number;
  threads: number;
}

const leftOf = (pid: number): Left => ({
  kb: residentKb(pid),
  files: readdirSync(`/proc/${pid}/fd`).length,
  threads: readdirSync(`/proc/${pid}/task`).length,
});

let clients = 0;

/** A client without a browser: a web socket, and a synthetic peer for its media. */
class Client {
  readonly #socket: WebSocket;
  readonly #people: People;
  readonly #address: string;
  readonly #mark: number;
  #name = '';
  #turn: Promise<unknown> = Promise.resolve();
  id = '';
  isOver = false;

  constructor(url: string, people: People, address: string, token: string) {
    this.#people = people;
    this.#address = address;
    this.#mark = people.nextMark();
    this.#socket = new WebSocket(url);
    this.#socket.on('open', () => this.say({ type: 'join', token }));
    this.#socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; [key: string]: unknown };
      this.#turn = this.#turn.then(() => this.#hear(message)).catch(() => undefined);
    });
    this.#socket.on('close', () => {
      this.isOver = true;
    });
    this.#socket.on('error', () => undefined);
  }

  say(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #hear(message: { type: string; [key: string]: unknown }): Promise<void> {
    if (message.type === 'welcome') this.id = String(message['id']);
    if (message.type === 'welcome' || message.type === 'media_restarted') await this.#publish();
    if (message.type === 'pub.answer') await this.#order({ type: 'pub.answer', sdp: String(message['sdp']) });
    if (message.type !== 'sub.offer') return;
    const sdp = await this.#people.order<string>(this.#name, message as never);
    this.say({ type: 'sub.answer', version: message['version'], sdp });
  }

  async #publish(): Promise<void> {
    if (this.#name !== '') await this.#order({ type: 'close' });
    this.#name = `client ${++clients}`;
    await this.#order({ type: 'add', mark: this.#mark, address: this.#address });
    const offer = await this.#people.order<object>(this.#name, { type: 'send', sending: { audio: VOICE } });
    this.say({ type: 'pub.offer', ...offer });
  }

  #order = (order: Parameters<People['order']>[1]): Promise<unknown> => this.#people.order(this.#name, order);

  /** How many others it hears now. */
  async hears(): Promise<number> {
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

/** What is wrong afterwards. */
export async function soakRooms(service: Service, address: string, sessions: number): Promise<string[]> {
  const people = new People();
  const problems: string[] = [];
  try {
    await Promise.all(Array.from({ length: WARMING }, (_, index) => session(service, people, address, index + 1)));
    await elapse(SETTLING_MS);
    const before = { service: leftOf(service.pid), engine: leftOf(engineOf(service.pid)!) };
    const beganWithTimers = await timersOf(service);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < sessions) {
        const index = next++;
        await session(service, people, address, index).catch((error: unknown) => {
          problems.push(`room session ${index}: ${String(error)}`);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await elapse(SETTLING_MS);
    // It may have been killed at the very end: the next session starts it.
    await session(service, people, address, 1);
    await elapse(SETTLING_MS);
    const after = { service: leftOf(service.pid), engine: leftOf(engineOf(service.pid)!) };
    const timers = await timersOf(service);
    report('soak.rooms', sessions, 'sessions of rooms opened and closed');
    report('soak.rooms.timers', timers, 'timers afterwards, beside before', beganWithTimers);
    if (timers > beganWithTimers + MOST_FILES) problems.push(`${timers - beganWithTimers} timers of rooms are left`);
    for (const name of ['service', 'engine'] as const) problems.push(...grown(name, before[name], after[name]));
  } finally {
    await people.stop();
  }
  return problems;
}

function grown(name: string, before: Left, after: Left): string[] {
  report(`soak.rooms.${name}.memory`, after.kb / 1024, 'MB resident afterwards, beside before', before.kb / 1024);
  report(`soak.rooms.${name}.files`, after.files, 'open files afterwards, beside before', before.files);
  report(`soak.rooms.${name}.threads`, after.threads, 'threads afterwards, beside before', before.threads);
  return [
    ...(after.kb > before.kb * MOST_GROWTH ? [`memory of the ${name} grew from ${before.kb} to ${after.kb} kB`] : []),
    ...(after.files > before.files + MOST_FILES ? [`${after.files - before.files} files of the ${name} are left`] : []),
    ...(after.threads > before.threads ? [`${after.threads - before.threads} threads of the ${name} are left`] : []),
  ];
}

async function session(service: Service, people: People, address: string, index: number): Promise<void> {
  const { body } = await service.api('POST', '/video/v2/rooms', { name: `Soak ${index}`, owner_ref: 'soak' });
  const { room_id: roomId } = body['room'] as { room_id: string };
  const enter = async (role: string, user: string): Promise<Client> => {
    const order = { name: user, role, user_ref: user };
    const { body: issued } = await service.api('POST', `/video/v2/rooms/${roomId}/tokens`, order);
    const url = `${service.url.replace('http', 'ws')}/video/v2/connect`;
    return new Client(url, people, address, String(issued['token']));
  };
  const all: Client[] = [];
  try {
    for (const [role, user] of [
      ['moderator', 'ada'],
      ['participant', 'ben'],
      ['participant', 'cleo'],
    ] as const) {
      all.push(await enter(role, user));
    }
    const [ada, ben, cleo] = all as [Client, Client, Client];
    await until('all hear each other', async () =>
      (await Promise.all(all.map((one) => one.hears()))).every((n) => n >= 2),
    );
    if (index % KILL_EVERY === 0) {
      process.kill(engineOf(service.pid)!, 'SIGKILL');
      await elapse(1000);
      await until('all hear each other again', async () => {
        return (await Promise.all(all.map((one) => one.hears()))).every((n) => n >= 2);
      });
    }
    ada.say({ type: 'drop', participant: ben.id });
    await until('one is dropped', async () => ben.isOver);
    cleo.break();
    if (index % 2 === 0) {
      ada.say({ type: 'end' });
      await until('it is over', async () => ada.isOver);
    }
  } finally {
    for (const each of all) await each.close();
    await service.api('DELETE', `/video/v2/rooms/${roomId}`);
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > WITHIN_MS) throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
    await elapse(50);
  }
}

export async function timersOf(service: Service): Promise<number> {
  const text = await fetch(`${service.url}/metrics`).then((response) => response.text());
  return Number(/nodejs_active_resources\{type="Timeout"\} (\d+)/.exec(text)?.[1] ?? 0);
}
