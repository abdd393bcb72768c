/**
 * The main thread's half of a leg: loads its prompts, writes its recordings, talks to recognisers and to the receivers of
 * streams, and remembers what is still to be answered, so that each request gets its one answer even when the other half
 * is lost.
 */
import type { LookupFunction } from 'node:net';
import { resolve } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { type Fault, fault } from '../../core/fault.ts';
import type { AudioItem, LegQuality } from '../../core/leg.ts';
import type { Recognizer } from '../recognition.ts';
import type { AudioCache } from './audio-cache.ts';
import type { LegMediaEvent } from './leg-media.ts';
import { LegPlays } from './leg-plays.ts';
import { LegRecognition } from './leg-recognition.ts';
import type {
  DetectRequest,
  ListenRequest,
  MediaEvent,
  MediaRemote,
  PlayRequest,
  RecordRequest,
  SendDigitsRequest,
  StreamRequest,
} from './media-port.ts';
import type { RecordingResult } from './recorder.ts';
import { StreamClient } from './stream-client.ts';
import { WavWriter } from './wav-writer.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

export interface MediaLegOptions {
  mediaId: string;
  audio: AudioCache;
  clock: Clock;
  recognizer?: Recognizer | undefined;
  /** For the receivers of streams. */
  lookup?: ((url: string) => LookupFunction) | undefined;
  /** What the names of recordings' files start from. */
  recordDirectory?: string;
  onEvent(event: MediaEvent): void;
  send(command: ThreadLegCommand): void;
  warn(event: string, fields: { [field: string]: unknown }): void;
}

interface RecordingFile {
  file: string;
  writer: WavWriter;
}

type StreamEndedEvent = Extract<MediaEvent, { type: 'stream_ended' }>;

export class MediaLeg {
  readonly mediaId: string;
  readonly #options: MediaLegOptions;
  #state: 'open' | 'closing' | 'closed' = 'open';
  readonly #plays: LegPlays;
  readonly #recognition: LegRecognition;
  /** Handed to the thread and not answered. */
  readonly #sends = new Set<string>();
  readonly #detections = new Set<string>();
  readonly #recordings = new Map<string, RecordingFile>();
  /** Recordings that are being completed on disk. */
  readonly #finishing = new Set<Promise<void>>();
  readonly #streams = new Map<string, StreamClient>();

  constructor(options: MediaLegOptions) {
    const { mediaId, send } = options;
    this.mediaId = mediaId;
    this.#options = options;
    const emit = (event: MediaEvent): void => this.#emit(event);
    this.#plays = new LegPlays({
      mediaId,
      audio: options.audio,
      send,
      emit,
      musicFailed: ({ code, message }) => options.warn('media.hold_music_missing', { mediaId, code, message }),
    });
    this.#recognition = new LegRecognition({
      mediaId,
      recognizer: options.recognizer,
      clock: options.clock,
      send,
      emit,
    });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  connect(remote: MediaRemote): void {
    this.#plays.codec = remote.codec;
    this.#options.send({ type: 'connect', mediaId: this.mediaId, remote });
  }

  play(play: PlayRequest): void {
    this.#plays.play(play);
  }

  stopPlay(playId: string): void {
    this.#plays.stop(playId);
  }

  hold(music: AudioItem[] | undefined): void {
    this.#plays.hold(music);
  }

  record(record: RecordRequest): void {
    const { mediaId } = this;
    const { recordId, file } = record;
    if (this.#recordings.has(recordId)) return;
    const { send } = this.#options;
    const path = resolve(this.#options.recordDirectory ?? '', file);
    const writer = new WavWriter(path, record.dual ? 2 : 1, () => send({ type: 'stop_record', mediaId, recordId }));
    this.#recordings.set(recordId, { file, writer });
    send({ type: 'record', mediaId, record });
  }

  sendDigits(send: SendDigitsRequest): void {
    this.#sends.add(send.sendId);
    this.#options.send({ type: 'send_digits', mediaId: this.mediaId, send });
  }

  detect(detect: DetectRequest): void {
    this.#detections.add(detect.detectId);
    this.#options.send({ type: 'detect', mediaId: this.mediaId, detect });
  }

  listen(listen: ListenRequest): void {
    this.#recognition.listen(listen);
  }

  stopListen(listenId: string): void {
    this.#recognition.stop(listenId);
  }

  stream(request: StreamRequest): void {
    const { streamId, tracks, bidirectional } = request;
    const { mediaId } = this;
    const { clock, lookup, send } = this.#options;
    if (this.#streams.has(streamId)) return;
    try {
      const client = new StreamClient({
        request,
        clock,
        lookup,
        opened: () => {
          send({ type: 'stream', mediaId, streamId, tracks, bidirectional });
          this.#emit({ type: 'stream_started', streamId });
        },
        sound: (bytes) => send({ type: 'stream_sound', mediaId, streamId, bytes }),
        clear: () => send({ type: 'clear_stream', mediaId, streamId }),
        ended: (reason, why) =>
          this.#streamEnded({ type: 'stream_ended', streamId, reason, ...(why ? { fault: why } : {}) }),
      });
      this.#streams.set(streamId, client);
    } catch {
      const invalid = fault('stream_failed', 'the address of the stream is none of a web socket');
      queueMicrotask(() => this.#emit({ type: 'stream_ended', streamId, reason: 'failed', fault: invalid }));
    }
  }

  stopStream(streamId: string): void {
    queueMicrotask(() => this.#stopStream(streamId, 'stopped'));
  }

  /** What needs nothing here. */
  pass(command: ThreadLegCommand): void {
    this.#options.send(command);
  }

  close(): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#plays.close();
    this.#options.send({ type: 'close', mediaId: this.mediaId });
  }

  receive(event: LegMediaEvent): void {
    switch (event.type) {
      case 'record_chunk':
        this.#recordings.get(event.recordId)?.writer.write(event.pcm);
        return;
      case 'recorded':
        this.#finishRecording(event);
        return;
      case 'stream_frame':
        this.#streams.get(event.streamId)?.frame(event.track, event.bytes);
        return;
      case 'listen_piece':
        this.#recognition.piece(event.listenId, event.pcm);
        return;
      case 'listen_over':
        this.#recognition.over(event.listenId);
        return;
      case 'play_ended':
        this.#emit(this.#plays.ended(event));
        return;
      case 'digits_sent':
        this.#sends.delete(event.sendId);
        break;
      case 'machine_detected':
        this.#detections.delete(event.detectId);
        break;
    }
    this.#emit(event);
  }

  /** The sockets are gone: resolves when everything is answered and the last recording is on disk. */
  async settled(): Promise<void> {
    this.#state = 'closing';
    this.#plays.close();
    for (const streamId of [...this.#streams.keys()]) this.#stopStream(streamId, 'hangup');
    await Promise.all([...this.#finishing, this.#recognition.settled()]);
  }

  /** The other half is lost: answers everything in its stead. */
  async threadDied(): Promise<void> {
    this.#state = 'closing';
    const lost = fault('media_failed', 'the media of this call broke down', { retryable: true });
    this.#plays.lost(lost);
    for (const [recordId, { writer }] of this.#recordings) {
      const { durationMs } = writer;
      this.#finishRecording({ recordId, reason: 'hangup', durationMs, speechMs: 0 }, lost);
    }
    for (const sendId of this.#sends) this.#emit({ type: 'digits_sent', sendId });
    for (const detectId of this.#detections) {
      this.#emit({ type: 'machine_detected', detectId, result: 'stopped', afterMs: 0 });
    }
    this.#recognition.lost(lost);
    await this.settled();
  }

  /** Says goodbye, after `settled` or `broken`. */
  end(quality?: LegQuality): void {
    this.#emit(quality ? { type: 'closed', quality } : { type: 'closed' });
    this.#state = 'closed';
  }

  #stopStream(streamId: string, reason: 'stopped' | 'hangup'): void {
    const client = this.#streams.get(streamId);
    if (!client) return;
    client.stop();
    this.#streamEnded({ type: 'stream_ended', streamId, reason });
  }

  #streamEnded(event: StreamEndedEvent): void {
    const { streamId } = event;
    const { mediaId } = this;
    const dropped = this.#streams.get(streamId)?.dropped ?? 0;
    this.#streams.delete(streamId);
    if (dropped > 0) this.#options.warn('media.stream_frames_dropped', { mediaId, streamId, dropped });
    this.#options.send({ type: 'stop_stream', mediaId, streamId });
    this.#emit(event);
  }

  #finishRecording(recorded: RecordingResult, lost?: Fault): void {
    const { recordId, durationMs, speechMs } = recorded;
    const recording = this.#recordings.get(recordId);
    if (!recording) return;
    this.#recordings.delete(recordId);
    const { file, writer } = recording;
    const finished = writer.finish().then((broken) => {
      const wrong = broken ?? lost;
      const ended = { type: 'record_ended' as const, recordId, file, durationMs, speechMs };
      this.#finishing.delete(finished);
      this.#emit(wrong ? { ...ended, reason: 'failed', fault: wrong } : { ...ended, reason: recorded.reason });
    });
    this.#finishing.add(finished);
  }

  #emit(event: MediaEvent): void {
    if (this.#state !== 'closed') this.#options.onEvent(event);
  }
}
