/**
 * One source as one subscriber receives it: with its own SSRC and continuous sequence numbers, whatever happens at the
 * publisher: layer switches, mutes, restarts.
 *
 * Invariants
 *  - video starts, and switches layers, with a key frame;
 *  - sequence numbers, picture ids and timestamps only increase; a gap in them is always a lost packet;
 *  - a retransmitted packet has its original numbers.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { writeRtpHeader } from '../../toolbox/rtp/packet.ts';
import { middleOf, middleToMs, type ReportBlock, writeSenderReport } from '../../toolbox/rtp/rtcp.ts';
import { isNewer } from '../../toolbox/rtp/sequence.ts';
import type { PacketSink } from '../media-transport.ts';
import type { Layer } from '../sfu.ts';
import type { Codec } from './codecs.ts';
import { type IncomingStream, type KeptPacket, TICKS_PER_MS } from './incoming-stream.ts';
import { lower } from './layer-choice.ts';
import { type MediaKind, SUBSCRIBER_PAYLOAD_TYPES } from './sdp.ts';
import { HEADER_BYTES, writeExtension } from './send-time.ts';

/** Published source, as an outgoing stream uses it. */
export interface StreamSource {
  readonly kind: MediaKind;
  readonly codec: Codec;
  /** Returns the best layer up to a quality. */
  streamFor(quality: Quality): IncomingStream | undefined;
  requestKeyFrame(stream: IncomingStream): void;
}

export type Quality = 'HD' | 'SD' | 'LD';

/** Destination of packets that paces video. */
export interface MediaSink extends PacketSink {
  sendPicture(bytes: Buffer): void;
  sendAgain(bytes: Buffer): void;
}

/** Maximum payload in bytes that fits into a datagram together with SRTP. */
const MAX_PAYLOAD = 1400;
/** Timestamp step across a switch if the time between the two packets is not known. */
const FIRST_STEP = 3000;
const REMEMBERED = 512;
const ANSWERED_MS = 30;
const MAX_CLOCK_STEP_MS = 60_000;

/** Buffer shared by all streams: each packet is written into it and sent at once. */
const scratch = Buffer.alloc(2048);

export class OutgoingStream {
  readonly ssrc: number;
  /** SSRC of padding for bandwidth probes. */
  readonly paddingSsrc: number;
  readonly source: StreamSource;
  readonly #sink: MediaSink;
  readonly #clock: Clock;
  readonly #payloadType: number;
  /** Layer that the subscriber requests, if permitted. */
  #wish: Layer = 'HD';
  /** Layer that its link carries. */
  #limit: Layer = 'HD';
  /** Stream that is forwarded, and the stream to switch to at its next key frame. */
  #current: IncomingStream | undefined;
  #wanted: IncomingStream | undefined;
  #mustSync = true;
  #isReceived = true;
  #offsets = { sequence: 0, timestamp: 0, pictureId: 0, tl0Index: 0 };
  #firstSequence = 0;
  #last: {
    sequence: number;
    timestamp: number;
    pictureId: number;
    tl0Index: number;
    sourceTimestamp: number;
    atMs?: number;
  };
  #packets = 0;
  #octets = 0;
  /**
   * State at the previous sample; `wished` is set only if the stream of the requested layer has not been interrupted
   * since.
   */
  #sampled: { octets: number; wished?: IncomingStream | undefined; wishedOctets: number } | undefined;
  #paddingSequence = 0;
  /** Time of the last retransmission, by sequence number modulo `REMEMBERED`. */
  readonly #resentMs: number[] = [];
  /** Last sender report, which subscribers echo, to measure the round trip. */
  #reported: { middle: number; atMs: number } | undefined;
  roundTripMs: number | undefined;
  /** Share of packets that the subscriber lost, from its last report. */
  lostShare = 0;

  /** `start`: initial sequence number and timestamp. */
  constructor(options: {
    ssrc: number;
    paddingSsrc: number;
    source: StreamSource;
    sink: MediaSink;
    clock: Clock;
    start: { sequence: number; timestamp: number };
  }) {
    this.ssrc = options.ssrc;
    this.paddingSsrc = options.paddingSsrc;
    this.source = options.source;
    this.#sink = options.sink;
    this.#clock = options.clock;
    this.#payloadType = SUBSCRIBER_PAYLOAD_TYPES[options.source.codec];
    this.#last = { ...options.start, pictureId: 0, tl0Index: 0, sourceTimestamp: 0 };
  }

  /** Stream that is forwarded now, or will be. */
  get stream(): IncomingStream | undefined {
    return this.#current ?? this.#wanted;
  }

  get wish(): Layer {
    return this.#wish;
  }

  /** Sets the layer that the subscriber requests. */
  setTargetLayer(wish: Layer): void {
    this.#change(() => {
      this.#wish = wish;
    });
  }

  get limit(): Layer {
    return this.#limit;
  }

  /** Sets the layer that its link carries. */
  setLimit(limit: Layer): void {
    this.#change(() => {
      this.#limit = limit;
    });
  }

  #change(set: () => void): void {
    const before = this.#layer;
    set();
    if ((before === 'off') === (this.#layer === 'off')) this.choose();
    else this.restart();
  }

  get #layer(): Layer {
    return lower(this.#wish, this.#limit);
  }

  /** Chooses the layer again. */
  choose(): void {
    const layer = this.#layer;
    if (layer !== 'off') this.#wanted = this.source.streamFor(layer);
    if (this.#wanted && this.#wanted !== this.#current && this.#isSending) this.source.requestKeyFrame(this.#wanted);
  }

  /** Resumes with the next key frame: packets in between do not count as missing. */
  restart(): void {
    this.#mustSync = true;
    if (this.#sampled) delete this.#sampled.wished;
    this.choose();
    if (this.#wanted && this.#isSending) this.source.requestKeyFrame(this.#wanted);
  }

  /** False if the browser of the subscriber does not receive the codec of the source. */
  get isReceived(): boolean {
    return this.#isReceived;
  }

  setReceived(isReceived: boolean): void {
    if (isReceived === this.#isReceived) return;
    this.#isReceived = isReceived;
    this.restart();
  }

  get #isSending(): boolean {
    return this.#layer !== 'off' && this.#isReceived && this.#sink.isOpen;
  }

  forward(packet: KeptPacket, stream: IncomingStream): void {
    if (!this.#isSending) {
      this.#mustSync = true;
      return;
    }
    if (!this.#wanted) this.choose();
    if (stream !== this.#current || this.#mustSync) {
      const isBeginning = stream === this.#wanted && (packet.picture?.isKey ?? this.source.kind === 'audio');
      if (isBeginning) this.#sync(packet, stream);
      else {
        if (stream === this.#wanted) this.source.requestKeyFrame(stream);
        if (stream !== this.#current || this.#mustSync) return;
      }
    }
    if (this.#isBeforeBeginning(packet.sequence)) return;
    this.#emit(packet, false);
  }

  /** Continues the numbering of the previous packet. */
  #sync(packet: KeptPacket, stream: IncomingStream): void {
    const last = this.#last;
    this.#offsets.sequence = (last.sequence + 1 - packet.sequence) & 0xffff;
    this.#offsets.timestamp = (last.timestamp + this.#timeStep(packet, stream) - packet.timestamp) >>> 0;
    const { pictureId, tl0Index } = packet.picture ?? {};
    if (pictureId) this.#offsets.pictureId = (last.pictureId + 1 - pictureId.value) & 0x7fff;
    if (tl0Index) this.#offsets.tl0Index = (last.tl0Index + 1 - tl0Index.value) & 0xff;
    this.#current = stream;
    this.#firstSequence = packet.sequence;
    this.#mustSync = false;
    this.#report();
  }

  /** RTP ticks since the previous packet: by the sender's clock if known, else by the local clock. */
  #timeStep(packet: KeptPacket, stream: IncomingStream): number {
    const { atMs, sourceTimestamp } = this.#last;
    if (atMs === undefined) return FIRST_STEP;
    if (this.#current === stream) return Math.max(1, (packet.timestamp - sourceTimestamp) | 0);
    const ticks = TICKS_PER_MS[this.source.kind];
    const [before, now] = [this.#current?.senderMs(sourceTimestamp), stream.senderMs(packet.timestamp)];
    const step = before !== undefined && now !== undefined ? now - before : Number.NaN;
    const stepMs = step > -500 && step < MAX_CLOCK_STEP_MS ? step : packet.atMs - atMs;
    return Math.max(1, Math.round(stepMs * ticks));
  }

  #isBeforeBeginning(sequence: number): boolean {
    return ((sequence - this.#firstSequence) & 0xffff) >= 0x8000;
  }

  #emit(packet: KeptPacket, isAgain: boolean): void {
    const { bytes, payloadStart, payloadEnd, marker, picture } = packet;
    const length = payloadEnd - payloadStart;
    if (length > MAX_PAYLOAD) return;
    const sequence = (packet.sequence + this.#offsets.sequence) & 0xffff;
    const timestamp = (packet.timestamp + this.#offsets.timestamp) >>> 0;
    const { ssrc } = this;
    writeRtpHeader(scratch, { payloadType: this.#payloadType, marker, sequence, timestamp, ssrc });
    writeExtension(scratch, this.#clock.now());
    bytes.copy(scratch, HEADER_BYTES, payloadStart, payloadEnd);
    const last = this.#last;
    const isLatest = !isAgain && isNewer(sequence, last.sequence);
    if (picture?.pictureId) {
      const { value, at, isLong } = picture.pictureId;
      const pictureId = (value + this.#offsets.pictureId) & 0x7fff;
      if (isLong) scratch.writeUInt16BE(0x8000 | pictureId, HEADER_BYTES + at);
      else scratch[HEADER_BYTES + at] = pictureId & 0x7f;
      if (isLatest) last.pictureId = pictureId;
    }
    if (picture?.tl0Index) {
      const tl0Index = (picture.tl0Index.value + this.#offsets.tl0Index) & 0xff;
      scratch[HEADER_BYTES + picture.tl0Index.at] = tl0Index;
      if (isLatest) last.tl0Index = tl0Index;
    }
    if (isLatest) Object.assign(last, { sequence, timestamp, sourceTimestamp: packet.timestamp, atMs: packet.atMs });
    if (!isAgain) {
      this.#packets++;
      this.#octets += length;
    }
    const written = scratch.subarray(0, HEADER_BYTES + length);
    if (isAgain) this.#sink.sendAgain(written);
    else if (this.source.kind === 'video') this.#sink.sendPicture(written);
    else this.#sink.send(written);
  }

  /** The sender sent a report, which the subscriber needs for lip sync. */
  senderReported(stream: IncomingStream): void {
    if (stream === this.#current && !this.#mustSync) this.#report();
  }

  #report(): void {
    const sender = this.#current?.sender;
    if (!sender || !this.#sink.isOpen) return;
    const timestamp = (sender.timestamp + this.#offsets.timestamp) >>> 0;
    this.#reported = { middle: middleOf(sender), atMs: this.#clock.monotonicMs() };
    this.#sink.send(
      writeSenderReport(this.ssrc, { ...sender, timestamp, packets: this.#packets, octets: this.#octets }),
    );
  }

  /** The subscriber answered a sender report of this stream. */
  wasReported({ fractionLost, lastReport, sinceLastReport }: ReportBlock): void {
    this.lostShare = fractionLost / 256;
    if (this.#reported?.middle !== lastReport) return;
    const tookMs = this.#clock.monotonicMs() - this.#reported.atMs - middleToMs(sinceLastReport);
    this.roundTripMs = Math.max(0, tookMs);
  }

  nextPadding(): { ssrc: number; sequence: number } {
    this.#paddingSequence = (this.#paddingSequence + 1) & 0xffff;
    return { ssrc: this.paddingSsrc, sequence: this.#paddingSequence };
  }

  /** Retransmits packets that the subscriber requested (NACK). */
  resend(sequences: readonly number[]): void {
    const nowMs = this.#clock.monotonicMs();
    for (const sequence of sequences) {
      // Ignores a repeated NACK for a packet that was just resent.
      if (nowMs - (this.#resentMs[sequence % REMEMBERED] ?? 0) < ANSWERED_MS) continue;
      this.#resentMs[sequence % REMEMBERED] = nowMs;
      const original = (sequence - this.#offsets.sequence) & 0xffff;
      const packet = this.#current?.kept(original);
      if (packet && !this.#isBeforeBeginning(original)) this.#emit(packet, true);
    }
  }

  /**
   * Octets since the previous sample, and octets of the requested layer in the same time if it stayed the same.
   * `isWhole` is false for the first sample.
   */
  sample(): { octets: number; expected: number | undefined; isWhole: boolean } {
    const before = this.#sampled;
    const wished = this.#wish === 'off' ? undefined : this.source.streamFor(this.#wish);
    this.#sampled = { octets: this.#octets, wished, wishedOctets: wished?.octets ?? 0 };
    const isSame = wished !== undefined && wished === before?.wished;
    const expected = isSame ? wished.octets - before.wishedOctets : undefined;
    return { octets: this.#octets - (before?.octets ?? 0), expected, isWhole: before !== undefined };
  }
}
