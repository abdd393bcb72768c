/**
 * Background media on the main leg, independent of the steps, until it is stopped or the call ends: one recording, one
 * stream, one transcript. Steps and REST commands start it in the same way; media that REST started on a bridge ends
 * with that bridge.
 *
 * Invariants
 *  - The journal contains exactly one end of each started item, before the run ends.
 *  B2 If both end with a bridge, the end of the recording comes first, then that of the stream, both after the bridge.
 */
import { type Fault, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import type { LegCommand, LegEvent, StreamTrack } from '../../base/core/leg.ts';
import type { BackgroundAnswer, BackgroundCommand, BackgroundKind, StepEvent } from '../../language/steps/step.ts';
import type { CallRecordings } from './call-recordings.ts';
import type { CallTransaction } from './call-transaction.ts';
import { MASK } from './journal.ts';
import type { Legs } from './legs.ts';

/** Default maximum length of a recording. */
const MAX_RECORDING_MS = 4 * 3_600_000;
/** Maximum length of one recognition; a transcript lasts as long as the call. */
const MAX_TRANSCRIPT_MS = 24 * 3_600_000;
/** Silence that ends an utterance of a transcript. */
const UTTERANCE_SILENCE_MS = 700;

type BackgroundEvent = Extract<StepEvent, { type: 'background' }>;
type RecordEnded = Extract<LegEvent, { type: 'record_ended' }>;
type StreamEnded = Extract<LegEvent, { type: 'stream_ended' }>;

/** A command, and the bridge with which its media ends. */
type CommandOf<Type extends BackgroundKind> = Extract<BackgroundCommand, { type: Type; action: 'start' }> & {
  bridgeId?: string;
};

/** File for a recording that has not begun, or the reason why there is none. */
type OpenedRecording = { id: string; file: string } | { id?: string; fault: Fault };

const ACTIVITIES = { recording: 'recording', stream: 'streaming', transcript: 'transcribing' } as const;

const STOP_COMMANDS: Readonly<Record<BackgroundKind, (id: string) => LegCommand>> = {
  recording: (recordId) => ({ type: 'stop_record', recordId }),
  stream: (streamId) => ({ type: 'stop_stream', streamId }),
  transcript: (listenId) => ({ type: 'stop_listen', listenId }),
};

interface Recording {
  id: string;
  name?: string | undefined;
  startedMs: number;
  isPaused: boolean;
  /** Bridge with which it ends. */
  bridgeId: string | undefined;
  /** True if that bridge is over. */
  isEnding: boolean;
}

interface Stream {
  id: string;
  bridgeId: string | undefined;
}

interface Transcript {
  id: string;
  /** Active recognitions with their track. */
  tracks: Map<string, StreamTrack>;
  failure?: Fault | undefined;
}

export class BackgroundMedia {
  readonly #transaction: CallTransaction;
  readonly #legs: Legs;
  readonly #recordings: CallRecordings;
  #recording: Recording | undefined;
  #stream: Stream | undefined;
  /** End of the stream that arrived before that of the recording (B2). */
  #streamEnd: StreamEnded | undefined;
  #transcript: Transcript | undefined;

  constructor(transaction: CallTransaction, legs: Legs, recordings: CallRecordings) {
    this.#transaction = transaction;
    this.#legs = legs;
    this.#recordings = recordings;
  }

  /** Id of the active recording. */
  get recordingId(): string | undefined {
    return this.#recording?.id;
  }

  /** Id of the active stream. */
  get streamId(): string | undefined {
    return this.#stream?.id;
  }

  mayStream(url: string): boolean {
    const { ports, record } = this.#transaction;
    return ports.mayStream(record.projectId, url);
  }

  perform(command: BackgroundCommand & { bridgeId?: string }, stepRun: number): BackgroundAnswer {
    if (command.action === 'stop') return this.#stop(command.type, stepRun);
    if (command.action !== 'start') return this.#pauseRecording(command.action === 'pause', stepRun);
    if (command.type === 'recording') return this.#startRecording(command, stepRun);
    return command.type === 'stream' ? this.#startStream(command, stepRun) : this.#startTranscript(command, stepRun);
  }

  openRecording(name: string | undefined): OpenedRecording {
    if (this.#recording) return { fault: fault('already_recording', 'the call is being recorded') };
    const id = this.#transaction.nextId('recording');
    return { id, ...this.#recordings.open(id, name) };
  }

  beginRecording(
    { id, file }: { id: string; file: string },
    { name, maxLengthMs = MAX_RECORDING_MS, bridgeId }: Omit<CommandOf<'recording'>, 'action'>,
    stepRun: number,
  ): void {
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

  /** Stops media that was started for the duration of this bridge. */
  endWithBridge(bridgeId: string): void {
    if (this.#recording?.bridgeId === bridgeId) {
      this.#recording.isEnding = true;
      this.#stop('recording', 0);
    }
    if (this.#stream?.bridgeId === bridgeId) this.#stop('stream', 0);
  }

  /** True if the event concerns background media. */
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

  /**
   * Handles an event for which `owns` is true, and returns the events for the steps. `isSensitive`: a running step
   * takes sensitive input.
   */
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

  /**
   * Ends all media without waiting for events: the main leg belongs to another call now, or ended without reporting
   * them (`failure`).
   */
  abandon(failure?: string): void {
    const recording = this.#recording;
    if (recording) {
      const durationMs = this.#transaction.nowMs - recording.startedMs;
      this.#stop('recording', 0);
      this.#recordingOver(recording, durationMs, failure);
    }
    this.#lateStreamEnd();
    if (this.#stream) {
      this.#stop('stream', 0);
      this.#streamMoved(this.#stream.id, 'stream_stopped');
      this.#stream = undefined;
    }
    this.#stop('transcript', 0);
    this.#transcript = undefined;
  }

  /** A recording whose file is refused is journalled as failed. */
  #startRecording(command: CommandOf<'recording'>, stepRun: number): BackgroundAnswer {
    const { name } = command;
    const opened = this.openRecording(name);
    if ('file' in opened) {
      this.beginRecording(opened, command, stepRun);
      return { id: opened.id };
    }
    const { id, fault: why } = opened;
    if (id !== undefined) this.#appendRecording({ id, name }, 'failed', { description: why.message });
    return { fault: why };
  }

  #pauseRecording(paused: boolean, stepRun: number): BackgroundAnswer {
    const recording = this.#recording;
    if (!recording) return notActive('recording');
    if (recording.isPaused !== paused) {
      recording.isPaused = paused;
      this.#send(stepRun, { type: 'pause_record', recordId: recording.id, paused });
      this.#appendRecording(recording, paused ? 'paused' : 'resumed');
    }
    return { id: recording.id };
  }

  #startStream({ url, tracks, bidirectional, bridgeId }: CommandOf<'stream'>, stepRun: number): BackgroundAnswer {
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

  #startTranscript({ language, tracks, minConfidence }: CommandOf<'transcript'>, stepRun: number): BackgroundAnswer {
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

  /** The end is reported by an event. A transcript has one recognition per track. */
  #stop(kind: BackgroundKind, stepRun: number): BackgroundAnswer {
    const running = { recording: this.#recording, stream: this.#stream, transcript: this.#transcript }[kind];
    if (!running) return notActive(kind);
    const ids = 'tracks' in running ? running.tracks.keys() : [running.id];
    for (const id of ids) this.#send(stepRun, STOP_COMMANDS[kind](id));
    return { id: running.id };
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

  #send(stepRun: number, command: LegCommand): void {
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

const notActive = (kind: BackgroundKind): { fault: Fault } => ({
  fault: fault(`not_${ACTIVITIES[kind]}`, `the call is not ${ACTIVITIES[kind]} anything`),
});
