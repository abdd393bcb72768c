/**
 * Main-thread half of a leg: loads prompts, writes recordings, connects recognisers and stream receivers, and tracks
 * pending requests, so that each gets its one answer even if the media thread dies. All other commands pass through.
 */
import type { LookupFunction } from 'node:net';
import { resolve } from 'node:path';
import type { ConfiguredAgent } from '../../../base/core/assistant.ts';
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import type { LegQuality } from '../../../base/core/leg.ts';
import type { Recognizer } from '../recognition.ts';
import type { AudioCache } from './audio-cache.ts';
import { LegAgents } from './leg-agents.ts';
import type { LegMediaEvent } from './leg-media.ts';
import { LegPlays } from './leg-plays.ts';
import { LegRecognition } from './leg-recognition.ts';
import type { MediaCommandOf, MediaEvent, MediaPortCommand } from './media-port.ts';
import type { RecordingResult } from './recorder.ts';
import { StreamClient } from './stream-client.ts';
import { WavWriter } from './wav-writer.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

export interface MediaLegOptions {
  mediaId: string;
  audio: AudioCache;
  /** Returns the current project of the leg. */
  projectId?: () => string | undefined;
  clock: Clock;
  recognizer?: Recognizer | undefined;
  /** DNS lookup for stream receivers. */
  lookup?: ((url: string) => LookupFunction) | undefined;
  /** Returns the configured AI agents. */
  agents?: (() => readonly ConfiguredAgent[]) | undefined;
  /** Base directory for the names of recordings. */
  recordDirectory?: string;
  onEvent(event: MediaEvent): void;
  /** Sends to the media thread. */
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
  readonly #agents: LegAgents;
  /** Sent to the thread and not answered yet. */
  readonly #sends = new Set<string>();
  readonly #detections = new Set<string>();
  readonly #recordings = new Map<string, RecordingFile>();
  /** Recordings that are being completed on disk. */
  readonly #finishing = new Set<Promise<void>>();
  readonly #streams = new Map<string, StreamClient>();

  constructor(options: MediaLegOptions) {
    const { mediaId, audio, projectId, clock, recognizer, lookup, agents, send, warn } = options;
    this.mediaId = mediaId;
    this.#options = options;
    const emit = (event: MediaEvent): void => this.#emit(event);
    const musicFailed = ({ code, message }: Fault): void =>
      warn('media.hold_music_missing', { mediaId, code, message });
    this.#plays = new LegPlays({ audio, projectId, send, emit, musicFailed });
    this.#recognition = new LegRecognition({ recognizer, projectId, clock, send, emit });
    this.#agents = new LegAgents({ clock, lookup, agents, send, emit });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  send(command: MediaPortCommand): void {
    if (!this.isOpen) return;
    switch (command.type) {
      case 'connect':
        this.#plays.codec = command.remote.codec;
        break;
      case 'play':
        this.#plays.play(command);
        return;
      case 'stop_play':
        this.#plays.stop(command.playId);
        return;
      case 'hold':
        this.#plays.hold(command.music);
        return;
      case 'resume':
        this.#plays.stopMusic();
        break;
      case 'record':
        if (this.#recordings.has(command.recordId)) return;
        this.#openFile(command);
        break;
      case 'send_digits':
        this.#sends.add(command.sendId);
        break;
      case 'detect_machine':
        this.#detections.add(command.detectId);
        break;
      case 'listen':
        this.#recognition.listen(command);
        return;
      case 'stop_listen':
        this.#recognition.stop(command.listenId);
        return;
      case 'stream':
        this.#openStream(command);
        return;
      case 'stop_stream':
        queueMicrotask(() => this.#stopStream(command.streamId, 'stopped'));
        return;
      case 'assistant':
        this.#agents.start(command);
        return;
      case 'answer_assistant':
        this.#agents.answer(command);
        return;
      case 'key_assistant':
        this.#agents.key(command);
        return;
      case 'stop_assistant':
        queueMicrotask(() => this.#agents.stop(command.assistantId, 'stopped'));
        return;
      case 'close':
        this.#state = 'closing';
        this.#plays.close();
        break;
    }
    this.#options.send(command);
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
        if (this.#agents.frame(event)) return;
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

  /** The sockets are closed: resolves when everything is answered and the last recording is on disk. */
  async settled(): Promise<void> {
    this.#state = 'closing';
    this.#plays.close();
    for (const streamId of [...this.#streams.keys()]) this.#stopStream(streamId, 'hangup');
    this.#agents.stopAll('hangup');
    await Promise.all([...this.#finishing, this.#recognition.settled()]);
  }

  /** The media thread died: answers everything in its place. */
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

  /** Emits `closed`, after `settled` or `threadDied`. */
  end(quality?: LegQuality): void {
    this.#emit(quality ? { type: 'closed', quality } : { type: 'closed' });
    this.#state = 'closed';
  }

  #openFile({ recordId, file, dual }: MediaCommandOf<'record'>): void {
    const path = resolve(this.#options.recordDirectory ?? '', file);
    const stop = (): void => this.#options.send({ type: 'stop_record', recordId });
    this.#recordings.set(recordId, { file, writer: new WavWriter(path, dual ? 2 : 1, stop) });
  }

  #finishRecording(result: Omit<RecordingResult, 'type'>, lost?: Fault): void {
    const { recordId, durationMs, speechMs, reason } = result;
    const recording = this.#recordings.get(recordId);
    if (!recording) return;
    this.#recordings.delete(recordId);
    const { file, writer } = recording;
    const finished = writer.finish().then((broken) => {
      const wrong = broken ?? lost;
      const ended = { type: 'record_ended' as const, recordId, file, durationMs, speechMs };
      this.#finishing.delete(finished);
      this.#emit(wrong ? { ...ended, reason: 'failed', fault: wrong } : { ...ended, reason });
    });
    this.#finishing.add(finished);
  }

  #openStream(request: MediaCommandOf<'stream'>): void {
    const { streamId, tracks, bidirectional } = request;
    const { clock, lookup, send } = this.#options;
    if (this.#streams.has(streamId)) return;
    try {
      const client = new StreamClient({
        request,
        clock,
        lookup,
        opened: () => {
          send({ type: 'stream', streamId, tracks, bidirectional });
          this.#emit({ type: 'stream_started', streamId });
        },
        sound: (bytes) => send({ type: 'stream_audio', streamId, bytes }),
        clear: () => send({ type: 'clear_stream', streamId }),
        ended: (result) => this.#streamEnded({ type: 'stream_ended', streamId, ...result }),
      });
      this.#streams.set(streamId, client);
    } catch {
      const invalid = fault('stream_failed', 'the address of the stream is not that of a web socket');
      queueMicrotask(() => this.#emit({ type: 'stream_ended', streamId, reason: 'failed', fault: invalid }));
    }
  }

  #stopStream(streamId: string, reason: 'stopped' | 'hangup'): void {
    const client = this.#streams.get(streamId);
    if (!client) return;
    client.stop();
    this.#streamEnded({ type: 'stream_ended', streamId, reason });
  }

  #streamEnded(event: StreamEndedEvent): void {
    const { streamId } = event;
    const { mediaId, send, warn } = this.#options;
    const dropped = this.#streams.get(streamId)?.dropped ?? 0;
    this.#streams.delete(streamId);
    if (dropped > 0) warn('media.stream_frames_dropped', { mediaId, streamId, dropped });
    send({ type: 'stop_stream', streamId });
    this.#emit(event);
  }

  #emit(event: MediaEvent): void {
    if (this.#state !== 'closed') this.#options.onEvent(event);
  }
}
