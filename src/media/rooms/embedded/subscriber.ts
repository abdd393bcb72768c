/**
 * Subscribing connection of one participant, whose offers come from this engine, with one m-line for each source.
 *
 * Invariants
 *  - there is one pending offer at a time; later changes go into the next one;
 *  - an m-line is never removed: it becomes inactive and is used again (`sdp.ts`);
 *  - only the answer to the latest offer is used.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/core/clock.ts';
import { isRtcp } from '../../toolbox/rtp/packet.ts';
import { type ReportBlock, type RtcpPart, readReportBlocks, rtcpParts } from '../../toolbox/rtp/rtcp.ts';
import { readBandwidth, readKeyFrameRequest, readNack } from '../../toolbox/rtp/rtcp-feedback.ts';
import type { Endpoint } from '../../toolbox/sdp/webrtc.ts';
import { firstVersion } from '../media-participants.ts';
import type { MediaTransport, OpenTransport, TransportState } from '../media-transport.ts';
import { type BlockedSource, DescriptionError, type Layer, type NegotiationReply, PHONES } from '../sfu.ts';
import { CODEC_NAMES } from './codecs.ts';
import { lower } from './layer-choice.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import type { PublishedSource } from './published-source.ts';
import { isReceived, type MediaKind, offerOf } from './sdp.ts';

import { SubscriberLink } from './subscriber-link.ts';

export interface SubscriberEvents {
  tell(message: NegotiationReply): void;
  /** Sources whose codec the browser does not receive. */
  blocked(sources: readonly BlockedSource[]): void;
  changed(state: TransportState): void;
  /** A video source is paused because the link does not carry it, or all are sent again. */
  starved(isStarved: boolean): void;
  failed(error: unknown): void;
}

interface Line {
  mid: string;
  kind: MediaKind;
  /** Absent while the line is unused. */
  carries?: { source: PublishedSource; outgoing: OutgoingStream };
  /** Stream in the last offer. */
  offered?: OutgoingStream | undefined;
}

/** Maximum m-lines that browsers handle well. */
const MAX_LINES = 200;

let nextSsrc = 0x10000;

export class Subscriber {
  readonly #id: string;
  readonly #open: OpenTransport;
  readonly #clock: Clock;
  readonly #events: SubscriberEvents;
  readonly #lines: Line[] = [];
  readonly #link: SubscriberLink;
  readonly #layers = new Map<string, Layer>();
  #audible: ReadonlySet<string> = new Set();
  #mostPictures: Layer = 'HD';
  #connection: { transport: MediaTransport; endpoint: Promise<Endpoint>; isAnswered: boolean } | undefined;
  #version = firstVersion();
  #isOffering = false;
  #mustOffer = false;

  constructor(id: string, { open, clock }: { open: OpenTransport; clock: Clock }, events: SubscriberEvents) {
    this.#id = id;
    this.#open = open;
    this.#clock = clock;
    this.#events = events;
    this.#link = new SubscriberLink({
      clock,
      sink: () => this.#connection?.transport,
      streams: () => this.streams,
      starved: (isStarved) => events.starved(isStarved),
    });
  }

  get streams(): { source: PublishedSource; outgoing: OutgoingStream }[] {
    return this.#lines.flatMap(({ carries }) => carries ?? []);
  }

  add(source: PublishedSource): void {
    let line = this.#lines.find(({ carries, kind }) => !carries && kind === source.kind);
    if (!line) {
      if (this.#lines.length >= MAX_LINES) return;
      line = { mid: String(this.#lines.length), kind: source.kind };
      this.#lines.push(line);
    }
    const random = randomBytes(6);
    const outgoing = new OutgoingStream({
      ...{ ssrc: nextSsrc++, paddingSsrc: nextSsrc++, source },
      sink: this.#link.pacer,
      clock: this.#clock,
      // Half of the range, because receivers handle a wrap in the first packets badly.
      start: { sequence: random.readUInt16BE(0) >> 1, timestamp: random.readUInt32BE(2) >>> 1 },
    });
    source.outgoing.add(outgoing);
    line.carries = { source, outgoing };
    this.#apply(source, outgoing);
    void this.#offer();
  }

  remove(source: PublishedSource): void {
    const line = this.#lines.find(({ carries }) => carries?.source === source);
    if (!line?.carries) return;
    source.outgoing.delete(line.carries.outgoing);
    delete line.carries;
    this.#reportBlocked();
    void this.#offer();
  }

  /** Sets the participants whose audio and video are forwarded; shared screens always are. */
  setAudible(audible: ReadonlySet<string>): void {
    this.#audible = audible;
    for (const { source, outgoing } of this.streams) this.#apply(source, outgoing);
  }

  setLayer(publisher: string, layer: Layer): void {
    this.#layers.set(publisher, layer);
    for (const { source, outgoing } of this.streams) if (source.owner === publisher) this.#apply(source, outgoing);
  }

  limitPictures(most: Layer): void {
    if (most === this.#mostPictures) return;
    this.#mostPictures = most;
    for (const { source, outgoing } of this.streams) this.#apply(source, outgoing);
  }

  #apply({ owner, name }: PublishedSource, outgoing: OutgoingStream): void {
    const layer = name === 'video' ? lower(this.#layers.get(owner) ?? 'HD', this.#mostPictures) : 'HD';
    outgoing.setTargetLayer(name !== 'screen' && !this.#audible.has(owner) ? 'off' : layer);
  }

  /** Adapts the layers to the link. Called several times a second. */
  adapt(): void {
    if (this.#link.pacer.isOpen) this.#link.adapt();
  }

  /** Opens a new transport for the same lines. */
  restart(): void {
    if (this.#connection?.transport.isOpen) this.#events.changed('lost');
    this.#connection?.transport.close();
    this.#connection = undefined;
    this.#isOffering = false;
    this.#link.restart();
    for (const { outgoing } of this.streams) outgoing.restart();
    void this.#offer();
  }

  async #offer(): Promise<void> {
    if (this.#lines.length === 0) return;
    this.#mustOffer = this.#isOffering;
    if (this.#isOffering) return;
    this.#isOffering = true;
    const connection = this.#connect();
    try {
      const endpoint = await connection.endpoint;
      if (connection !== this.#connection) return;
      // Changes during the gathering of candidates are contained in this offer.
      this.#mustOffer = false;
      const version = ++this.#version;
      for (const line of this.#lines) line.offered = line.carries?.outgoing;
      const described = this.#lines.map(({ mid, kind, carries }) =>
        carries ? { mid, kind, stream: streamOf(carries) } : { mid, kind },
      );
      this.#events.tell({
        type: 'sub.offer',
        version,
        sdp: offerOf(described, endpoint, version),
        tracks: this.#lines.flatMap(({ mid, carries }) =>
          carries ? [{ mid, participant: carries.source.owner, source: carries.source.name }] : [],
        ),
      });
    } catch (error) {
      if (connection !== this.#connection) return;
      connection.transport.close();
      this.#connection = undefined;
      this.#isOffering = false;
      this.#events.failed(error);
    }
  }

  #connect() {
    if (this.#connection) return this.#connection;
    const transport: MediaTransport = this.#open(`${this.#id} views`, {
      packet: (bytes) => this.#onControlPacket(bytes),
      changed: (state) => {
        if (state === 'open') for (const { outgoing } of this.streams) outgoing.restart();
        this.#events.changed(state);
      },
      failed: (error) => this.#events.failed(error),
    });
    this.#connection = { transport, endpoint: transport.offer(), isAnswered: false };
    return this.#connection;
  }

  answered(version: number, sdp: string): void {
    const connection = this.#connection;
    if (!connection || !this.#isOffering || version !== this.#version) return;
    if (!connection.isAnswered) connection.isAnswered = connection.transport.answered(sdp);
    if (!connection.isAnswered) throw new DescriptionError('the answer has no ICE and DTLS parameters');
    this.#isOffering = false;
    for (const { mid, carries, offered } of this.#lines) {
      if (carries && carries.outgoing === offered) offered.setReceived(isReceived(sdp, mid, carries.source.codec));
    }
    this.#reportBlocked();
    for (const { outgoing } of this.streams) outgoing.choose();
    if (this.#mustOffer) void this.#offer();
  }

  #reportBlocked(): void {
    const blocked = this.streams.filter(({ outgoing }) => !outgoing.isReceived);
    this.#events.blocked(
      blocked.map(({ source: { owner, name, codec } }) => ({
        ...{ source: name, owner, reason: 'no_codec', codec: CODEC_NAMES[codec] },
      })),
    );
  }

  #onControlPacket(bytes: Buffer): void {
    if (isRtcp(bytes)) for (const part of rtcpParts(bytes)) this.#onFeedback(part);
  }

  #onFeedback(part: RtcpPart): void {
    for (const block of readReportBlocks(part)) this.#onReportBlock(block);
    const missing = readNack(part);
    if (missing) this.#find(missing.ssrc)?.resend(missing.sequences);
    const bits = readBandwidth(part);
    if (bits !== undefined) this.#link.estimated(bits);
    this.#askPicture(readKeyFrameRequest(part));
  }

  #onReportBlock(block: ReportBlock): void {
    const { ssrc } = block;
    const stream = this.streams.find(({ outgoing }) => outgoing.ssrc === ssrc || outgoing.paddingSsrc === ssrc);
    if (stream?.source.kind === 'video') this.#link.reported(block);
    if (stream?.outgoing.ssrc === ssrc) stream.outgoing.wasReported(block);
  }

  #find(ssrc: number | undefined): OutgoingStream | undefined {
    return this.streams.find(({ outgoing }) => outgoing.ssrc === ssrc)?.outgoing;
  }

  #askPicture(ssrc: number | undefined): void {
    const outgoing = this.#find(ssrc);
    if (outgoing?.stream) outgoing.source.requestKeyFrame(outgoing.stream);
  }

  close(): void {
    for (const { source, outgoing } of this.streams) source.outgoing.delete(outgoing);
    this.#lines.length = 0;
    this.#link.close();
    this.#connection?.transport.close();
    this.#connection = undefined;
  }
}

/** Subscriber of a session that assists another engine: receives only phones. */
export class PhonesSubscriber extends Subscriber {
  override add(source: PublishedSource): void {
    if (source.owner === PHONES) super.add(source);
  }
}

/** A screen is in a media stream of its own, so that browsers do not synchronise it with the camera. */
const streamOf = ({ source, outgoing }: { source: PublishedSource; outgoing: OutgoingStream }) => ({
  ...{ ssrc: outgoing.ssrc, paddingSsrc: outgoing.paddingSsrc },
  streamId: source.name === 'screen' ? `${source.owner}-screen` : source.owner,
  trackId: `${source.owner}-${source.name}-${outgoing.ssrc}`,
  codec: source.codec,
});
