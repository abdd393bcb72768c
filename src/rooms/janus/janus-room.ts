/**
 * One session as Janus carries it: a private room of its plugin, whose PIN and secret nobody but this service knows, and
 * for each participant what it sends (`janus-publisher.ts`) and what it receives (`janus-viewer.ts`). It does what the
 * service says, and reports what it notices.
 *
 * Invariants
 *  - who is not admitted has no handle, and what it says is not heard;
 *  - somebody who is admitted again begins anew;
 *  - what one client says wrong costs nobody else anything.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../core/clock.ts';
import type { EngineCommand, EngineEvent, Grants, Negotiation, SessionSpec } from '../sfu.ts';
import type { JanusHandle, JanusLink } from './janus-link.ts';
import { JanusPublisher } from './janus-publisher.ts';
import type { JanusRoomKey, JanusSource } from './janus-source.ts';
import { JanusViewer } from './janus-viewer.ts';

export interface JanusRoomParts {
  clock: Clock;
  link: JanusLink;
  report(event: EngineEvent): void;
  /** What went wrong, and hurts nobody but one client. */
  warn(message: string, error: unknown): void;
}

interface Person {
  id: string;
  publisher: JanusPublisher;
  viewer: JanusViewer | undefined;
  isConnected: boolean;
  isTalking: boolean;
  /** Until it counts as quiet; it may only take a breath. */
  quiet?: Timer;
  /** Until its link counts as good again. */
  poor?: Timer;
  /** One message of its client at a time. */
  turn: Promise<void>;
}

/** bit/s that a browser may send. */
const MOST_BITS: Readonly<Record<SessionSpec['quality'], number>> = { HD: 1_700_000, SD: 700_000, LD: 300_000 };
/** A room of the service has its own limit. */
const MOST_PUBLISHERS = 10_000;
/** Of sound: 20 ms each. Louder than this on average over so many is talking. */
const TALK_PACKETS = 10;
const LOUD_DBOV = 45;
const QUIET_MS = 500;
const POOR_MS = 10_000;
const SAMPLE_SECONDS = 5;

export class JanusRoom {
  readonly #parts: JanusRoomParts;
  readonly #quality: SessionSpec['quality'];
  readonly #key: JanusRoomKey;
  readonly #people = new Map<string, Person>();
  #audible: ReadonlySet<string> = new Set();
  /** What made the room, and ends it. */
  readonly #made: Promise<JanusHandle>;
  #isClosed = false;
  #sampling: Timer | undefined;

  constructor(spec: SessionSpec, parts: JanusRoomParts) {
    this.#parts = parts;
    this.#quality = spec.quality;
    const random = (): string => randomBytes(18).toString('base64url');
    this.#key = { link: parts.link, room: random(), pin: random(), secret: random() };
    this.#made = this.#make(spec);
    this.#sampleLater();
    this.#made.catch((error: unknown) => {
      if (this.#isClosed) return;
      parts.warn('a room could not be made', error);
      parts.report({ type: 'failed', why: error instanceof Error ? error.message : String(error) });
    });
  }

  async #make({ quality }: SessionSpec): Promise<JanusHandle> {
    const { link, ...key } = this.#key;
    const handle = await link.attach(() => undefined);
    await handle.ask({
      ...{ request: 'create', ...key, is_private: true, permanent: false, publishers: MOST_PUBLISHERS },
      ...{ audiocodec: 'opus', videocodec: 'vp8', bitrate: MOST_BITS[quality], notify_joining: false },
      ...{ audiolevel_ext: true, audiolevel_event: true },
      ...{ audio_active_packets: TALK_PACKETS, audio_level_average: LOUD_DBOV },
    });
    return handle;
  }

  command(command: EngineCommand): void {
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
        this.#audible = new Set(command.participants);
        for (const { viewer } of this.#people.values()) viewer?.setAudible(this.#audible);
        break;
      case 'set_layer':
        this.#people.get(command.participant)?.viewer?.setLayer(command.publisher, command.layer);
        break;
      case 'negotiate':
        this.#negotiate(command.participant, command.message);
        break;
      case 'end':
        this.close();
        break;
      case 'record':
        break;
    }
  }

  #admit(id: string, grants: Grants): void {
    this.#drop(id);
    const { clock, report, warn } = this.#parts;
    const failed = (error: unknown): void => warn('Janus refused something', error);
    const connected = (on: boolean): void => this.#connected(id, on);
    const poorLink = (): void => this.#poorLink(id);
    const publisher = new JanusPublisher(id, this.#key, {
      published: (source) => this.#published(source),
      unpublished: (source) => this.#unpublished(source),
      talking: (on) => this.#talking(id, on),
      ...{ connected, poorLink, failed },
    });
    const tell = (message: Negotiation): void => report({ type: 'negotiate', participant: id, message });
    const viewer = grants.subscribe
      ? new JanusViewer(this.#key, { clock, quality: this.#quality }, { tell, connected, poorLink, failed })
      : undefined;
    this.#people.set(id, {
      ...{ id, publisher, viewer, isConnected: false, isTalking: false },
      turn: this.#made.then(
        () => undefined,
        () => undefined,
      ),
    });
    publisher.grant(grants.publish);
    viewer?.setAudible(this.#audible);
    for (const other of this.#people.values()) {
      if (other.id !== id) for (const source of other.publisher.sources) viewer?.add(source);
    }
  }

  #drop(id: string): void {
    const person = this.#people.get(id);
    if (!person) return;
    this.#people.delete(id);
    person.quiet?.cancel();
    person.poor?.cancel();
    person.publisher.close();
    person.viewer?.close();
  }

  #negotiate(id: string, message: Negotiation): void {
    const person = this.#people.get(id);
    if (!person) return;
    person.turn = person.turn
      .then(() => this.#receive(person, message))
      .catch((error: unknown) => {
        if (this.#people.get(id) === person) this.#parts.warn(`${message.type} was not understood`, error);
      });
  }

  async #receive(person: Person, message: Negotiation): Promise<void> {
    if (this.#people.get(person.id) !== person) return;
    if (message.type === 'pub.offer') {
      const sdp = await person.publisher.publish(message.sdp, message.sources);
      if (this.#people.get(person.id) !== person) return;
      this.#report({ type: 'negotiate', participant: person.id, message: { type: 'pub.answer', sdp } });
    } else if (message.type === 'sub.answer') person.viewer?.answered(message.version, message.sdp);
    else if (message.type === 'sub.restart') person.viewer?.restart();
  }

  #published(source: JanusSource): void {
    for (const { id, viewer } of this.#people.values()) if (id !== source.owner) viewer?.add(source);
    this.#report({ type: 'published', participant: source.owner, source: source.name, on: true });
  }

  #unpublished(source: JanusSource): void {
    for (const { viewer } of this.#people.values()) viewer?.remove(source);
    this.#report({ type: 'published', participant: source.owner, source: source.name, on: false });
  }

  #connected(id: string, on: boolean): void {
    const person = this.#people.get(id);
    if (!person || person.isConnected === on) return;
    person.isConnected = on;
    this.#report({ type: on ? 'connected' : 'disconnected', participant: id });
  }

  #talking(id: string, on: boolean): void {
    const person = this.#people.get(id);
    if (!person) return;
    person.quiet?.cancel();
    if (person.isTalking === on) return;
    const change = (): void => {
      person.isTalking = on;
      this.#report({ type: 'talking', participant: id, on });
    };
    if (on) change();
    else person.quiet = this.#parts.clock.after(QUIET_MS, change);
  }

  /** Janus says so every second as long as it is so. */
  #poorLink(id: string): void {
    const person = this.#people.get(id);
    if (!person) return;
    if (!person.poor) this.#report({ type: 'link', participant: id, poor: true });
    person.poor?.cancel();
    person.poor = this.#parts.clock.after(POOR_MS, () => {
      delete person.poor;
      this.#report({ type: 'link', participant: id, poor: false });
    });
  }

  #sampleLater(): void {
    this.#sampling = this.#parts.clock.after(SAMPLE_SECONDS * 1000, () => {
      for (const person of this.#people.values()) {
        this.#sample(person).catch((error: unknown) => {
          if (!this.#isClosed) this.#parts.warn('the quality of a link is not known', error);
        });
      }
      this.#sampleLater();
    });
  }

  async #sample({ id, publisher, viewer }: Person): Promise<void> {
    const both = await Promise.all([publisher.sample(SAMPLE_SECONDS), viewer?.sample(SAMPLE_SECONDS) ?? []]);
    const samples = both.flat();
    if (samples.length > 0 && this.#people.has(id)) this.#report({ type: 'stats', participant: id, samples });
  }

  #report(event: EngineEvent): void {
    if (!this.#isClosed) this.#parts.report(event);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sampling?.cancel();
    for (const id of [...this.#people.keys()]) this.#drop(id);
    const { room, secret } = this.#key;
    this.#made
      .then((handle) => handle.ask({ request: 'destroy', room, secret }).finally(() => handle.detach()))
      .catch(() => undefined);
  }
}
