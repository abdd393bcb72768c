/**
 * Taps on a leg other than recordings: streams, recognisers and machine detectors, each on one of its tracks; and the
 * audio that the stream receiver sends back.
 */
import type { LegEvent, StreamTrack } from '../../../base/core/leg.ts';
import { SAMPLE_RATE_HZ } from '../audio.ts';
import { MachineDetector } from './machine-detector.ts';
import type { MediaRequestOf } from './media-port.ts';
import { Playback } from './playback.ts';
import type { PcmTap, TappedTrack } from './tapped-track.ts';
import { PieceTap, StreamTap } from './taps.ts';

/** 20 ms of a track in mu-law. */
export interface StreamFrameEvent {
  type: 'stream_frame';
  streamId: string;
  track: StreamTrack;
  bytes: Uint8Array;
  /** True once the party has sent its first packet: silence before that is not the silence of its line. */
  isAlive: boolean;
}

export type DetectionResult = Extract<LegEvent, { type: 'machine_detected' }>;

export type TapEvent =
  | StreamFrameEvent
  | { type: 'listen_piece'; listenId: string; pcm: Int16Array<ArrayBuffer> }
  /** No more chunks follow. */
  | { type: 'listen_over'; listenId: string }
  | DetectionResult;

export interface LegTapsOptions {
  inbound: TappedTrack;
  outbound: TappedTrack;
  emit(event: TapEvent): void;
  /** True while streams and recognisers receive silence instead of the party's audio. */
  isWithheld(): boolean;
  /** True once the party has sent audio. */
  isAlive(): boolean;
}

interface PlacedTap<Tap> {
  tap: Tap;
  remove(): void;
}

interface RunningDetection {
  detectId: string;
  startMs: number;
  tap: PcmTap;
}

/** A minute of audio from a receiver; more is dropped. */
const MAX_STREAM_SAMPLES = 60 * SAMPLE_RATE_HZ;
/** Legitimate senders do not use chunks shorter than 10 ms. */
const MAX_STREAM_PIECES = 6_000;

export class LegTaps {
  readonly #options: LegTapsOptions;
  readonly #streams = new Map<string, PlacedTap<StreamTap>[]>();
  readonly #listens = new Map<string, PlacedTap<PieceTap>>();
  /** Audio from the receiver of the latest bidirectional stream, until it is played or cleared. */
  readonly streamAudio = new Playback({ playId: '', items: [], repeat: false, complete: false });
  #audioOf: string | undefined;
  #detection: RunningDetection | undefined;

  constructor(options: LegTapsOptions) {
    this.#options = options;
  }

  get isStreamed(): boolean {
    return this.#streams.size > 0;
  }

  stream(stream: { streamId: string; tracks: readonly StreamTrack[]; bidirectional: boolean }): void {
    const { streamId, tracks, bidirectional } = stream;
    const { emit, isAlive } = this.#options;
    const take = (track: StreamTrack) => (bytes: Uint8Array) =>
      emit({ type: 'stream_frame', streamId, track, bytes, isAlive: isAlive() });
    const taps = [...new Set(tracks)].map((track) => this.#add(track, new StreamTap(take(track))));
    this.#streams.set(streamId, taps);
    if (!bidirectional) return;
    this.streamAudio.clear();
    this.streamAudio.isPaused = false;
    this.#audioOf = streamId;
  }

  stopStream(streamId: string): void {
    for (const tap of this.#streams.get(streamId) ?? []) tap.remove();
    this.#streams.delete(streamId);
    this.clearAudio(streamId);
    if (this.#audioOf === streamId) this.#audioOf = undefined;
  }

  addAudio(streamId: string, bytes: Uint8Array): void {
    if (this.#audioOf !== streamId) return;
    const { waitingItems, waitingSamples } = this.streamAudio;
    if (waitingItems >= MAX_STREAM_PIECES || waitingSamples + bytes.length > MAX_STREAM_SAMPLES) return;
    this.streamAudio.add([{ codec: 'PCMU', bytes }], false);
  }

  clearAudio(streamId: string): void {
    if (this.#audioOf === streamId) this.streamAudio.clear();
  }

  pauseAudio(streamId: string, paused: boolean): void {
    if (this.#audioOf === streamId) this.streamAudio.isPaused = paused;
  }

  listen(listenId: string, track: StreamTrack): void {
    const { emit } = this.#options;
    const tap = new PieceTap((pcm) => emit({ type: 'listen_piece', listenId, pcm }));
    this.#listens.set(listenId, this.#add(track, tap));
  }

  /** Flushes an incomplete chunk first. */
  stopListen(listenId: string): void {
    const listen = this.#listens.get(listenId);
    if (!listen) return;
    this.#listens.delete(listenId);
    listen.remove();
    listen.tap.flush();
    this.#options.emit({ type: 'listen_over', listenId });
  }

  /** One detection runs at a time. */
  detect({ detectId, timeoutMs, awaitBeepMs }: MediaRequestOf<'detect_machine'>, nowMs: number): void {
    if (this.#detection) this.stopDetect(this.#detection.detectId, nowMs);
    const tap = new MachineDetector({ timeoutMs, awaitBeepMs }, (result, afterMs) => {
      this.#options.inbound.remove(tap);
      this.#detection = undefined;
      this.#options.emit({ type: 'machine_detected', detectId, result, afterMs });
    });
    this.#detection = { detectId, startMs: nowMs, tap };
    this.#options.inbound.add(tap);
  }

  stopDetect(detectId: string, nowMs: number): void {
    const detection = this.#detection;
    if (detection?.detectId !== detectId) return;
    this.#options.inbound.remove(detection.tap);
    this.#detection = undefined;
    const afterMs = Math.max(0, Math.round(nowMs - detection.startMs));
    this.#options.emit({ type: 'machine_detected', detectId, result: 'stopped', afterMs });
  }

  close(nowMs: number): void {
    if (this.#detection) this.stopDetect(this.#detection.detectId, nowMs);
    for (const listenId of this.#listens.keys()) this.stopListen(listenId);
    for (const streamId of this.#streams.keys()) this.stopStream(streamId);
    this.streamAudio.clear();
  }

  #add<Tap extends PcmTap>(name: StreamTrack, tap: Tap): PlacedTap<Tap> {
    const track = this.#options[name];
    const placed: PcmTap = {
      frame: (pcm, nowMs) => {
        const isHidden = name === 'inbound' && this.#options.isWithheld();
        tap.frame(isHidden ? new Int16Array(pcm.length) : pcm, nowMs);
      },
    };
    track.add(placed);
    return { tap, remove: () => track.remove(placed) };
  }
}
