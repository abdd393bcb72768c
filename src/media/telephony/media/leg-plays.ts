/**
 * Prompts and hold music of one leg: loads and encodes them, passes them to the media thread whole or in chunks, and
 * keeps track of them until they are answered.
 */
import { type Fault, fault, faultIn } from '../../../base/core/fault.ts';
import type { AudioItem } from '../../../base/core/leg.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../audio.ts';
import type { AudioCache } from './audio-cache.ts';
import type { G711Codec, MediaCommandOf, MediaEvent } from './media-port.ts';
import type { EncodedAudio } from './playback.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

type PlayEnded = Extract<MediaEvent, { type: 'play_ended' }>;

export interface LegPlaysOptions {
  audio: AudioCache;
  /** Returns the current project of the leg. */
  projectId?: (() => string | undefined) | undefined;
  send(command: ThreadLegCommand): void;
  emit(event: PlayEnded): void;
  /** The music could not be loaded: the held party hears silence. */
  musicFailed(fault: Fault): void;
}

interface Loading {
  playId: string;
  abort: AbortController;
  /** True once the first chunk was sent, and the rest is added to the running play. */
  begun: boolean;
  bytes: number;
}

/** One hour: a play is held in memory. */
const MAX_PLAY_BYTES = 3600 * SAMPLE_RATE_HZ;

export class LegPlays {
  codec: G711Codec = 'PCMU';
  readonly #options: LegPlaysOptions;
  #loading: Loading | undefined;
  /** Plays sent to the thread and not answered yet. With a fault if a later chunk could not be loaded. */
  readonly #plays = new Map<string, Fault | undefined>();
  #music: AbortController | undefined;

  constructor(options: LegPlaysOptions) {
    this.#options = options;
  }

  play(play: MediaCommandOf<'play'>): void {
    this.stopLoading();
    for (const playId of this.#plays.keys()) this.#sendStop(playId);
    const loading = { playId: play.playId, abort: new AbortController(), begun: false, bytes: 0 };
    this.#loading = loading;
    if (play.audio.length === 0) this.#handOver(play, loading, [], true);
    else void this.#load(play, loading);
  }

  stop(playId: string): void {
    if (this.#loading?.playId === playId) this.stopLoading();
    this.#sendStop(playId);
  }

  /** Puts the leg on hold at once, silent until the music is loaded. */
  hold(music: readonly AudioItem[]): void {
    this.stopMusic();
    this.#options.send({ type: 'hold', items: [] });
    if (music.length === 0) return;
    this.#music = new AbortController();
    void this.#loadMusic(music, this.#music.signal);
  }

  stopMusic(): void {
    this.#music?.abort();
    this.#music = undefined;
  }

  /** Stops loading. A play that never reached the thread is answered after this call returns. */
  stopLoading(): void {
    const loading = this.#loading;
    this.#loading = undefined;
    if (!loading) return;
    loading.abort.abort();
    const { playId } = loading;
    if (loading.begun) return;
    queueMicrotask(() => this.#options.emit({ type: 'play_ended', playId, reason: 'stopped', playedMs: 0 }));
  }

  close(): void {
    this.stopLoading();
    this.stopMusic();
  }

  /** Converts the thread's answer into the event to report. */
  ended(event: PlayEnded): PlayEnded {
    const broken = this.#plays.get(event.playId);
    this.#plays.delete(event.playId);
    if (this.#loading?.playId === event.playId) this.stopLoading();
    return broken ? { ...event, reason: 'failed', fault: broken } : event;
  }

  /** Answers all plays in place of the thread. */
  lost(lost: Fault): void {
    for (const playId of this.#plays.keys()) {
      this.#options.emit({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, fault: lost });
    }
    this.#plays.clear();
  }

  async #load(play: MediaCommandOf<'play'>, loading: Loading): Promise<void> {
    const { signal } = loading.abort;
    try {
      if (this.#options.audio.inPieces) await this.#loadPieces(play, loading);
      else {
        const items = await Promise.all(play.audio.map((item) => this.#item(item, loading)));
        if (!signal.aborted) this.#handOver(play, loading, items, true);
      }
    } catch (error) {
      if (!signal.aborted) this.#failed(loading, faultOf(error));
    }
  }

  async #loadPieces(play: MediaCommandOf<'play'>, loading: Loading): Promise<void> {
    const { signal } = loading.abort;
    for (const item of play.audio) {
      for await (const piece of this.#options.audio.pieces(item, this.codec, signal, this.#projectId)) {
        if (signal.aborted) return;
        this.#bound(loading, piece);
        this.#handOver(play, loading, [piece], false);
      }
    }
    if (!signal.aborted) this.#handOver(play, loading, [], true);
  }

  async #item(item: AudioItem, loading: Loading): Promise<EncodedAudio> {
    const encoded = await this.#options.audio.get(item, this.codec, loading.abort.signal, this.#projectId);
    this.#bound(loading, encoded);
    return encoded;
  }

  #bound(loading: Loading, { bytes }: EncodedAudio): void {
    loading.bytes += bytes.length;
    if (loading.bytes <= MAX_PLAY_BYTES) return;
    throw new AudioError(fault('audio_too_long', 'the prompt lasts more than an hour'));
  }

  #handOver(play: MediaCommandOf<'play'>, loading: Loading, items: EncodedAudio[], complete: boolean): void {
    const { send } = this.#options;
    const { playId, repeat = false } = play;
    if (loading.begun) send({ type: 'play_more', playId, items, complete });
    else {
      this.#plays.set(playId, undefined);
      send({ type: 'play', playId, repeat, items, complete });
    }
    loading.begun = true;
    if (complete) this.#loading = undefined;
  }

  /** Other items that are loading for this play are not needed any more. */
  #failed(loading: Loading, broken: Fault): void {
    const { playId } = loading;
    loading.abort.abort();
    if (this.#loading === loading) this.#loading = undefined;
    if (!loading.begun) {
      this.#options.emit({ type: 'play_ended', playId, reason: 'failed', playedMs: 0, fault: broken });
    } else if (this.#plays.has(playId)) {
      this.#plays.set(playId, broken);
      this.#sendStop(playId);
    }
  }

  async #loadMusic(music: readonly AudioItem[], signal: AbortSignal): Promise<void> {
    const { audio, send, musicFailed } = this.#options;
    try {
      const items = await Promise.all(music.map((item) => audio.get(item, this.codec, signal, this.#projectId)));
      if (!signal.aborted) send({ type: 'hold', items });
    } catch (error) {
      if (!signal.aborted) musicFailed(faultOf(error));
    }
  }

  get #projectId(): string | undefined {
    return this.#options.projectId?.();
  }

  #sendStop(playId: string): void {
    if (this.#plays.has(playId)) this.#options.send({ type: 'stop_play', playId });
  }
}

function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  const cause = error instanceof Error ? error.message : String(error);
  return fault('audio_failed', 'the audio could not be loaded', { cause });
}
