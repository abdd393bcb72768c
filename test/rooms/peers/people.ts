/**
 * Participants of an engine, simulated by synthetic peers: passes the messages of their clients to the engine, and
 * those of the engine to their clients. `runRoomEngineContract` and the benchmarks use it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { defined } from '../../../src/base/core/json.ts';
import { moduleBeside } from '../../../src/base/core/module-beside.ts';
import type {
  EngineCommand,
  EngineEvent,
  Grants,
  Negotiation,
  NegotiationReply,
  RoomEngine,
  TrackSource,
} from '../../../src/media/rooms/sfu.ts';
import type { FromPeers, PeerOrder, PictureShape, Reception, Sending } from './peer-messages.ts';
import type { Relay } from './relay.ts';

export const ALL: Grants = { publish: ['audio', 'video', 'screen'], subscribe: true };
const LOOK_EVERY_MS = 25;

/** A camera in three layers, as browsers send it; about 480, 140 and 50 kbit/s. */
export const CAMERA: PictureShape = {
  framesPerSecond: 15,
  layers: [
    { rid: 'h', width: 1280, height: 720, packetsPerFrame: 4, packetBytes: 1000 },
    { rid: 'm', width: 640, height: 360, packetsPerFrame: 2, packetBytes: 600 },
    { rid: 'l', width: 320, height: 180, packetsPerFrame: 1, packetBytes: 400 },
  ],
};
/** In one layer. */
export const SCREEN: PictureShape = {
  framesPerSecond: 10,
  layers: [{ width: 1280, height: 720, packetsPerFrame: 2, packetBytes: 900 }],
};
export const VOICE = { level: -20 } as const;

/** The process of the peers. */
export class People {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #orders = 0;
  #marks = 0;

  constructor() {
    this.#process = fork(moduleBeside(import.meta.url, 'process'), { execArgv: [] });
    this.#process.on('message', ({ id, result, problem }: FromPeers) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (problem === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(problem));
    });
    this.#process.once('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the peers ended with ${signal ?? code}`));
      this.#waiting.clear();
    });
  }

  nextMark = (): number => ++this.#marks;

  order<Result>(peer: string, order: PeerOrder): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const id = ++this.#orders;
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#process.send({ id, peer, order }, (error) => {
        if (error) reject(error);
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      this.#process.once('exit', () => resolve());
      this.#process.kill('SIGKILL');
    });
  }
}

export interface RoomOptions {
  confNum: string;
  /** IP address of the peers. */
  address: string;
  quality?: 'HD' | 'SD' | 'LD';
  /** Directory for recordings. */
  recordings?: string;
  /** Absent: peers reach the engine without loss. */
  relay?: Relay;
}

/** One session with its participants. The caller must pass the engine's events of the session to `event`. */
export class SyntheticRoom {
  readonly confNum: string;
  readonly engine: RoomEngine;
  readonly events: EngineEvent[] = [];
  readonly people: People;
  readonly #address: string;
  readonly #relay: Relay | undefined;
  readonly #persons = new Map<string, SyntheticPerson>();

  constructor(engine: RoomEngine, people: People, options: RoomOptions) {
    const { confNum, address, quality = 'HD', relay, recordings } = options;
    this.#relay = relay;
    this.engine = engine;
    this.people = people;
    this.confNum = confNum;
    this.#address = address;
    engine.openSession(defined({ confNum, quality, recordings }));
  }

  get persons(): SyntheticPerson[] {
    return [...this.#persons.values()];
  }

  event(event: EngineEvent): void {
    this.events.push(event);
    if (event.type === 'negotiate') this.#persons.get(event.participant)?.hear(event.message, this.#relay);
  }

  send(command: EngineCommand): void {
    this.engine.send(this.confNum, command);
  }

  /** The ids of people are theirs alone in all rooms. */
  async enter(id: string, sending?: Sending, grants: Grants = ALL): Promise<SyntheticPerson> {
    const name = `${this.confNum}/${id}`;
    const mark = this.people.nextMark();
    await this.people.order(name, { type: 'add', mark, address: this.#address });
    const person = new SyntheticPerson(this, id, { name, mark });
    this.#persons.set(id, person);
    this.send({ type: 'admit', participant: id, grants, isPhone: false });
    if (sending) await person.send(sending);
    return person;
  }

  /** Makes these participants audible and visible. */
  setAudible(...people: readonly SyntheticPerson[]): void {
    this.send({ type: 'set_audible', participants: people.map(({ id }) => id) });
  }

  async until(what: string, isSo: () => Promise<boolean> | boolean, withinMs = 10_000): Promise<number> {
    const began = performance.now();
    while (!(await isSo())) {
      if (performance.now() - began > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return performance.now() - began;
  }
}

export class SyntheticPerson {
  readonly id: string;
  /** Mark in the packets of this participant. */
  readonly mark: number;
  readonly #room: SyntheticRoom;
  readonly #name: string;
  /** Its client, as that of a browser, does one thing after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #answered: (() => void) | undefined;
  /** Version of the last offer. */
  #version = 0;

  constructor(room: SyntheticRoom, id: string, { name, mark }: { name: string; mark: number }) {
    this.#room = room;
    this.id = id;
    this.#name = name;
    this.mark = mark;
  }

  order<Result = void>(order: PeerOrder): Promise<Result> {
    return this.#room.people.order<Result>(this.#name, order);
  }

  say(message: Negotiation): void {
    this.#room.send({ type: 'negotiate', participant: this.id, message });
  }

  hear(message: NegotiationReply, relay: Relay | undefined): void {
    this.#turn = this.#turn
      .then(async () => {
        if (message.type === 'pub.restart') return this.#offer({ type: 'send_anew' });
        const { type } = message;
        if (type === 'error') throw new Error(message.message);
        const sdp = relay ? await relay.sdp(message.sdp) : message.sdp;
        if (type === 'pub.answer') {
          if (message.version !== this.#version) return;
          await this.order({ type, sdp });
          this.#answered?.();
        } else {
          const answer = await this.order<string>({ ...message, sdp });
          this.say({ type: 'sub.answer', version: message.version, sdp: answer });
        }
      })
      .catch((error: unknown) => this.#room.events.push({ type: 'failed', why: String(error) }));
  }

  /** Changes what the participant publishes. */
  async send(sending: Sending): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${this.id}: the offer was not answered`)), 10_000);
      this.#answered = () => {
        clearTimeout(late);
        resolve();
      };
    });
    await this.#offer({ type: 'send', sending });
    await answered;
  }

  async #offer(order: Extract<PeerOrder, { type: 'send' | 'send_anew' }>): Promise<void> {
    const offer = await this.order<{ sdp: string; sources: Record<string, TrackSource> }>(order);
    this.say({ type: 'pub.offer', version: ++this.#version, ...offer });
  }

  /** Sources offered to the participant now. */
  async offered(): Promise<string[]> {
    const { lines } = await this.order<{ lines: { participant: string; source: TrackSource }[] }>({ type: 'received' });
    return lines.map(({ participant, source }) => `${participant} ${source}`).sort();
  }

  /** Packets received on all lines so far. */
  async receivedPackets(): Promise<number> {
    const { media } = await this.order<{ media: Reception[] }>({ type: 'received' });
    return media.reduce((sum, { packets }) => sum + packets, 0);
  }

  /** Number of lines on which packets have arrived. */
  async receivedLines(): Promise<number> {
    const { media } = await this.order<{ media: Reception[] }>({ type: 'received' });
    return media.filter(({ packets }) => packets > 0).length;
  }

  /** Undefined if nothing has arrived on the line. */
  async received(participant: SyntheticPerson, source: TrackSource): Promise<Reception | undefined> {
    const { media } = await this.order<{ media: Reception[] }>({ type: 'received' });
    return media.find((one) => one.participant === participant.id && one.source === source);
  }

  /** Waits until new packets arrive for which `isSo` holds. */
  untilReceived(
    from: SyntheticPerson,
    source: TrackSource,
    isSo: (got: Reception) => boolean = () => true,
    withinMs?: number,
  ) {
    let before: number | undefined;
    return this.#room.until(
      `${this.id} receives ${source} of ${from.id}`,
      async () => {
        const got = await this.received(from, source);
        if (!got) return false;
        before ??= got.packets;
        return got.packets > before && got.from === from.mark && isSo(got);
      },
      withinMs,
    );
  }

  /** Waits until no more packets arrive. */
  untilSilent(from: SyntheticPerson, source: TrackSource, forMs = 400): Promise<number> {
    return this.#room.until(`${this.id} receives no ${source} of ${from.id}`, async () => {
      const got = await this.received(from, source);
      return !got || got.idleMs > forMs;
    });
  }

  /** Goes, as the service makes it go. */
  async leave(): Promise<void> {
    this.#room.send({ type: 'drop', participant: this.id });
    await this.order({ type: 'close' });
  }
}
