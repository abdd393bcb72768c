/**
 * Taps on a leg beside its recordings: streams, recognisers and machine detectors, each on one of its tracks; and the
 * audio that the receiver of a stream sends back.
 */
import type { LegEvent, StreamTrack } from '../../core/leg.ts';
import { SAMPLE_RATE_HZ } from '../audio.ts';
import { MachineDetector } from './machine-detector.ts';
import type { MediaRequestOf } from './media-port.ts';
import { Playback } from './playback.ts';
import type { PcmTap, TappedTrack } from './tapped-track.ts';
import { PieceTap, StreamTap } from './taps.ts';

/** 20 ms of a track in mu-law. */
export type StreamFrameEvent = { type: 'stream_frame'; streamId: string; track: StreamTrack; bytes: Uint8Array };

export type DetectionResult = Extract<LegEvent, { type: 'machine_detected' }>;

export type TapEvent =
  | StreamFrameEvent
  | { type: 'listen_piece'; listenId: string; pcm: Int16Array<ArrayBuffer> }
  /** No more pieces follow. */
  | { type: 'listen_over'; listenId: string }
  | DetectionResult;

export interface LegTapsOptions {
  inbound: TappedTrack;
  outbound: TappedTrack;
  emit(event: TapEvent): void;
}

interface RunningDetection {
  detectId: string;
  startMs: number;
  tap: PcmTap;
}

/** A minute of audio from a receiver; more is dropped. */
const MOST_STREAM_SAMPLES = 60 * SAMPLE_RATE_HZ;
/** Legitimate senders do not use pieces shorter than 10 ms. */
const MOST_STREAM_PIECES = 6_000;

export class LegTaps {
  readonly #options: LegTapsOptions;
  readonly #taps = new Map<string, { ear: TappedTrack; tap: PcmTap }[]>();
  /** From the receiver of the latest bidirectional stream, until it is played or cleared. */
  readonly streamAudio = new Playback({ playId: '', items: [], repeat: false, complete: false });
  #audioOf: string | undefined;
  #detection: RunningDetection | undefined;
  readonly #listenings = new Set<string>();

  constructor(options: LegTapsOptions) {
    this.#options = options;
  }

  stream(stream: { streamId: string; tracks: readonly StreamTrack[]; bidirectional: boolean }): void {
    const { streamId, tracks, bidirectional } = stream;
    for (const track of new Set(tracks)) {
      const take = (bytes: Uint8Array): void => this.#options.emit({ type: 'stream_frame', streamId, track, bytes });
      this.#add(`stream ${streamId}`, track, new StreamTap(take));
    }
    if (!bidirectional) return;
    this.streamAudio.clear();
    this.#audioOf = streamId;
  }

  stopStream(streamId: string): void {
    this.#remove(`stream ${streamId}`);
    this.clearAudio(streamId);
    if (this.#audioOf === streamId) this.#audioOf = undefined;
  }

  addAudio(streamId: string, bytes: Uint8Array): void {
    if (this.#audioOf !== streamId) return;
    const { waitingItems, waitingSamples } = this.streamAudio;
    if (waitingItems >= MOST_STREAM_PIECES || waitingSamples + bytes.length > MOST_STREAM_SAMPLES) return;
    this.streamAudio.add([{ codec: 'PCMU', bytes }], false);
  }

  clearAudio(streamId: string): void {
    if (this.#audioOf === streamId) this.streamAudio.clear();
  }

  listen(listenId: string, track: StreamTrack): void {
    const { emit } = this.#options;
    this.#listenings.add(listenId);
    this.#add(`listen ${listenId}`, track, new PieceTap((pcm) => emit({ type: 'listen_piece', listenId, pcm })));
  }

  /** Flushes an incomplete chunk first. */
  stopListen(listenId: string): void {
    this.#listenings.delete(listenId);
    const taps = this.#remove(`listen ${listenId}`);
    for (const { tap } of taps) if (tap instanceof PieceTap) tap.flush();
    if (taps.length > 0) this.#options.emit({ type: 'listen_over', listenId });
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
    for (const listenId of [...this.#listenings]) this.stopListen(listenId);
    for (const name of [...this.#taps.keys()]) this.#remove(name);
    this.streamAudio.clear();
  }

  #add(name: string, track: StreamTrack, tap: PcmTap): void {
    const ear = track === 'inbound' ? this.#options.inbound : this.#options.outbound;
    this.#taps.set(name, [...(this.#taps.get(name) ?? []), { ear, tap }]);
    ear.add(tap);
  }

  #remove(name: string): { ear: TappedTrack; tap: PcmTap }[] {
    const taps = this.#taps.get(name) ?? [];
    this.#taps.delete(name);
    for (const { ear, tap } of taps) ear.remove(tap);
    return taps;
  }
}
