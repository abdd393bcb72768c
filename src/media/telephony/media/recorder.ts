/**
 * Records the audio of a party, and in a second channel the audio to it, along the wall clock: each packet is placed by
 * its RTP timestamp, gaps are silent, and frames are written 60 ms late so that reordered packets find their place.
 * Driven by packets and ticks in any time; a pause takes no time in the recording.
 *
 * Invariants
 *  - R1 the recording is as long as the time recorded, whatever arrives: nothing, a flood, or nonsense timestamps;
 *  - R3 memory is bounded: half a second of samples and one chunk per channel.
 */
import { SilenceDetector } from '../../toolbox/voice/silence-detector.ts';
import { FRAME_SAMPLES, SAMPLES_PER_MS } from '../audio.ts';
import type { AudioPacket } from './audio-packet.ts';
import type { MediaRequestOf } from './media-port.ts';
import { RecordingTrack } from './recording-track.ts';

export type RecordReason = 'max_length' | 'end_silence' | 'terminator' | 'stopped' | 'hangup';

export interface RecordingResult {
  recordId: string;
  reason: RecordReason;
  durationMs: number;
  speechMs: number;
}

export type RecorderEvent =
  /** Next samples, interleaved if there are two channels. The receiver owns the array. */
  | { type: 'record_chunk'; recordId: string; pcm: Int16Array<ArrayBuffer> }
  /** Emitted once, after the last chunk. */
  | ({ type: 'recorded' } & RecordingResult);

const JITTER_SAMPLES = 60 * SAMPLES_PER_MS;
const CHUNK_SAMPLES = 4_000;
/** Limit of the 32-bit sizes of a WAV file (two bytes a sample), less its header. */
const MAX_SAMPLES = 2 ** 31 - 64;

export class Recorder {
  readonly recordId: string;
  readonly #request: MediaRequestOf<'record'>;
  readonly #emit: (event: RecorderEvent) => void;
  readonly #maxSamples: number;
  readonly #detector = new SilenceDetector();
  /** One track per channel: audio of the party and, in a dual recording, audio to it. */
  readonly #tracks: readonly RecordingTrack[];
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  /** Time at which the recording would have started without pauses. */
  #startMs: number;
  #pausedAtMs: number | undefined;
  /** Samples per channel that have left the window. */
  #written = 0;
  #chunk: Int16Array<ArrayBuffer>;
  /** Samples per channel in the chunk. */
  #chunked = 0;
  #ended = false;

  constructor(request: MediaRequestOf<'record'>, emit: (event: RecorderEvent) => void, nowMs: number) {
    this.recordId = request.recordId;
    this.#request = request;
    this.#emit = emit;
    this.#startMs = nowMs;
    this.#tracks = Array.from({ length: request.dual ? 2 : 1 }, () => new RecordingTrack());
    this.#chunk = new Int16Array(CHUNK_SAMPLES * this.#tracks.length);
    const most = MAX_SAMPLES / this.#tracks.length;
    this.#maxSamples = Math.min(Math.max(0, Math.round(request.maxLengthMs * SAMPLES_PER_MS)), most);
  }

  get background(): boolean {
    return this.#request.background ?? false;
  }

  isTerminator(digit: string): boolean {
    return this.#request.terminators.includes(digit);
  }

  /** Records a packet from the party. */
  inboundPacket(packet: AudioPacket, nowMs: number): void {
    this.#onPacket(0, packet, nowMs);
  }

  /** Records a packet to the party. */
  outboundPacket(packet: AudioPacket, nowMs: number): void {
    if (this.#tracks.length > 1) this.#onPacket(1, packet, nowMs);
  }

  /** Writes frames that no packet can reach any more, and ends the recording at its limits. */
  tick(nowMs: number): void {
    this.#writeUntil(this.#positionAt(nowMs) - JITTER_SAMPLES);
  }

  pause(paused: boolean, nowMs: number): void {
    if (this.#ended || paused === (this.#pausedAtMs !== undefined)) return;
    if (paused) {
      this.#writeAll(nowMs);
      this.#pausedAtMs = nowMs;
      return;
    }
    this.#startMs += nowMs - this.#pausedAtMs!;
    this.#pausedAtMs = undefined;
    for (const track of this.#tracks) track.forgetAnchor();
  }

  end(reason: RecordReason, nowMs: number): void {
    if (this.#ended) return;
    this.#writeAll(nowMs);
    if (!this.#ended) this.#finish(reason);
  }

  #onPacket(track: number, packet: AudioPacket, nowMs: number): void {
    if (this.#ended || this.#pausedAtMs !== undefined) return;
    this.tick(nowMs);
    if (!this.#ended) this.#tracks[track]!.packet(packet, this.#positionAt(nowMs), this.#written);
  }

  #positionAt(nowMs: number): number {
    const atMs = this.#pausedAtMs ?? nowMs;
    return Math.max(0, Math.round((atMs - this.#startMs) * SAMPLES_PER_MS));
  }

  /** Writes all samples, including those that wait for reordered packets. */
  #writeAll(nowMs: number): void {
    const until = Math.min(this.#positionAt(nowMs), this.#maxSamples);
    this.#writeUntil(until);
    if (!this.#ended && until > this.#written) this.#write(until - this.#written);
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

  #write(samples: number): void {
    const channels = this.#tracks.length;
    for (let done = 0; done < samples; ) {
      const size = Math.min(samples - done, CHUNK_SAMPLES - this.#chunked, FRAME_SAMPLES);
      for (const [channel, track] of this.#tracks.entries()) {
        track.append(this.#frame, size, this.#written);
        if (channel === 0 && size === FRAME_SAMPLES) this.#detector.frame(this.#frame, 0, size);
        const start = this.#chunked * channels + channel;
        for (let index = 0; index < size; index++) this.#chunk[start + index * channels] = this.#frame[index]!;
      }
      this.#chunked += size;
      this.#written += size;
      done += size;
      if (this.#chunked === CHUNK_SAMPLES) this.#handOver();
    }
  }

  #handOver(): void {
    const full = this.#chunk;
    const length = this.#chunked * this.#tracks.length;
    this.#chunk = new Int16Array(full.length);
    this.#chunked = 0;
    const pcm = length === full.length ? full : full.slice(0, length);
    this.#emit({ type: 'record_chunk', recordId: this.recordId, pcm });
  }

  #finish(reason: RecordReason): void {
    this.#ended = true;
    if (this.#chunked > 0) this.#handOver();
    this.#emit({
      type: 'recorded',
      recordId: this.recordId,
      reason,
      durationMs: Math.round(this.#written / SAMPLES_PER_MS),
      speechMs: this.#detector.speechMs,
    });
  }
}
