/**
 * Media that Janus delegates to the embedded engine: phones, recording and live stream of one session. A session of
 * that engine joins the room of Janus by WebRTC: it receives the sources of browsers, on one connection for each
 * participant, and publishes the mix of the phones. Offers and answers are those that browsers would send
 * (`MediaSpec.assists`).
 *
 * Invariants
 *  - without phones, recordings and an audience there is no such session, and Janus sends no media to it;
 *  - Janus sends it only what it needs: audible participants for phones and the live stream, recorded sources for
 *    recordings.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { MediaSpec } from '../embedded/media-session.ts';
import {
  type EngineCommand,
  type Negotiation,
  type NegotiationReply,
  PHONES,
  type RoomEngine,
  type SessionSpec,
  type TrackSource,
} from '../sfu.ts';
import { JanusPublisher } from './janus-publisher.ts';
import type { JanusRoomKey, JanusSource } from './janus-source.ts';
import { JanusSubscriber } from './janus-subscriber.ts';

/** The embedded engine. */
export interface MediaAssistant extends RoomEngine {
  openSession(spec: MediaSpec): void;
}

export interface AssistedMediaParts {
  assistant: MediaAssistant;
  spec: SessionSpec;
  key: JanusRoomKey;
  /** Resolves when the room exists. */
  made: Promise<unknown>;
  clock: Clock;
  /** The phones are published in the room of Janus. Undefined: they are unpublished. */
  phones(source: JanusSource | undefined): void;
  /** Requests a key frame from the camera of this participant. */
  refresh(participant: string): void;
  failed(error: unknown): void;
}

type Of<Type extends EngineCommand['type']> = Extract<EngineCommand, { type: Type }>;

/** Subscription to the sources of one participant in Janus. */
interface Feed {
  subscriber: JanusSubscriber;
  again: Timer | undefined;
}

/** Id of Janus as a subscriber of the session. */
const JANUS = 'janus';
const NOTHING: Of<'record'> = { type: 'record', on: false, sources: {} };
const NO_STREAM: Of<'live_stream'> = { type: 'live_stream', directory: undefined };
const RETRY_MS = 1000;

export class AssistedMedia {
  readonly #parts: AssistedMediaParts;
  /** Published sources, by participant. */
  readonly #sources = new Map<string, Set<JanusSource>>();
  readonly #feeds = new Map<string, Feed>();
  /** By participant and source. */
  readonly #muted = new Map<string, Of<'mute'>>();
  /** Names of participants, by id. */
  readonly #names = new Map<string, string>();
  #audible: Of<'set_audible'> = { type: 'set_audible', participants: [] };
  #recording: Of<'record'> = NOTHING;
  #stream: Of<'live_stream'> = NO_STREAM;
  #attached: Of<'attach_phones'> | undefined;
  #phones: JanusPublisher | undefined;
  #phonesAgain: Timer | undefined;
  #isOpen = false;

  constructor(parts: AssistedMediaParts) {
    this.#parts = parts;
  }

  published(source: JanusSource): void {
    const { owner } = source;
    this.#sources.set(owner, (this.#sources.get(owner) ?? new Set()).add(source));
    this.#feed(owner);
  }

  unpublished(source: JanusSource): void {
    const { owner } = source;
    const left = this.#sources.get(owner);
    left?.delete(source);
    if (left?.size === 0) this.#sources.delete(owner);
    this.#feeds.get(owner)?.subscriber.remove(source);
    this.#feed(owner);
  }

  /** Executes a command of the service about phones, recordings and the live stream. */
  command(command: EngineCommand): void {
    switch (command.type) {
      case 'admit':
        if (command.name !== undefined) this.#names.set(command.participant, command.name);
        break;
      case 'attach_phones':
      case 'detach_phones':
        this.#attached = command.type === 'attach_phones' ? command : undefined;
        this.#follow(command);
        if (this.#isOpen) this.#connectPhones();
        break;
      case 'record':
        this.#recording = command.on ? command : NOTHING;
        this.#follow(command);
        break;
      case 'live_stream':
        this.#stream = command;
        this.#follow(command);
        break;
      case 'set_audible':
        this.#audible = command;
        this.#follow(command);
        break;
      case 'mute':
        this.#muted.set(`${command.participant} ${command.source}`, command);
        if (this.#feeds.has(command.participant)) this.#send(command);
        break;
      case 'drop':
        this.#names.delete(command.participant);
        for (const [key, { participant }] of this.#muted)
          if (participant === command.participant) this.#muted.delete(key);
        break;
    }
  }

  /** Opens or ends the session, or passes it the command. */
  #follow(command: EngineCommand): void {
    const isNeeded = this.#attached !== undefined || this.#recording.on || this.#hasAudience;
    if (!isNeeded) this.#end();
    else if (this.#isOpen) {
      this.#send(command);
      this.#feedAll();
    } else this.#open();
  }

  get #hasAudience(): boolean {
    return this.#stream.directory !== undefined;
  }

  #open(): void {
    const { assistant, spec } = this.#parts;
    this.#isOpen = true;
    assistant.openSession({ ...spec, assists: true });
    this.#send(this.#audible);
    this.#send(this.#recording);
    this.#send(this.#stream);
    if (this.#attached) this.#send(this.#attached);
    this.#feedAll();
  }

  #send(command: EngineCommand): void {
    this.#parts.assistant.send(this.#parts.spec.confNum, command);
  }

  #feedAll(): void {
    for (const owner of this.#sources.keys()) this.#feed(owner);
  }

  /** Subscribes to the sources of this participant that are needed. */
  #feed(owner: string): void {
    const sources = [...(this.#sources.get(owner) ?? [])];
    if (!sources.some((source) => this.#isWanted(source))) {
      this.#stopFeed(owner);
      return;
    }
    const { subscriber } = this.#feeds.get(owner) ?? this.#startFeed(owner);
    const isLetThrough = this.#isAudible(owner) || this.#recordedOf(owner).length > 0;
    subscriber.setAudible(new Set(isLetThrough ? [owner] : []));
    for (const source of sources) {
      if (this.#isWanted(source)) subscriber.add(source);
      else subscriber.remove(source);
    }
  }

  #isWanted({ owner, name }: JanusSource): boolean {
    if (!this.#isOpen) return false;
    // A connection of a participant who was audible once is kept.
    const isForPhones = this.#attached && name === 'audio' && (this.#isAudible(owner) || this.#feeds.has(owner));
    const isForAudience = this.#hasAudience && this.#isAudible(owner);
    return isForPhones || isForAudience || this.#recordedOf(owner).includes(name);
  }

  #isAudible(owner: string): boolean {
    return this.#audible.participants.includes(owner);
  }

  #recordedOf(owner: string): readonly TrackSource[] {
    const { sources } = this.#recording;
    return Object.hasOwn(sources, owner) ? sources[owner]! : [];
  }

  #startFeed(owner: string): Feed {
    const { key, clock, spec, refresh, failed } = this.#parts;
    const subscriber = new JanusSubscriber(
      key,
      { clock, quality: spec.quality },
      {
        tell: (message) => this.#offered(owner, message),
        connected: (on) => this.#feedConnected(owner, on),
        lossy: () => undefined,
        behind: refresh,
        failed,
      },
    );
    const feed: Feed = { subscriber, again: undefined };
    this.#feeds.set(owner, feed);
    this.#admit(owner, { publish: ['audio', 'video', 'screen'], subscribe: false });
    for (const command of this.#muted.values()) if (command.participant === owner) this.#send(command);
    return feed;
  }

  #admit(participant: string, grants: Of<'admit'>['grants']): void {
    const name = this.#names.get(participant);
    this.#send({ type: 'admit', participant, grants, isPhone: false, ...(name === undefined ? {} : { name }) });
  }

  #offered(owner: string, message: NegotiationReply): void {
    if (message.type !== 'sub.offer') return;
    const { sdp, tracks, version } = message;
    const sources = Object.fromEntries(tracks.map(({ mid, source }) => [mid, source]));
    this.#send({ type: 'negotiate', participant: owner, message: { type: 'pub.offer', version, sdp, sources } });
  }

  #feedConnected(owner: string, on: boolean): void {
    const feed = this.#feeds.get(owner);
    if (!feed) return;
    feed.again?.cancel();
    feed.again = on ? undefined : this.#parts.clock.after(RETRY_MS, () => feed.subscriber.restart());
  }

  #stopFeed(owner: string): void {
    const feed = this.#feeds.get(owner);
    if (!feed) return;
    this.#feeds.delete(owner);
    feed.again?.cancel();
    feed.subscriber.close();
    this.#send({ type: 'drop', participant: owner });
  }

  /** Publishes the phones in the room of Janus by a new connection, or unpublishes them. */
  #connectPhones(): void {
    this.#phonesAgain?.cancel();
    this.#phones?.close();
    this.#phones = undefined;
    this.#send({ type: 'drop', participant: JANUS });
    if (!this.#attached) return;
    const { key, clock, phones, failed } = this.#parts;
    this.#phones = new JanusPublisher(PHONES, key, {
      published: (source) => phones(source),
      unpublished: () => phones(undefined),
      blocked: () => undefined,
      talking: () => undefined,
      connected: (on) => {
        this.#phonesAgain?.cancel();
        if (!on) this.#phonesAgain = clock.after(RETRY_MS, () => this.#connectPhones());
      },
      lossy: () => undefined,
      failed,
    });
    this.#phones.grant(['audio']);
    this.#admit(JANUS, { publish: [], subscribe: true });
  }

  /** Handles a message of the session to a client, for which Janus stands in. */
  negotiate(participant: string, message: NegotiationReply): void {
    if (message.type === 'pub.answer') {
      this.#feeds.get(participant)?.subscriber.answered(message.version!, message.sdp);
    } else if (message.type === 'pub.restart') this.#feeds.get(participant)?.subscriber.restart();
    else if (message.type === 'sub.offer' && participant === JANUS) {
      this.#publishPhones(message).catch(this.#parts.failed);
    }
  }

  async #publishPhones({ sdp, version, tracks }: Extract<NegotiationReply, { type: 'sub.offer' }>): Promise<void> {
    const phones = this.#phones;
    await this.#parts.made;
    if (!phones || phones !== this.#phones) return;
    const answer = await phones.publish(sdp, Object.fromEntries(tracks.map(({ mid, source }) => [mid, source])));
    if (phones !== this.#phones) return;
    const message: Negotiation = { type: 'sub.answer', version, sdp: answer };
    this.#send({ type: 'negotiate', participant: JANUS, message });
  }

  /** The embedded engine restarted, without its sessions. */
  assistantRestarted(): void {
    if (!this.#isOpen) return;
    this.#disconnect();
    this.#open();
    this.#connectPhones();
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#disconnect();
    this.#isOpen = false;
    this.#send({ type: 'end' });
  }

  #disconnect(): void {
    for (const owner of [...this.#feeds.keys()]) this.#stopFeed(owner);
    this.#phonesAgain?.cancel();
    this.#phones?.close();
    this.#phones = undefined;
  }

  close(): void {
    this.#sources.clear();
    this.#attached = undefined;
    this.#recording = NOTHING;
    this.#stream = NO_STREAM;
    this.#end();
  }
}
