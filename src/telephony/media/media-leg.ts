/**
 * The main thread's half of a leg: loads its prompts, writes its recordings, and remembers what is still to be
 * answered, so that each request gets its one answer even when the other half is lost.
 */
import { type Fault, fault, faultIn } from '../../core/fault.ts';
import type { AudioItem } from '../../core/leg.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../audio.ts';
import type { AudioCache } from './audio-cache.ts';
import type { LegMediaEvent } from './leg-media.ts';
import type {
  DetectRequest,
  G711Codec,
  ListenRequest,
  MediaEvent,
  MediaRemote,
  PlayRequest,
  RecordRequest,
  SendDigitsRequest,
  StreamRequest,
} from './media-port.ts';
import type { EncodedAudio } from './playback.ts';
import type { Recorded } from './recorder.ts';
import { WavWriter } from './wav-writer.ts';
import type { WorkerCommand } from './worker-messages.ts';

export interface MediaLegOptions {
  mediaId: string;
  audio: AudioCache;
  onEvent(event: MediaEvent): void;
  tell(command: WorkerCommand): void;
}

/** An hour. */
const MOST_PLAY_BYTES = 3600 * SAMPLE_RATE_HZ;

interface Recording {
  file: string;
  writer: WavWriter;
}

export class MediaLeg {
  readonly mediaId: string;
  readonly #options: MediaLegOptions;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #codec: G711Codec = 'PCMU';
  #loading: { playId: string; abort: AbortController } | undefined;
  /** Handed to the thread and not answered. */
  readonly #plays = new Set<string>();
  readonly #sends = new Set<string>();
  readonly #recordings = new Map<string, Recording>();
  /** Recordings that are being completed on disk. */
  readonly #finishing = new Set<Promise<void>>();

  constructor(options: MediaLegOptions) {
    this.mediaId = options.mediaId;
    this.#options = options;
  }

  connect(remote: MediaRemote): void {
    if (this.#state !== 'open') return;
    this.#codec = remote.codec;
    this.#tell({ type: 'connect', mediaId: this.mediaId, remote });
  }

  play(play: PlayRequest): void {
    if (this.#state !== 'open') return;
    this.#stopLoading();
    for (const playId of this.#plays) this.#tell({ type: 'stop_play', mediaId: this.mediaId, playId });
    if (play.audio.length === 0) {
      this.#handOver(play, []);
      return;
    }
    this.#loading = { playId: play.playId, abort: new AbortController() };
    void this.#load(play, this.#loading.abort.signal);
  }

  stopPlay(playId: string): void {
    if (this.#state !== 'open') return;
    if (this.#loading?.playId === playId) this.#stopLoading();
    else this.#tell({ type: 'stop_play', mediaId: this.mediaId, playId });
  }

  record(record: RecordRequest): void {
    const { mediaId } = this;
    const { recordId, file } = record;
    if (this.#state !== 'open' || this.#recordings.has(recordId)) return;
    const writer = new WavWriter(file, () => this.#tell({ type: 'stop_record', mediaId, recordId }));
    this.#recordings.set(recordId, { file, writer });
    this.#tell({ type: 'record', mediaId, record });
  }

  stopRecord(recordId: string): void {
    if (this.#state === 'open') this.#tell({ type: 'stop_record', mediaId: this.mediaId, recordId });
  }

  sendDigits(send: SendDigitsRequest): void {
    if (this.#state !== 'open') return;
    this.#sends.add(send.sendId);
    this.#tell({ type: 'send_digits', mediaId: this.mediaId, send });
  }

  pauseRecord(recordId: string, paused: boolean): void {
    if (this.#state === 'open') this.#tell({ type: 'pause_record', mediaId: this.mediaId, recordId, paused });
  }

  stream({ streamId }: StreamRequest): void {
    const missing = fault('not_supported', 'this engine cannot stream');
    this.#later({ type: 'stream_ended', streamId, reason: 'failed', fault: missing });
  }

  listen({ listenId }: ListenRequest): void {
    const missing = fault('no_recognizer', 'there is no speech recognition');
    this.#later({ type: 'listen_ended', listenId, reason: 'failed', fault: missing });
  }

  detect({ detectId }: DetectRequest): void {
    this.#later({ type: 'machine_detected', detectId, result: 'unknown', afterMs: 0 });
  }

  #later(event: MediaEvent): void {
    if (this.#state === 'open') queueMicrotask(() => this.#emit(event));
  }

  close(): void {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    this.#stopLoading();
    this.#tell({ type: 'close', mediaId: this.mediaId });
  }

  heard(event: LegMediaEvent): void {
    switch (event.type) {
      case 'record_chunk':
        this.#recordings.get(event.recordId)?.writer.write(event.pcm);
        return;
      case 'recorded':
        this.#finishRecording(event);
        return;
      case 'play_ended':
        this.#plays.delete(event.playId);
        break;
      case 'digits_sent':
        this.#sends.delete(event.sendId);
        break;
    }
    this.#emit(event);
  }

  /** The socket is gone: resolves when everything is answered and the last recording is on disk. */
  async settled(): Promise<void> {
    this.#state = 'closing';
    this.#stopLoading();
    await Promise.all(this.#finishing);
  }

  /** The other half is lost: answers everything in its stead. */
  async broken(): Promise<void> {
    this.#state = 'closing';
    const lost = fault('media_failed', 'the media of this call broke down', { retryable: true });
    for (const playId of this.#plays) {
      this.#emit({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, fault: lost });
    }
    for (const [recordId, { writer }] of this.#recordings) {
      const { durationMs } = writer;
      this.#finishRecording({ recordId, reason: 'hangup', durationMs, speechMs: 0 }, lost);
    }
    for (const sendId of this.#sends) this.#emit({ type: 'digits_sent', sendId });
    await this.settled();
  }

  /** Says goodbye, after `settled` or `broken`. */
  end(): void {
    this.#emit({ type: 'closed' });
    this.#state = 'closed';
  }

  async #load(play: PlayRequest, signal: AbortSignal): Promise<void> {
    const { playId } = play;
    try {
      const items = await this.#items(play.audio, signal);
      if (signal.aborted) return;
      this.#loading = undefined;
      this.#handOver(play, items);
    } catch (error) {
      if (signal.aborted) return;
      // What the others still load is of no use any more.
      this.#loading?.abort.abort();
      this.#loading = undefined;
      this.#emit({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, fault: faultOf(error) });
    }
  }

  /** A play is held in memory as a whole, so its length is bounded. */
  #items(audio: readonly AudioItem[], signal: AbortSignal): Promise<EncodedAudio[]> {
    const codec = this.#codec;
    let bytes = 0;
    const load = async (item: AudioItem): Promise<EncodedAudio> => {
      const encoded = await this.#options.audio.get(item, codec, signal);
      bytes += encoded.bytes.length;
      if (bytes > MOST_PLAY_BYTES) throw new AudioError(fault('audio_too_long', 'the prompt lasts more than an hour'));
      return encoded;
    };
    return Promise.all(audio.map(load));
  }

  #handOver({ playId, repeat }: PlayRequest, items: EncodedAudio[]): void {
    this.#plays.add(playId);
    this.#tell({ type: 'play', mediaId: this.mediaId, playId, items, repeat });
  }

  #stopLoading(): void {
    const loading = this.#loading;
    if (!loading) return;
    this.#loading = undefined;
    loading.abort.abort();
    const { playId } = loading;
    queueMicrotask(() => this.#emit({ type: 'play_ended', playId, reason: 'stopped', playedMs: 0 }));
  }

  #finishRecording(recorded: Recorded, lost?: Fault): void {
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

  #tell(command: WorkerCommand): void {
    this.#options.tell(command);
  }

  #emit(event: MediaEvent): void {
    if (this.#state !== 'closed') this.#options.onEvent(event);
  }
}

function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  const cause = error instanceof Error ? error.message : String(error);
  return fault('audio_failed', 'the audio could not be loaded', { cause });
}
