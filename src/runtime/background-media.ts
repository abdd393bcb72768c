/**
 * The media that runs beside the steps, on the main leg, until it is stopped or the call ends: one recording, one
 * stream, one transcript. Steps and REST commands start it alike; what REST started on a bridge ends with that bridge.
 *
 * Invariants
 *  - the journal has exactly one end of each that was started, before the run ends;
 *  B2 of what ends with a bridge, the end of the recording comes first, then that of the stream, both after the bridge.
 */
import { type Fault, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import type { LegEvent, StreamTrack } from '../core/leg.ts';
import type { BackgroundKind, StepBackground, StepEvent } from '../steps/step.ts';
import type { CallRecordings } from './call-recordings.ts';
import type { CallTransaction } from './call-transaction.ts';
import { MASK } from './journal.ts';
import type { Legs } from './legs.ts';
import type { RuntimePorts } from './ports.ts';

/** Of a recording that REST starts. */
export const MAX_RECORDING_MS = 4 * 3_600_000;
/** Of one listening; a transcript lasts as long as the call. */
const MAX_TRANSCRIPT_MS = 24 * 3_600_000;
/** Silence that ends an utterance of a transcript. */
const UTTERANCE_SILENCE_MS = 700;

type BackgroundEvent = Extract<StepEvent, { type: 'background' }>;
type RecordEnded = Extract<LegEvent, { type: 'record_ended' }>;
type StreamEnded = Extract<LegEvent, { type: 'stream_ended' }>;

/** A file for a recording, not begun yet. */
export interface OpenedRecording {
  id: string;
  file: string;
  name: string | undefined;
}

interface Recording {
  id: string;
  name?: string | undefined;
  startedMs: number;
  isPaused: boolean;
  /** The bridge with which it ends. */
  bridgeId: string | undefined;
  /** That bridge is over. */
  isEnding: boolean;
}

interface Stream {
  id: string;
  bridgeId: string | undefined;
}

interface Transcript {
  id: string;
  /** The listenings that go on, and what each hears. */
  tracks: Map<string, StreamTrack>;
  failure?: Fault | undefined;
}

export class BackgroundMedia {
  readonly #transaction: CallTransaction;
  readonly #legs: Legs;
  readonly #recordings: CallRecordings;
  readonly #mayStream: RuntimePorts['mayStream'];
  #recording: Recording | undefined;
  #stream: Stream | undefined;
  /** Its end, which came before that of the recording (B2). */
  #streamEnd: StreamEnded | undefined;
  #transcript: Transcript | undefined;

  constructor(
    transaction: CallTransaction,
    legs: Legs,
    recordings: CallRecordings,
    mayStream: RuntimePorts['mayStream'],
  ) {
    this.#transaction = transaction;
    this.#legs = legs;
    this.#recordings = recordings;
    this.#mayStream = mayStream;
  }

  /** Of the recording in progress. */
  get recordingId(): string | undefined {
    return this.#recording?.id;
  }

  /** Of the stream in progress. */
  get streamId(): string | undefined {
    return this.#stream?.id;
  }

  mayStream(url: string): boolean {
    return this.#mayStream(this.#transaction.record.projectId, url);
  }

  /** The commands of one step run. */
  commandsOf(stepRun: number): StepBackground {
    return {
      startRecording: ({ name, maxLengthMs }) => {
        const opened = this.openRecording(name);
        if ('fault' in opened) return opened;
        this.beginRecording(opened, maxLengthMs, stepRun);
        return { id: opened.id };
      },
      pauseRecording: (paused) => this.pauseRecording(paused, stepRun),
      stopRecording: () => this.stopRecording(stepRun),
      startStream: (options) => this.startStream(options, stepRun),
      stopStream: () => this.stopStream(stepRun),
      startTranscript: (options) => this.#startTranscript(options, stepRun),
      stopTranscript: () => this.#stopTranscript(stepRun),
    };
  }

  /** A step's recording whose file is refused is journalled as failed. */
  openRecording(name: string | undefined, options: { quiet?: boolean } = {}): OpenedRecording | { fault: Fault } {
    if (this.#recording) return { fault: fault('already_recording', 'the call is being recorded') };
    const id = this.#transaction.nextId('recording');
    const opened = this.#recordings.open(id, name);
    if ('fault' in opened) {
      if (!options.quiet) this.#appendRecording({ id, name }, 'failed', { description: opened.fault.message });
      return opened;
    }
    return { id, file: opened.file, name };
  }

  /** `bridgeId`: the bridge with which it ends. */
  beginRecording({ id, file, name }: OpenedRecording, maxLengthMs: number, stepRun: number, bridgeId?: string): void {
    this.#recording = { id, name, startedMs: this.#transaction.nowMs, isPaused: false, bridgeId, isEnding: false };
    this.#send(stepRun, {
      type: 'record',
      recordId: id,
      file,
      maxLengthMs,
      endSilenceMs: 0,
      terminators: '',
      dual: true,
      background: true,
    });
    this.#appendRecording(this.#recording, 'started');
  }

  pauseRecording(paused: boolean, stepRun: number): Fault | undefined {
    const recording = this.#recording;
    if (!recording) return notActive('recording');
    if (recording.isPaused === paused) return undefined;
    recording.isPaused = paused;
    this.#send(stepRun, { type: 'pause_record', recordId: recording.id, paused });
    this.#appendRecording(recording, paused ? 'paused' : 'resumed');
    return undefined;
  }

  stopRecording(stepRun: number): Fault | undefined {
    if (!this.#recording) return notActive('recording');
    this.#send(stepRun, { type: 'stop_record', recordId: this.#recording.id });
    return undefined;
  }

  startStream(
    { url, tracks, bidirectional }: Parameters<StepBackground['startStream']>[0],
    stepRun: number,
    bridgeId?: string,
  ): { id: string } | { fault: Fault } {
    if (this.#stream) return { fault: fault('already_streaming', 'the call is being streamed') };
    if (!this.mayStream(url)) return { fault: fault('target_refused', 'this address may not be used') };
    const { callId, from, to } = this.#transaction.record;
    const streamId = this.#transaction.nextId('stream');
    this.#stream = { id: streamId, bridgeId };
    const start = { voice_id: callId, from, to };
    this.#send(stepRun, { type: 'stream', streamId, url, tracks: [...tracks], bidirectional, start });
    this.#transaction.append({ kind: 'stream', streamId, state: 'stream_initiated' });
    return { id: streamId };
  }

  stopStream(stepRun: number): Fault | undefined {
    if (!this.#stream) return notActive('streaming');
    this.#send(stepRun, { type: 'stop_stream', streamId: this.#stream.id });
    return undefined;
  }

  /** Stops what was started for as long as this bridge lasts. */
  endWithBridge(bridgeId: string): void {
    if (this.#recording?.bridgeId === bridgeId) {
      this.#recording.isEnding = true;
      this.stopRecording(0);
    }
    if (this.#stream?.bridgeId === bridgeId) this.stopStream(0);
  }

  /** Whether the event is about media in the background. */
  owns(event: LegEvent): boolean {
    switch (event.type) {
      case 'record_ended':
        return event.recordId === this.#recording?.id;
      case 'stream_started':
      case 'stream_ended':
        return event.streamId === this.#stream?.id;
      case 'speech_started':
      case 'utterance':
      case 'listen_ended':
        return this.#transcript?.tracks.has(event.listenId) ?? false;
      default:
        return false;
    }
  }

  /** Handles an event that it owns, and returns the events for the steps. `isSensitive`: a running step takes sensitive input. */
  receive(event: LegEvent, isSensitive: boolean): BackgroundEvent[] {
    switch (event.type) {
      case 'record_ended':
        return [this.#recordEnded(event), ...this.#lateStreamEnd()];
      case 'stream_started':
        return [this.#streamMoved(event.streamId, 'stream_started')];
      case 'stream_ended':
        if (!this.#recording?.isEnding) return [this.#streamEnded(event)];
        this.#streamEnd = event;
        return [];
      case 'utterance': {
        const { listenId, text, confidence, fromMs, toMs } = event;
        const track = this.#transcript!.tracks.get(listenId)!;
        const shown = isSensitive ? MASK : text;
        this.#transaction.append({ kind: 'transcript', track, text: shown, confidence, fromMs, toMs });
        return [];
      }
      case 'listen_ended':
        return this.#listenEnded(event.listenId, event.fault);
      default:
        return [];
    }
  }

  /** No further event comes: the main leg belongs to another call now, or it ended without one (`failure`). */
  abandon(failure?: string): void {
    const recording = this.#recording;
    if (recording) {
      const durationMs = this.#transaction.nowMs - recording.startedMs;
      this.#send(0, { type: 'stop_record', recordId: recording.id });
      this.#recordingOver(recording, durationMs, failure);
    }
    this.#lateStreamEnd();
    if (this.#stream) {
      this.#send(0, { type: 'stop_stream', streamId: this.#stream.id });
      this.#streamMoved(this.#stream.id, 'stream_stopped');
      this.#stream = undefined;
    }
    for (const listenId of this.#transcript?.tracks.keys() ?? []) this.#send(0, { type: 'stop_listen', listenId });
    this.#transcript = undefined;
  }

  #startTranscript(
    { language, tracks, minConfidence }: Parameters<StepBackground['startTranscript']>[0],
    stepRun: number,
  ): { id: string } | { fault: Fault } {
    if (this.#transcript) return { fault: fault('already_transcribing', 'the call is being transcribed') };
    const listens = new Map<string, StreamTrack>();
    for (const track of tracks) {
      const listenId = this.#transaction.nextId('listen');
      listens.set(listenId, track);
      this.#send(stepRun, {
        type: 'listen',
        listenId,
        language,
        hints: [],
        minConfidence,
        endSilenceMs: UTTERANCE_SILENCE_MS,
        maxLengthMs: MAX_TRANSCRIPT_MS,
        continuous: true,
        track,
      });
    }
    const [id] = listens.keys();
    if (id === undefined) return { fault: fault('no_track', 'a transcript needs something to listen to') };
    this.#transcript = { id, tracks: listens };
    return { id };
  }

  #stopTranscript(stepRun: number): Fault | undefined {
    if (!this.#transcript) return notActive('transcribing');
    for (const listenId of this.#transcript.tracks.keys()) this.#send(stepRun, { type: 'stop_listen', listenId });
    return undefined;
  }

  #recordEnded({ reason, durationMs, fault: why }: RecordEnded): BackgroundEvent {
    const failure = reason === 'failed' ? (why?.message ?? 'the recording failed') : why?.message;
    return this.#recordingOver(this.#recording!, durationMs, failure);
  }

  #recordingOver(recording: Recording, durationMs: number, failure: string | undefined): BackgroundEvent {
    this.#recording = undefined;
    const failed = failure !== undefined;
    this.#recordings.close(recording.id, { durationMs, failed });
    const state = failed ? 'failed' : 'completed';
    this.#appendRecording(recording, state, { durationMs, description: failure });
    return backgroundEvent('recording', recording.id, state, { duration_ms: durationMs });
  }

  #streamMoved(streamId: string, state: 'stream_started' | 'stream_stopped'): BackgroundEvent {
    this.#transaction.append({ kind: 'stream', streamId, state });
    return backgroundEvent('stream', streamId, state, null);
  }

  #lateStreamEnd(): BackgroundEvent[] {
    const event = this.#streamEnd;
    this.#streamEnd = undefined;
    return event ? [this.#streamEnded(event)] : [];
  }

  #streamEnded({ streamId, reason, fault: why }: StreamEnded): BackgroundEvent {
    this.#stream = undefined;
    if (reason !== 'failed') return this.#streamMoved(streamId, 'stream_stopped');
    const description = why?.message ?? 'the stream failed';
    this.#transaction.append({ kind: 'stream', streamId, state: 'stream_failed', description });
    return backgroundEvent('stream', streamId, 'stream_failed', { description });
  }

  #listenEnded(listenId: string, failure: Fault | undefined): BackgroundEvent[] {
    const transcript = this.#transcript!;
    transcript.tracks.delete(listenId);
    transcript.failure ??= failure;
    if (transcript.tracks.size > 0) return [];
    this.#transcript = undefined;
    if (!transcript.failure) return [backgroundEvent('transcript', transcript.id, 'stopped', null)];
    return [backgroundEvent('transcript', transcript.id, 'failed', { description: transcript.failure.message })];
  }

  #send(stepRun: number, command: Parameters<Legs['send']>[1]): void {
    this.#legs.send(this.#legs.main, command, stepRun);
  }

  #appendRecording(
    { id, name }: Pick<Recording, 'id' | 'name'>,
    state: 'started' | 'paused' | 'resumed' | 'completed' | 'failed',
    more: { durationMs?: number; description?: string | undefined } = {},
  ): void {
    this.#transaction.append({ kind: 'recording', recordingId: id, name, state, ...more });
  }
}

const backgroundEvent = (kind: BackgroundKind, id: string, state: string, data: Json): BackgroundEvent => ({
  type: 'background',
  kind,
  id,
  state,
  data,
});

const notActive = (what: 'recording' | 'streaming' | 'transcribing'): Fault =>
  fault(`not_${what}`, `the call is not ${what} anything`);
