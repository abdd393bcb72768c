/** One source of a participant, with one stream or several simulcast layers, and its subscribers. */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import { writeReceiverReport } from '../../toolbox/rtp/rtcp.ts';
import { writePictureLoss } from '../../toolbox/rtp/rtcp-feedback.ts';
import type { TrackSource } from '../sfu.ts';
import type { Codec } from './codecs.ts';
import { IncomingStream, type KeptPacket, OWN_SSRC } from './incoming-stream.ts';
import type { SentMedia } from './offered-media.ts';
import type { OutgoingStream, Quality, StreamSource } from './outgoing-stream.ts';
import { describePicture } from './pictures.ts';
import type { MediaKind } from './sdp.ts';
import { SourceLimit } from './source-limit.ts';

const KEY_FRAME_EVERY_MS = 500;
/** Interval at which missing packets are checked while there are some. */
const ASK_EVERY_MS = 20;
/**
 * All layers of a video are sent at the same times: a layer without packets for longer, while others have some, has
 * stopped.
 */
const LAYER_STOPPED_MS = 250;
/** Size of the tile for each quality, in pixels: the smallest layer of at least this size is forwarded. */
const WANTED_PIXELS: Readonly<Record<Quality, number>> = {
  ...{ HD: Number.POSITIVE_INFINITY, SD: 640 * 360, LD: 320 * 180 },
};
/** Assumed sizes of layers whose size is not known yet, in pixels, largest first. */
const USUAL_PIXELS = [1280 * 720, 640 * 360, 320 * 180] as const;
/** Maximum size of camera video, in pixels. */
const MAX_PIXELS: Readonly<Record<Quality, number>> = { HD: 1280 * 720, SD: 640 * 480, LD: 640 * 360 };
/** A browser sends three layers, and three new ones after a restart. */
const MAX_STREAMS = 6;

export const kindOf = (source: TrackSource): MediaKind => (source === 'audio' ? 'audio' : 'video');

/** Consumer of a source other than subscribers: the mix of phones, a recording. */
export interface SourceListener {
  /** Receives accepted packets, while the source is not muted. */
  onPacket(packet: KeptPacket, stream: IncomingStream): void;
  muted(isMuted: boolean): void;
}

export class PublishedSource implements StreamSource {
  readonly owner: string;
  readonly name: TrackSource;
  readonly kind: MediaKind;
  /** Limit for all its streams together. */
  readonly limit: SourceLimit;
  media: SentMedia;
  readonly outgoing = new Set<OutgoingStream>();
  readonly listeners = new Set<SourceListener>();
  readonly #streams = new Map<string, IncomingStream>();
  readonly #clock: Clock;
  readonly #send: (feedback: Buffer) => void;
  readonly #mostPixels: number;
  #isMuted = false;
  #asking: Timer | undefined;
  /** Number of layers that have stopped. */
  #stopped = 0;

  constructor(options: {
    owner: string;
    name: TrackSource;
    media: SentMedia;
    clock: Clock;
    /** Quality of the room. */
    quality: Quality;
    send: (feedback: Buffer) => void;
  }) {
    this.owner = options.owner;
    this.name = options.name;
    this.kind = kindOf(options.name);
    this.limit = new SourceLimit({ kind: this.kind, quality: options.quality, clock: options.clock });
    this.media = options.media;
    this.#clock = options.clock;
    this.#send = options.send;
    // Text on a shared screen has to stay readable.
    this.#mostPixels = options.name === 'screen' ? Number.POSITIVE_INFINITY : MAX_PIXELS[options.quality];
  }

  get streams(): IncomingStream[] {
    return [...this.#streams.values()];
  }

  /** False if another stream has replaced it. */
  has(stream: IncomingStream): boolean {
    return this.#streams.get(keyOf(stream)) === stream;
  }

  get codec(): Codec {
    return this.media.codec?.codec ?? (this.kind === 'audio' ? 'opus' : 'VP8');
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  setMuted(muted: boolean): void {
    this.#isMuted = muted;
    for (const each of this.outgoing) each.restart();
    for (const each of this.listeners) each.muted(muted);
  }

  /** Adds a new stream. Undefined if there are too many. */
  open({ ssrc, rid }: RtpPacket<Buffer>): IncomingStream | undefined {
    if (this.#streams.size >= MAX_STREAMS) return undefined;
    const stream = new IncomingStream({ ssrc, rid, kind: this.kind, clock: this.#clock });
    this.#streams.set(keyOf(stream), stream);
    for (const each of this.outgoing) each.choose();
    return stream;
  }

  /** The publisher restarts with other streams. */
  forgetStreams(): void {
    this.#streams.clear();
    for (const each of this.outgoing) each.restart();
  }

  onRtp(packet: RtpPacket<Buffer>, stream: IncomingStream): void {
    const kept: KeptPacket = { ...packet, atMs: this.#clock.monotonicMs() };
    if (this.kind === 'video') {
      const picture = describePicture(this.codec, packet);
      if (picture) kept.picture = picture;
    }
    const { pixels } = stream;
    const isNew = stream.accept(kept);
    if (stream.hasHoles) this.#askSoon();
    if (!isNew || this.#isMuted) return;
    // The size is known now, and may exceed that of the room.
    if (stream.pixels !== pixels || (kept.marker && this.#haveLayersChanged()))
      for (const each of this.outgoing) each.choose();
    for (const each of this.outgoing) each.forward(kept, stream);
    for (const each of this.listeners) each.onPacket(kept, stream);
  }

  /** Browsers stop their best layer if their uplink carries less. */
  #haveLayersChanged(): boolean {
    if (this.#streams.size < 2) return false;
    const stopped = this.#streams.size - this.#going.length;
    const hasChanged = stopped !== this.#stopped;
    this.#stopped = stopped;
    return hasChanged;
  }

  get #going(): IncomingStream[] {
    const { streams } = this;
    const lastMs = Math.max(...streams.map((each) => each.lastMs));
    return streams.filter((each) => lastMs - each.lastMs < LAYER_STOPPED_MS);
  }

  streamFor(quality: Quality): IncomingStream | undefined {
    const nowMs = this.#clock.monotonicMs();
    const alive = this.#going.filter((stream) => stream.isAlive(nowMs));
    if (alive.length === 0) return this.streams[0];
    const sizes = alive
      .map((stream) => ({ stream, pixels: this.#pixelsOf(stream) }))
      .sort((one, other) => one.pixels - other.pixels);
    const allowed = sizes.filter(({ pixels }) => pixels <= this.#mostPixels);
    const fitting = allowed.find(({ pixels }) => pixels >= WANTED_PIXELS[quality]) ?? allowed.at(-1) ?? sizes[0];
    return fitting?.stream;
  }

  #pixelsOf({ rid, pixels }: IncomingStream): number {
    if (pixels > 0) return pixels;
    return USUAL_PIXELS[Math.max(0, this.media.rids.indexOf(rid ?? ''))] ?? 0;
  }

  /** Current bit rate of a quality, in bit/s. */
  bitsPerSecond(quality: Quality, nowMs: number): number {
    return this.streamFor(quality)?.bitsPerSecond(nowMs) ?? 0;
  }

  requestKeyFrame(stream: IncomingStream): void {
    if (this.kind !== 'video' || this.#isMuted) return;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - stream.keyAskedMs < KEY_FRAME_EVERY_MS) return;
    stream.keyAskedMs = nowMs;
    this.#feedBack(stream, writePictureLoss(OWN_SSRC, stream.ssrc));
  }

  /** Janus drops feedback without a preceding report, because it cannot assign it to a stream. */
  #feedBack(stream: IncomingStream, feedback: Buffer): void {
    const block = this.media.takesLoneFeedback ? undefined : stream.report();
    this.#send(block ? Buffer.concat([writeReceiverReport(OWN_SSRC, [block]), feedback]) : feedback);
  }

  #askSoon(): void {
    this.#asking ??= this.#clock.after(ASK_EVERY_MS, () => {
      this.#asking = undefined;
      this.#askMissing();
    });
  }

  /** Requests missing packets, and a key frame if a video frame that is in use has waited too long. */
  #askMissing(): void {
    for (const stream of this.#streams.values()) {
      if (!stream.hasHoles) continue;
      if (stream.askMissing((feedback) => this.#feedBack(stream, feedback)) && this.#isUsed(stream))
        this.requestKeyFrame(stream);
      this.#askSoon();
    }
  }

  #isUsed(stream: IncomingStream): boolean {
    return this.listeners.size > 0 || [...this.outgoing].some((each) => each.stream === stream);
  }

  /** The source is unpublished. */
  close(): void {
    this.#asking?.cancel();
  }
}

const keyOf = ({ rid }: Pick<IncomingStream, 'rid'>): string => rid ?? 'only';
