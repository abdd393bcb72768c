/**
 * Writes what a party says along the wall clock: each packet lands where its RTP timestamp puts it, gaps stay silent,
 * and frames leave 60 ms late so that reordered packets find their place. Driven by packets and ticks in any time.
 *
 * Invariants
 *  R1 the recording lasts as long as the time recorded, whatever arrives: nothing, a flood, or nonsense timestamps;
 *  R2 `ended` is called once, after the last chunk;
 *  R3 memory is bounded: half a second of samples and one chunk.
 */
import { decodeTable } from '../../core/g711.ts';
import { SAMPLES_PER_MS } from './dtmf-events.ts';
import type { G711Codec, RecordRequest } from './media-port.ts';
import { sequenceDistance, timestampDistance } from './rtp-packet.ts';
import { FRAME_SAMPLES, SilenceDetector } from './silence-detector.ts';

export type RecordReason = 'max_length' | 'end_silence' | 'terminator' | 'stopped' | 'hangup';

export interface Recorded {
  recordId: string;
  reason: RecordReason;
  durationMs: number;
  speechMs: number;
}

export interface RecorderSink {
  /** The next samples; the receiver owns the array. */
  chunk(recordId: string, pcm: Int16Array<ArrayBuffer>): void;
  ended(recorded: Recorded): void;
}

export interface AudioPacket {
  ssrc: number;
  sequence: number;
  timestamp: number;
  codec: G711Codec;
  payload: Uint8Array;
  payloadStart: number;
  payloadEnd: number;
}

/** Where the source's time line lies on ours. */
interface Anchor {
  ssrc: number;
  timestamp: number;
  position: number;
  newestSequence: number;
}

const JITTER_SAMPLES = 60 * SAMPLES_PER_MS;
const WINDOW_SAMPLES = 4_096;
/** A source that runs ahead of our clock by more than this is put back to where it is heard. */
const MAX_AHEAD_SAMPLES = 240 * SAMPLES_PER_MS;
const CHUNK_SAMPLES = 4_000;
/** What the 32-bit sizes of a WAV file hold (two bytes a sample), less its header. */
const MAX_SAMPLES = 2 ** 31 - 64;

export class Recorder {
  readonly recordId: string;
  readonly #request: RecordRequest;
  readonly #sink: RecorderSink;
  readonly #startMs: number;
  readonly #maxSamples: number;
  readonly #detector = new SilenceDetector();
  /** Samples not yet due, by position modulo the window; zero where nothing arrived. */
  readonly #window = new Int16Array(WINDOW_SAMPLES);
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #anchor: Anchor | undefined;
  /** Samples that have left the window. */
  #written = 0;
  #chunk = new Int16Array(CHUNK_SAMPLES);
  #chunked = 0;
  #ended = false;

  constructor(request: RecordRequest, sink: RecorderSink, nowMs: number) {
    this.recordId = request.recordId;
    this.#request = request;
    this.#sink = sink;
    this.#startMs = nowMs;
    this.#maxSamples = Math.min(Math.max(0, Math.round(request.maxLengthMs * SAMPLES_PER_MS)), MAX_SAMPLES);
  }

  get ended(): boolean {
    return this.#ended;
  }

  isTerminator(digit: string): boolean {
    return this.#request.terminators.includes(digit);
  }

  packet(packet: AudioPacket, nowMs: number): void {
    if (this.#ended) return;
    this.tick(nowMs);
    const samples = packet.payloadEnd - packet.payloadStart;
    if (this.#ended || samples <= 0) return;
    const position = this.#positionOf(packet, samples, nowMs);
    const decode = decodeTable(packet.codec);
    const first = Math.max(0, this.#written - position);
    const last = Math.min(samples, this.#written + WINDOW_SAMPLES - position);
    for (let index = first; index < last; index++) {
      const byte = packet.payload[packet.payloadStart + index]!;
      this.#window[(position + index) % WINDOW_SAMPLES] = decode[byte]!;
    }
  }

  /** Lets frames go that nothing can reach any more, and ends the recording when its limits say so. */
  tick(nowMs: number): void {
    this.#writeUntil(this.#positionAt(nowMs) - JITTER_SAMPLES);
  }

  end(reason: RecordReason, nowMs: number): void {
    if (this.#ended) return;
    const until = Math.min(this.#positionAt(nowMs), this.#maxSamples);
    this.#writeUntil(until);
    if (this.#ended) return;
    if (until > this.#written) this.#write(until - this.#written);
    this.#finish(reason);
  }

  #positionAt(nowMs: number): number {
    return Math.max(0, Math.round((nowMs - this.#startMs) * SAMPLES_PER_MS));
  }

  #positionOf(packet: AudioPacket, samples: number, nowMs: number): number {
    const heard = Math.max(0, this.#positionAt(nowMs) - samples);
    const anchor = this.#anchor;
    if (anchor && anchor.ssrc === packet.ssrc) {
      const position = anchor.position + timestampDistance(anchor.timestamp, packet.timestamp);
      const isNewer = sequenceDistance(anchor.newestSequence, packet.sequence) > 0;
      if (isNewer) anchor.newestSequence = packet.sequence;
      // Its clock is slower than ours, it was held up, or its timestamps jumped: only then is the newest packet late.
      const isLate = isNewer && position < this.#written;
      const isAhead = position > heard + MAX_AHEAD_SAMPLES;
      if (!isLate && !isAhead) return position;
    }
    this.#anchor = {
      ssrc: packet.ssrc,
      timestamp: packet.timestamp,
      position: heard,
      newestSequence: packet.sequence,
    };
    return heard;
  }

  #writeUntil(position: number): void {
    while (!this.#ended) {
      const size = Math.min(FRAME_SAMPLES, this.#maxSamples - this.#written);
      if (size > 0 && this.#written + size > position) return;
      if (size > 0) this.#write(size);
      const { endSilenceMs } = this.#request;
      if (endSilenceMs > 0 && this.#detector.silenceAfterSpeechMs >= endSilenceMs) this.#finish('end_silence');
      else if (this.#written >= this.#maxSamples) this.#finish('max_length');
    }
  }

  #write(size: number): void {
    for (let index = 0; index < size; index++) {
      const slot = (this.#written + index) % WINDOW_SAMPLES;
      this.#frame[index] = this.#window[slot]!;
      this.#window[slot] = 0;
    }
    if (size === FRAME_SAMPLES) this.#detector.frame(this.#frame, 0);
    for (let index = 0; index < size; index++) {
      this.#chunk[this.#chunked++] = this.#frame[index]!;
      if (this.#chunked === CHUNK_SAMPLES) this.#handOver();
    }
    this.#written += size;
  }

  #handOver(): void {
    const full = this.#chunk;
    this.#chunk = new Int16Array(CHUNK_SAMPLES);
    const samples = this.#chunked;
    this.#chunked = 0;
    this.#sink.chunk(this.recordId, samples === CHUNK_SAMPLES ? full : full.slice(0, samples));
  }

  #finish(reason: RecordReason): void {
    this.#ended = true;
    if (this.#chunked > 0) this.#handOver();
    this.#sink.ended({
      recordId: this.recordId,
      reason,
      durationMs: Math.round(this.#written / SAMPLES_PER_MS),
      speechMs: this.#detector.speechMs,
    });
  }
}
