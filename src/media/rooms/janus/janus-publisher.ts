/**
 * Publishing side of one participant: a handle of Janus, which receives the offers of the browser. A new ICE user name
 * in an offer means a new connection of the browser, which gets its own handle.
 *
 * Invariants
 *  - only granted sources are published, each once; other media of the browser have no subscribers;
 *  - Janus silences a muted source before it can be subscribed to.
 */
import { randomBytes } from 'node:crypto';
import { iceOf } from '../../toolbox/sdp/ice.ts';
import { attributeOf, isRejected, linesOf } from '../../toolbox/sdp/lines.ts';
import type { PictureCodec } from '../embedded/codecs.ts';
import { parseOffer } from '../embedded/offered-media.ts';
import { offeredSources } from '../embedded/offered-sources.ts';
import { type BlockedSource, DescriptionError, type QualitySample, type TrackSource } from '../sfu.ts';
import type { JanusHandle, JanusNotice, PluginMessage } from './janus-link.ts';
import { JanusQuality } from './janus-quality.ts';
import type { JanusRoomKey, JanusSource } from './janus-source.ts';

export interface JanusPublisherEvents {
  published(source: JanusSource): void;
  unpublished(source: JanusSource): void;
  /** Sources of the last offer that are not received. */
  blocked(sources: readonly BlockedSource[]): void;
  talking(on: boolean): void;
  connected(on: boolean): void;
  /** Packets of the participant are lost. */
  lossy(): void;
  failed(error: unknown): void;
}

/** Rooms in Janus are created for this codec only, so that subscribers and recordings can use any source. */
const CODECS: readonly PictureCodec[] = ['VP8'];

interface Connection {
  ufrag: string;
  feed: string;
  handle: JanusHandle;
  isUp: boolean;
  quality: JanusQuality;
}

export class JanusPublisher {
  readonly #owner: string;
  readonly #key: JanusRoomKey;
  readonly #events: JanusPublisherEvents;
  /** Sources that were offered and granted; published once the connection is up. */
  readonly #taken = new Map<TrackSource, JanusSource>();
  readonly #published = new Map<TrackSource, JanusSource>();
  readonly #muted = new Set<TrackSource>();
  #granted: readonly TrackSource[] = [];
  #connection: Connection | undefined;
  #isClosed = false;

  constructor(owner: string, key: JanusRoomKey, events: JanusPublisherEvents) {
    this.#owner = owner;
    this.#key = key;
    this.#events = events;
  }

  get sources(): JanusSource[] {
    return [...this.#published.values()];
  }

  grant(sources: readonly TrackSource[]): void {
    this.#granted = sources;
    for (const name of this.#taken.keys()) if (!sources.includes(name)) this.#remove(name);
  }

  setMuted(name: TrackSource, muted: boolean): void {
    if (muted) this.#muted.add(name);
    else this.#muted.delete(name);
    if (muted && name === 'audio') this.#events.talking(false);
    const source = this.#taken.get(name);
    if (source) this.#silence(source, muted).catch(this.#events.failed);
  }

  async #silence({ feed, mid, name }: JanusSource, mute: boolean): Promise<void> {
    const connection = this.#connection;
    if (connection?.feed !== feed) return;
    const { room, secret } = this.#key;
    await connection.handle.ask({ request: 'moderate', room, secret, id: feed, mid, mute });
    // Subscribers lack the reference for the next frame.
    if (!mute && name !== 'audio') await this.#askForKeyFrame(connection);
  }

  /** Requests key frames from the browser, in all layers. */
  refresh(): void {
    if (this.#connection) this.#askForKeyFrame(this.#connection).catch(this.#events.failed);
  }

  async #askForKeyFrame({ handle }: Connection): Promise<void> {
    await handle.ask({ request: 'configure', keyframe: true });
  }

  /** Returns the answer to an offer. */
  async publish(sdp: string, names: Readonly<Record<string, TrackSource>>): Promise<string> {
    const ice = iceOf(sdp);
    if (!ice) throw new DescriptionError('the offer has no ICE and DTLS parameters');
    const known = this.#connection?.ufrag === ice.ufrag ? this.#connection : undefined;
    const connection = known ?? (await this.#connect(ice.ufrag));
    const { handle, feed } = connection;
    const offered = offeredSources(parseOffer(sdp, CODECS), names, this.#granted);
    const taken = new Map([...offered.taken].map(([source, { mid }]) => [source, mid]));
    this.#events.blocked(offered.blocked);
    const request = known ? 'configure' : 'publish';
    const { jsep } = await handle.ask({ request }, { type: 'offer', sdp: narrowed(sdp, taken) });
    if (!jsep) throw new Error('Janus did not answer the offer');
    if (this.#connection !== connection) throw new Error('there is a newer connection');
    for (const [name, source] of this.#taken) if (taken.get(name) !== source.mid) this.#remove(name);
    for (const [name, mid] of taken) {
      if (!this.#granted.includes(name)) continue;
      const source = this.#taken.get(name) ?? { owner: this.#owner, name, feed, mid };
      this.#taken.set(name, source);
      if (this.#muted.has(name)) await this.#silence(source, true);
    }
    if (connection.isUp) this.#publishTaken();
    return jsep.sdp;
  }

  async #connect(ufrag: string): Promise<Connection> {
    if (this.#connection?.isUp) this.#events.connected(false);
    this.#disconnect();
    const feed = randomBytes(9).toString('base64url');
    const { link, room, pin } = this.#key;
    const receive = (notice: JanusNotice): void => {
      if (this.#connection?.feed === feed) this.#receive(this.#connection, notice);
    };
    const handle = await link.attach(receive);
    if (this.#isClosed || this.#connection) {
      handle.detach();
      throw new Error('the participant has left or reconnected');
    }
    const connection: Connection = { ufrag, feed, handle, isUp: false, quality: new JanusQuality('send') };
    this.#connection = connection;
    await handle.ask({ request: 'join', ptype: 'publisher', room, pin, id: feed });
    return connection;
  }

  #receive(connection: Connection, notice: JanusNotice): void {
    switch (notice.type) {
      case 'up':
        connection.isUp = true;
        this.#publishTaken();
        this.#events.connected(true);
        break;
      case 'hangup':
        this.#disconnect();
        this.#events.connected(false);
        break;
      case 'lossy':
        if (notice.lost === 'received') this.#events.lossy();
        break;
      case 'plugin':
        this.#recordPlugin(connection, notice.message);
        break;
    }
  }

  /** Each publisher handle receives the events of all participants who talk. */
  #recordPlugin({ feed }: Connection, { data }: PluginMessage): void {
    if (data['id'] !== feed || this.#muted.has('audio')) return;
    if (data['videoroom'] === 'talking') this.#events.talking(true);
    if (data['videoroom'] === 'stopped-talking') this.#events.talking(false);
  }

  #publishTaken(): void {
    for (const [name, source] of this.#taken) {
      if (this.#published.has(name)) continue;
      this.#published.set(name, source);
      this.#events.published(source);
    }
  }

  #remove(name: TrackSource): void {
    this.#taken.delete(name);
    const source = this.#published.get(name);
    this.#published.delete(name);
    if (!source) return;
    if (name === 'audio') this.#events.talking(false);
    this.#events.unpublished(source);
  }

  /** Returns the quality over the last `seconds`. */
  async sample(seconds: number): Promise<QualitySample[]> {
    const connection = this.#connection;
    const info = connection?.isUp ? await connection.handle.inspect() : undefined;
    if (!connection || !info || connection !== this.#connection) return [];
    const nameOf = (mid: string) => this.sources.find((source) => source.mid === mid)?.name;
    return connection.quality.sample(info, nameOf, seconds);
  }

  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    for (const name of [...this.#taken.keys()]) this.#remove(name);
    connection?.handle.detach();
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }
}

/**
 * Feedback for transport-wide congestion control. With that of Janus, Firefox never sends its best layer, and browsers
 * fill up to the whole bit rate with padding; without it they follow `goog-remb`.
 */
const TRANSPORT_CC = /^a=(?:rtcp-fb:\S+ transport-cc|extmap:.*transport-wide-cc-extensions-01)\r?\n/gm;

/**
 * Returns the offer reduced to the accepted sources, because Janus would accept all. Janus reads port 0 as a rejection,
 * even of a `bundle-only` line.
 */
function narrowed(sdp: string, taken: ReadonlyMap<TrackSource, string>): string {
  const mids = new Set(taken.values());
  const isTaken = (section: string): boolean => mids.has(attributeOf(linesOf(section), 'mid') ?? '');
  const [head = '', ...sections] = sdp.replaceAll(TRANSPORT_CC, '').split(/(?<=\n)(?=m=)/);
  const kept = sections.map((section) => {
    if (!isTaken(section)) return section.replace(/^a=(sendrecv|sendonly|recvonly)\b/m, 'a=inactive');
    return isRejected(linesOf(section))
      ? section
      : section.replace(/^(m=\S+) 0 /, '$1 9 ').replace(/^a=bundle-only\r?\n/m, '');
  });
  return [head, ...kept].join('');
}
