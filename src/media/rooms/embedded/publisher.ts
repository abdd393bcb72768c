/**
 * Publishing connection of one participant, whose offers come from the browser, and its sources. A new ICE user name in
 * an offer means a new connection: the library cannot restart ICE, so that a new transport is opened.
 *
 * Invariants
 *  - only granted sources are accepted, each once; all other packets are dropped;
 *  - a source is kept across new transports: subscribers keep their m-lines;
 *  - each layer of a source has one SSRC: a new one replaces the previous SSRC, which is accepted again only after the
 *    next offer.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { ExtensionMap } from '../../toolbox/rtp/extensions.ts';
import { isRtcp, type RtpPacket, readRtp } from '../../toolbox/rtp/packet.ts';
import { readSenderReport, rtcpParts, writeReceiverReport } from '../../toolbox/rtp/rtcp.ts';
import { writeBandwidth } from '../../toolbox/rtp/rtcp-feedback.ts';
import { iceOf } from '../../toolbox/sdp/ice.ts';
import type { Endpoint } from '../../toolbox/sdp/webrtc.ts';
import type { MediaTransport, OpenTransport, TransportState } from '../media-transport.ts';
import { type BlockedSource, DescriptionError, type TrackSource } from '../sfu.ts';
import { type IncomingStream, OWN_SSRC } from './incoming-stream.ts';
import { type OfferedMedia, parseOffer } from './offered-media.ts';
import { offeredSources } from './offered-sources.ts';
import type { Quality } from './outgoing-stream.ts';
import { PublishedSource } from './published-source.ts';
import { answerTo } from './sdp.ts';
import { MAX_PICTURE_BITS } from './source-limit.ts';

export interface PublisherEvents {
  published(source: PublishedSource): void;
  unpublished(source: PublishedSource): void;
  /** Sources of the last offer that are not received. */
  blocked(sources: readonly BlockedSource[]): void;
  /** Audio level of the microphone. */
  level(dbov: number): void;
  changed(state: TransportState): void;
  failed(error: unknown): void;
}

const REPORTED_MS = 5000;
/** A browser that sends media also sends a report at least each second. */
const SILENT_MS = 2000;

export class Publisher {
  readonly #id: string;
  readonly #open: OpenTransport;
  readonly #clock: Clock;
  readonly #quality: Quality;
  /** True if camera packets have to be dropped now. */
  readonly #shedsNow: () => boolean;
  readonly #events: PublisherEvents;
  readonly #sources = new Map<TrackSource, PublishedSource>();
  readonly #bySsrc = new Map<number, { source: PublishedSource; stream: IncomingStream }>();
  /** SSRCs that were replaced; their number is bounded by that of a connection (`connection-guard.ts`). */
  readonly #replaced = new Set<number>();
  readonly #muted = new Set<TrackSource>();
  #granted: readonly TrackSource[] = [];
  #connection: { transport: MediaTransport; endpoint: Promise<Endpoint>; ufrag: string } | undefined;
  #extensions: ExtensionMap = {};
  #version = 0;
  /** Time of the last packet. */
  #arrivedMs = Number.NEGATIVE_INFINITY;

  constructor(
    id: string,
    {
      open,
      clock,
      quality,
      shedsNow = () => false,
    }: { open: OpenTransport; clock: Clock; quality: Quality; shedsNow?: (() => boolean) | undefined },
    events: PublisherEvents,
  ) {
    this.#id = id;
    this.#open = open;
    this.#clock = clock;
    this.#quality = quality;
    this.#shedsNow = shedsNow;
    this.#events = events;
  }

  get sources(): PublishedSource[] {
    return [...this.#sources.values()];
  }

  grant(sources: readonly TrackSource[]): void {
    this.#granted = sources;
    for (const source of this.sources) if (!sources.includes(source.name)) this.#remove(source);
  }

  setMuted(name: TrackSource, muted: boolean): void {
    if (muted) this.#muted.add(name);
    else this.#muted.delete(name);
    this.#sources.get(name)?.setMuted(muted);
  }

  /** Returns the answer to an offer. */
  async publish(sdp: string, names: Readonly<Record<string, TrackSource>>): Promise<string> {
    const ice = iceOf(sdp);
    if (!ice) throw new DescriptionError('the offer has no ICE and DTLS parameters');
    const media = parseOffer(sdp);
    const { endpoint } = this.#connect(ice.ufrag, sdp);
    const { ice: own, candidates } = await endpoint;
    this.#extensions = Object.assign({}, ...media.map((each) => each.extensions)) as ExtensionMap;
    const { taken, blocked } = offeredSources(media, names, this.#granted);
    this.#replaced.clear();
    for (const source of this.sources) if (!taken.has(source.name)) this.#remove(source);
    for (const [name, each] of taken) this.#add(name, each);
    this.#events.blocked(blocked);
    const accepted = new Set(taken.values());
    const setup = own.setup === 'passive' ? 'passive' : 'active';
    return answerTo(media, { ice: own, setup, candidates }, ++this.#version, (each) => accepted.has(each));
  }

  #connect(ufrag: string, sdp: string) {
    if (this.#connection?.ufrag === ufrag) return this.#connection;
    if (this.#connection?.transport.isOpen) this.#events.changed('lost');
    this.#connection?.transport.close();
    this.#bySsrc.clear();
    this.#replaced.clear();
    for (const source of this.#sources.values()) source.forgetStreams();
    const transport: MediaTransport = this.#open(`${this.#id} publishes`, {
      packet: (bytes) => this.#onPacket(bytes),
      changed: (state) => this.#events.changed(state),
      failed: (error) => this.#events.failed(error),
    });
    this.#connection = { transport, endpoint: transport.answer(sdp), ufrag };
    return this.#connection;
  }

  #add(name: TrackSource, media: OfferedMedia): void {
    const known = this.#sources.get(name);
    if (known && known.media.codec?.codec === media.codec?.codec) {
      known.media = media;
      return;
    }
    // Subscribers and recordings cannot continue in another codec.
    if (known) this.#remove(known);
    const send = (feedback: Buffer): void => this.#connection?.transport.send(feedback);
    const source = new PublishedSource({
      ...{ owner: this.#id, name, media, send },
      ...{ clock: this.#clock, quality: this.#quality },
    });
    source.setMuted(this.#muted.has(name));
    this.#sources.set(name, source);
    this.#events.published(source);
  }

  #remove(source: PublishedSource): void {
    this.#sources.delete(source.name);
    for (const [ssrc, bound] of this.#bySsrc) if (bound.source === source) this.#bySsrc.delete(ssrc);
    source.close();
    this.#events.unpublished(source);
  }

  /**
   * True if sources are published, but no packets have arrived for a while: the network of the participant may be gone.
   */
  get isSilent(): boolean {
    if (this.#sources.size === 0 || !this.#connection?.transport.isOpen) return false;
    return this.#clock.monotonicMs() - this.#arrivedMs >= SILENT_MS;
  }

  #onPacket(bytes: Buffer): void {
    this.#arrivedMs = this.#clock.monotonicMs();
    if (isRtcp(bytes)) {
      this.#onReports(bytes);
      return;
    }
    const packet = readRtp(bytes, this.#extensions);
    const bound = packet && (this.#bySsrc.get(packet.ssrc) ?? this.#bind(packet));
    if (!bound || packet.payloadType !== bound.source.media.payloadType) return;
    const { source, stream } = bound;
    if (!source.limit.take(bytes.length)) return;
    if (packet.level !== undefined && source.name === 'audio' && !source.isMuted) this.#events.level(packet.level);
    if (source.name === 'video' && this.#shedsNow()) stream.skip(packet);
    else source.onRtp(packet, stream);
  }

  /**
   * Assigns a new stream to a source: by the SSRCs of the offer, by its header extensions, or as the only source of its
   * codec.
   */
  #bind(packet: RtpPacket<Buffer>) {
    if (this.#replaced.has(packet.ssrc)) return undefined;
    const fitting = this.sources.filter(({ media }) => media.payloadType === packet.payloadType);
    const source =
      fitting.find(({ media }) => media.ssrcs.includes(packet.ssrc)) ??
      fitting.find(({ media }) => media.mid === packet.mid) ??
      fitting.find(({ media }) => media.rids.length === 0 && media.ssrcs.length === 0);
    if (!source) return undefined;
    const { rids } = source.media;
    if (rids.length > 0 && !(packet.rid !== undefined && rids.includes(packet.rid))) return undefined;
    const stream = source.open(packet);
    if (!stream) return undefined;
    this.#forgetReplaced(source);
    const bound = { source, stream };
    this.#bySsrc.set(packet.ssrc, bound);
    return bound;
  }

  #forgetReplaced(source: PublishedSource): void {
    for (const [ssrc, bound] of this.#bySsrc) {
      if (bound.source !== source || source.has(bound.stream)) continue;
      this.#bySsrc.delete(ssrc);
      this.#replaced.add(ssrc);
    }
  }

  #onReports(bytes: Buffer): void {
    for (const part of rtcpParts(bytes)) {
      const report = readSenderReport(part);
      const bound = report && this.#bySsrc.get(report.ssrc);
      if (!bound) continue;
      bound.stream.senderReported(report);
      for (const each of bound.source.outgoing) each.senderReported(bound.stream);
    }
  }

  /** Sends receiver reports and the bandwidth limit (REMB). Called every second. */
  report(): void {
    const transport = this.#connection?.transport;
    if (!transport?.isOpen) return;
    const nowMs = this.#clock.monotonicMs();
    const bound = [...this.#bySsrc.values()].filter(({ stream }) => stream.isAlive(nowMs, REPORTED_MS));
    const blocks = bound.flatMap(({ stream }) => stream.report() ?? []);
    if (blocks.length === 0) return;
    const written = [writeReceiverReport(OWN_SSRC, blocks)];
    const pictures = bound.filter(({ source }) => source.kind === 'video').map(({ stream }) => stream.ssrc);
    if (pictures.length > 0) written.push(writeBandwidth(OWN_SSRC, MAX_PICTURE_BITS[this.#quality], pictures));
    transport.send(Buffer.concat(written));
  }

  close(): void {
    for (const source of this.sources) this.#remove(source);
    this.#connection?.transport.close();
    this.#connection = undefined;
  }
}
