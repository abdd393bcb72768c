/**
 * Participants of one session in an engine: the sources that each publishes and receives, and the messages of their
 * clients in order. The engines define publisher and subscriber, and carry out the other commands.
 * `connection-watch.ts` renegotiates connections that do not come up.
 *
 * Invariants
 *  - participants who are not admitted have no connection, and messages of their clients are ignored;
 *  - a participant who is admitted again starts with new connections;
 *  - an invalid message of one client does not affect the others.
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/core/clock.ts';
import { defined } from '../../base/core/json.ts';
import { ConnectionWatch } from './connection-watch.ts';
import {
  type BlockedSource,
  type ConnectionDirection,
  DescriptionError,
  type EngineCommand,
  type EngineEvent,
  type Grants,
  type Layer,
  type Negotiation,
  type NegotiationReply,
  PHONES,
  type TrackSource,
} from './sfu.ts';

interface PublishedMedia {
  /** Id of the participant that publishes it. */
  readonly owner: string;
  readonly name: TrackSource;
}

interface PublisherOf<Media> {
  /** Sources that subscribers can receive. */
  readonly sources: readonly Media[];
  grant(sources: readonly TrackSource[]): void;
  setMuted(source: TrackSource, muted: boolean): void;
  /** Returns the answer to an offer. */
  publish(sdp: string, sources: Readonly<Record<string, TrackSource>>): Promise<string>;
  close(): void;
}

interface SubscriberOf<Media> {
  add(source: Media): void;
  remove(source: Media): void;
  /** Sets the participants whose audio and video are forwarded; shared screens always are. */
  setAudible(participants: ReadonlySet<string>): void;
  setLayer(publisher: string, layer: Layer): void;
  answered(version: number, sdp: string): void;
  /** Opens a new connection for the same sources. */
  restart(): void;
  close(): void;
}

export interface MediaParticipant<Media> {
  readonly id: string;
  readonly publisher: PublisherOf<Media>;
  /** Undefined if the participant receives no media. */
  readonly subscriber: SubscriberOf<Media> | undefined;
}

export interface MediaParticipantsParts<Person> {
  clock: Clock;
  create(id: string, grants: Grants): Person;
  /** Releases what else belongs to a participant who is dropped. */
  end?(person: Person): void;
  /** Messages of clients wait until it resolves. */
  ready?: Promise<unknown>;
  report(event: EngineEvent): void;
  /** Logs an error that affects one client only. */
  warn(message: string, error: unknown): void;
}

/** Commands about participants. */
export type PeopleCommand = Extract<
  EngineCommand,
  { type: 'admit' | 'grant' | 'mute' | 'drop' | 'set_audible' | 'set_layer' | 'negotiate' }
>;

interface Entry<Person> {
  person: Person;
  connections: Readonly<Record<ConnectionDirection, ConnectionWatch>>;
  /** Blocked sources by direction, as last reported, in JSON. */
  blocked: Record<ConnectionDirection, string>;
  /** Chain that handles the messages of the client one at a time. */
  turn: Promise<unknown>;
  waiting: number;
}

const MAX_FIRST = 1_000_000;

/**
 * First version of the offers to a subscriber; later offers count up from it. It is random, so that an answer to an
 * offer from before a new admission, or from an engine that crashed, is not taken for an answer to this one.
 */
export const firstVersion = (): number => randomInt(MAX_FIRST);

const NOTHING_BLOCKED = '[]';

/** Limit of queued messages of one client; further ones are ignored. */
const MAX_WAITING = 50;

export class MediaParticipants<Media extends PublishedMedia, Person extends MediaParticipant<Media>> {
  readonly #parts: MediaParticipantsParts<Person>;
  readonly #entries = new Map<string, Entry<Person>>();
  /** Phones are always included; their mix decides which of them are heard. */
  #audible: ReadonlySet<string> = new Set([PHONES]);
  /** Source that no participant publishes and all receive. */
  #shared: Media | undefined;

  constructor(parts: MediaParticipantsParts<Person>) {
    this.#parts = parts;
  }

  get all(): Person[] {
    return [...this.#entries.values()].map(({ person }) => person);
  }

  get sources(): Media[] {
    return this.all.flatMap(({ publisher }) => publisher.sources);
  }

  get(id: string): Person | undefined {
    return this.#entries.get(id)?.person;
  }

  isAudible(id: string): boolean {
    return this.#audible.has(id);
  }

  command(command: PeopleCommand): void {
    switch (command.type) {
      case 'admit':
        if (!command.isPhone) this.#admit(command.participant, command.grants);
        break;
      case 'grant':
        this.#grant(command.participant, command.grants);
        break;
      case 'mute':
        this.get(command.participant)?.publisher.setMuted(command.source, command.muted);
        break;
      case 'drop':
        this.#drop(command.participant);
        break;
      case 'set_audible':
        this.#audible = new Set([PHONES, ...command.participants]);
        for (const { subscriber } of this.all) subscriber?.setAudible(this.#audible);
        break;
      case 'set_layer':
        this.get(command.participant)?.subscriber?.setLayer(command.publisher, command.layer);
        break;
      case 'negotiate':
        this.#negotiate(command.participant, command.message);
        break;
    }
  }

  #admit(id: string, grants: Grants): void {
    this.#drop(id);
    const person = this.#parts.create(id, grants);
    const turn = this.#parts.ready?.catch(() => undefined) ?? Promise.resolve();
    const connections = {
      send: this.#watch(id, 'send', () => this.tell(id, { type: 'pub.restart' })),
      receive: this.#watch(id, 'receive', () => person.subscriber?.restart()),
    };
    const blocked = { send: NOTHING_BLOCKED, receive: NOTHING_BLOCKED };
    this.#entries.set(id, { person, connections, blocked, turn, waiting: 0 });
    person.publisher.grant(grants.publish);
    person.subscriber?.setAudible(this.#audible);
    for (const source of this.sources) if (source.owner !== id) person.subscriber?.add(source);
    if (this.#shared) person.subscriber?.add(this.#shared);
  }

  #watch(participant: string, direction: ConnectionDirection, renew: () => void): ConnectionWatch {
    const { clock, report } = this.#parts;
    return new ConnectionWatch({
      ...{ clock, renew },
      report: (state) => report({ type: 'connection', participant, direction, state }),
    });
  }

  #grant(id: string, { publish }: Grants): void {
    const entry = this.#entries.get(id);
    entry?.person.publisher.grant(publish);
    if (publish.length === 0) entry?.connections.send.expect(false);
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    const { person, connections } = entry;
    connections.send.close();
    connections.receive.close();
    this.#parts.end?.(person);
    person.publisher.close();
    person.subscriber?.close();
  }

  #negotiate(id: string, message: Negotiation): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.waiting >= MAX_WAITING) return;
    entry.waiting++;
    entry.turn = entry.turn
      .then(() => this.#take(id, entry, message))
      .catch((error: unknown) => {
        if (this.#entries.get(id) !== entry) return;
        this.#parts.warn(`${message.type} was not understood`, error);
        const why = error instanceof DescriptionError ? error.message : 'the media engine cannot use this description';
        this.tell(id, { type: 'error', code: 'bad_description', message: why, about: message.type });
      })
      .finally(() => entry.waiting--);
  }

  async #take(id: string, entry: Entry<Person>, message: Negotiation): Promise<void> {
    if (this.#entries.get(id) !== entry) return;
    const { publisher, subscriber } = entry.person;
    const { send, receive } = entry.connections;
    if (message.type === 'pub.offer') {
      const { version, sources } = message;
      const sdp = await publisher.publish(message.sdp, sources);
      if (this.#entries.get(id) !== entry) return;
      this.tell(id, defined<NegotiationReply>({ type: 'pub.answer', version, sdp }));
      send.expect(Object.keys(sources).length > 0);
    } else if (message.type === 'sub.answer') subscriber?.answered(message.version, message.sdp);
    else if (message.type === 'sub.restart') {
      receive.expect(false);
      subscriber?.restart();
    }
  }

  /** Sends a message to the client of a participant. */
  tell(id: string, message: NegotiationReply): void {
    this.#parts.report({ type: 'negotiate', participant: id, message });
    if (message.type === 'sub.offer') this.#entries.get(id)?.connections.receive.expect(message.tracks.length > 0);
  }

  /** A participant publishes a source. */
  published(source: Media): void {
    for (const { id, subscriber } of this.all) if (id !== source.owner) subscriber?.add(source);
    this.#parts.report({ type: 'published', participant: source.owner, source: source.name, on: true });
  }

  unpublished(source: Media): void {
    for (const { subscriber } of this.all) subscriber?.remove(source);
    this.#parts.report({ type: 'published', participant: source.owner, source: source.name, on: false });
  }

  /** Reports sources that do not get through to or from a participant. */
  blocked(id: string, direction: ConnectionDirection, sources: readonly BlockedSource[]): void {
    const entry = this.#entries.get(id);
    const written = JSON.stringify(sources);
    if (!entry || entry.blocked[direction] === written) return;
    entry.blocked[direction] = written;
    this.#parts.report({ type: 'blocked', participant: id, direction, sources });
  }

  /** Gives all participants this source, in place of the previous one. */
  share(source: Media | undefined): void {
    for (const { subscriber } of this.all) {
      if (this.#shared) subscriber?.remove(this.#shared);
      if (source) subscriber?.add(source);
    }
    this.#shared = source;
  }

  /** Records that a connection came up or was lost. */
  connected(id: string, direction: ConnectionDirection, on: boolean): void {
    const connection = this.#entries.get(id)?.connections[direction];
    if (on) connection?.up();
    else connection?.down();
  }

  close(): void {
    for (const id of [...this.#entries.keys()]) this.#drop(id);
  }
}
