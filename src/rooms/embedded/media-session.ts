/**
 * One session as the engine carries it: its participants, what each publishes, and who gets it. It does what the service
 * says (`EngineCommand`) and reports what it notices; it decides nothing about people.
 *
 * Invariants
 *  - who is not admitted has no connection, and what it says is not heard;
 *  - somebody who is admitted again begins anew;
 *  - what one client says wrong costs nobody else anything.
 */
import type { Clock } from '../../core/clock.ts';
import type { MixAddress } from '../../core/mix-frame.ts';
import { TalkDetector } from '../../core/talk-detector.ts';
import {
  type EngineCommand,
  type EngineEvent,
  type Grants,
  type Negotiation,
  PHONES,
  type QualitySample,
  type SessionSpec,
} from '../sfu.ts';
import type { OpenTransport, TransportState } from './media-transport.ts';
import type { OpenMixLink } from './mix-link.ts';
import type { Opus } from './opus.ts';
import { PhoneMix } from './phone-mix.ts';
import type { PublishedSource } from './published-source.ts';
import { Publisher } from './publisher.ts';
import { SessionRecorder } from './recording/session-recorder.ts';
import { Viewer } from './viewer.ts';

export interface MediaSessionParts {
  clock: Clock;
  open: OpenTransport;
  /** For telephones. */
  opus: Opus;
  link: OpenMixLink;
  report(event: EngineEvent): void;
  /** What went wrong, and hurts nobody but one client. */
  warn(message: string, error: unknown): void;
}

interface Person {
  id: string;
  publisher: Publisher;
  viewer: Viewer | undefined;
  talk: TalkDetector;
  isConnected: boolean;
  /** What makes a link poor: packets are lost; pictures are left out. */
  isLossy: boolean;
  isStarved: boolean;
  hasPoorLink: boolean;
  /** One message of its client at a time. */
  turn: Promise<void>;
  waiting: number;
}

/** Messages of one client; more are not heard until some are done. */
const MOST_WAITING = 50;
/** Above that a link is poor. */
const POOR_LOSS = 0.05;

export class MediaSession {
  readonly #spec: SessionSpec;
  readonly #parts: MediaSessionParts;
  readonly #people = new Map<string, Person>();
  /** Whose sound and picture come through. Telephones do together: which of them are heard is settled in their mix. */
  #audible: ReadonlySet<string> = new Set([PHONES]);
  #phones: PhoneMix | undefined;
  readonly #recorder: SessionRecorder | undefined;

  constructor(spec: SessionSpec, parts: MediaSessionParts) {
    this.#spec = spec;
    this.#parts = parts;
    const { clock, report } = parts;
    const { recordings: directory } = spec;
    this.#recorder = directory === undefined ? undefined : new SessionRecorder({ clock, report, directory });
  }

  command(command: Exclude<EngineCommand, { type: 'end' }>): void {
    switch (command.type) {
      case 'admit':
        if (!command.isPhone) this.#admit(command.participant, command.grants);
        break;
      case 'grant':
        this.#people.get(command.participant)?.publisher.grant(command.grants.publish);
        break;
      case 'mute':
        this.#people.get(command.participant)?.publisher.setMuted(command.source, command.muted);
        break;
      case 'drop':
        this.#drop(command.participant);
        break;
      case 'set_audible':
        this.#audible = new Set([PHONES, ...command.participants]);
        for (const { viewer } of this.#people.values()) viewer?.setAudible(this.#audible);
        this.#letPhonesHear();
        break;
      case 'attach_phones':
        this.#attachPhones(command.at);
        break;
      case 'detach_phones':
        this.#detachPhones();
        break;
      case 'set_layer':
        this.#people.get(command.participant)?.viewer?.setLayer(command.publisher, command.layer);
        break;
      case 'negotiate':
        this.#negotiate(command.participant, command.message);
        break;
      case 'record':
        this.#recorder?.set(command);
        break;
    }
  }

  #admit(id: string, grants: Grants): void {
    this.#drop(id);
    const { clock, open } = this.#parts;
    const options = { open, clock, quality: this.#spec.quality };
    const talk = new TalkDetector();
    const failed = (error: unknown): void => this.#parts.warn('a connection failed', error);
    const changed = (state: TransportState): void => this.#changed(id, state);
    const publisher = new Publisher(id, options, {
      published: (source) => this.#published(source),
      unpublished: (source) => this.#unpublished(source),
      level: (dbov) => talk.hear(dbov),
      ...{ changed, failed },
    });
    const starved = (isStarved: boolean): void => this.#noteLink(id, { isStarved });
    const tell = (message: Negotiation): void => this.#report({ type: 'negotiate', participant: id, message });
    const viewer = grants.subscribe ? new Viewer(id, options, { tell, changed, starved, failed }) : undefined;
    this.#people.set(id, {
      ...{ id, publisher, viewer, talk },
      ...{ isConnected: false, isLossy: false, isStarved: false, hasPoorLink: false },
      ...{ turn: Promise.resolve(), waiting: 0 },
    });
    publisher.grant(grants.publish);
    viewer?.setAudible(this.#audible);
    for (const other of this.#people.values()) {
      if (other.id !== id) for (const source of other.publisher.sources) viewer?.add(source);
    }
    if (this.#phones) viewer?.add(this.#phones.source);
  }

  #drop(id: string): void {
    const person = this.#people.get(id);
    if (!person) return;
    this.#people.delete(id);
    person.publisher.close();
    person.viewer?.close();
  }

  #attachPhones(at: MixAddress): void {
    this.#detachPhones();
    this.#phones = new PhoneMix(at, this.#parts);
    for (const { viewer } of this.#people.values()) viewer?.add(this.#phones.source);
    this.#recorder?.published(this.#phones.source);
    this.#letPhonesHear();
  }

  #detachPhones(): void {
    const phones = this.#phones;
    if (!phones) return;
    this.#phones = undefined;
    for (const { viewer } of this.#people.values()) viewer?.remove(phones.source);
    this.#recorder?.unpublished(phones.source);
    phones.close();
  }

  #letPhonesHear(): void {
    const sources = [...this.#people.values()].flatMap(({ publisher }) => publisher.sources);
    this.#phones?.setHeard(sources.filter(({ owner, name }) => name === 'audio' && this.#audible.has(owner)));
  }

  #negotiate(id: string, message: Negotiation): void {
    const person = this.#people.get(id);
    if (!person || person.waiting >= MOST_WAITING) return;
    person.waiting++;
    person.turn = person.turn
      .then(() => this.#hear(person, message))
      .catch((error: unknown) => this.#parts.warn(`${message.type} was not understood`, error))
      .finally(() => person.waiting--);
  }

  async #hear(person: Person, message: Negotiation): Promise<void> {
    if (this.#people.get(person.id) !== person) return;
    if (message.type === 'pub.offer') {
      const sdp = await person.publisher.publish(message.sdp, message.sources);
      if (this.#people.get(person.id) !== person) return;
      this.#report({ type: 'negotiate', participant: person.id, message: { type: 'pub.answer', sdp } });
    } else if (message.type === 'sub.answer') person.viewer?.answered(message.version, message.sdp);
    else if (message.type === 'sub.restart') person.viewer?.restart();
  }

  #published(source: PublishedSource): void {
    for (const { id, viewer } of this.#people.values()) if (id !== source.owner) viewer?.add(source);
    this.#letPhonesHear();
    this.#recorder?.published(source);
    this.#report({ type: 'published', participant: source.owner, source: source.name, on: true });
  }

  #unpublished(source: PublishedSource): void {
    for (const { viewer } of this.#people.values()) viewer?.remove(source);
    this.#letPhonesHear();
    this.#recorder?.unpublished(source);
    this.#report({ type: 'published', participant: source.owner, source: source.name, on: false });
  }

  #changed(id: string, state: TransportState): void {
    const person = this.#people.get(id);
    if (!person || state === 'weak') return;
    const isConnected = state === 'open';
    if (person.isConnected === isConnected) return;
    person.isConnected = isConnected;
    this.#report({ type: isConnected ? 'connected' : 'disconnected', participant: id });
  }

  /** Often: holes are asked for, links are filled while they are probed. */
  tick(): void {
    for (const { publisher, viewer } of this.#people.values()) {
      publisher.askMissing();
      viewer?.pad();
    }
  }

  /** Several times a second: what each link carries. */
  adapt(): void {
    for (const { viewer } of this.#people.values()) viewer?.adapt();
  }

  /** At the end of each window of levels. */
  listen(): void {
    for (const { id, talk } of this.#people.values()) {
      if (talk.next()) this.#report({ type: 'talking', participant: id, on: talk.isTalking });
    }
  }

  /** Every second. */
  reportToSenders(): void {
    for (const { publisher } of this.#people.values()) publisher.report();
  }

  /** After so many seconds: how good the links were. */
  sample(seconds: number): void {
    for (const person of this.#people.values()) {
      const samples = [...sentBy(person, seconds), ...receivedBy(person, seconds)];
      if (samples.length === 0) continue;
      this.#report({ type: 'stats', participant: person.id, samples });
      this.#noteLink(person.id, { isLossy: samples.some(({ lost }) => lost > POOR_LOSS) });
    }
  }

  #noteLink(id: string, noted: { isLossy?: boolean; isStarved?: boolean }): void {
    const person = this.#people.get(id);
    if (!person) return;
    Object.assign(person, noted);
    const poor = person.isLossy || person.isStarved;
    if (poor === person.hasPoorLink) return;
    person.hasPoorLink = poor;
    this.#report({ type: 'link', participant: id, poor });
  }

  #report(event: EngineEvent): void {
    this.#parts.report(event);
  }

  /** Resolves when what was recorded is whole. */
  async close(): Promise<void> {
    const recorded = this.#recorder?.stop();
    this.#detachPhones();
    for (const id of [...this.#people.keys()]) this.#drop(id);
    await recorded;
  }
}

/** All layers of a source together. */
function sentBy({ publisher }: Person, seconds: number): QualitySample[] {
  return publisher.sources.flatMap((source) => {
    const sum = { octets: 0, expected: 0, lost: 0 };
    for (const stream of source.streams) {
      const { octets, expected, lost } = stream.sample();
      sum.octets += octets;
      sum.expected += expected;
      sum.lost += lost;
    }
    if (sum.expected === 0) return [];
    const bitsPerSecond = (sum.octets * 8) / seconds;
    return [{ direction: 'send', source: source.name, bitsPerSecond, lost: sum.lost / sum.expected }];
  });
}

function receivedBy({ viewer }: Person, seconds: number): QualitySample[] {
  const streams = viewer?.streams ?? [];
  return streams.flatMap(({ source, outgoing }) => {
    const octets = outgoing.sampleOctets();
    if (octets === 0) return [];
    const bitsPerSecond = (octets * 8) / seconds;
    const { lostShare: lost, roundTripMs } = outgoing;
    const sample: QualitySample = { direction: 'receive', source: source.name, bitsPerSecond, lost };
    return [roundTripMs === undefined ? sample : { ...sample, roundTripMs }];
  });
}
