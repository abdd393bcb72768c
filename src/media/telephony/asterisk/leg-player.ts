/**
 * Playback on one channel: one prompt at a time, and hold music below it. Asterisk queues a second play after the
 * first, so that a play is stopped before the next is sent, and none is sent twice: its id consists of the leg, the
 * play and a round.
 *
 * Invariant: every play is answered once, by `end` at the latest.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault, faultIn } from '../../../base/core/fault.ts';
import { isObject } from '../../../base/core/json.ts';
import type { AudioItem, LegCommand, LegEvent } from '../../../base/core/leg.ts';
import { type AriReply, type AriRequest, ariPath } from './ari-client.ts';
import type { Accept, CommandWatermark } from './command-watermark.ts';
import type { SoundFile, SoundFiles } from './sound-files.ts';

export interface LegPlayerParts {
  legId: string;
  request: AriRequest;
  watermark: CommandWatermark;
  sounds: SoundFiles;
  clock: Clock;
  emit(event: LegEvent): void;
  /** Events of playbacks arrive at the engine, which finds the leg by their id. */
  claim(playbackId: string): void;
  release(playbackId: string): void;
}

type Play = Extract<LegCommand, { type: 'play' }>;
type Hold = Extract<LegCommand, { type: 'hold' }>;

/** A short sound that repeats is sent many times in one request, to avoid gaps. */
const ROUND_MS = 20_000;
const MAX_PER_ROUND = 50;
const FAILURE_MS = 300;
/** Number of different ids of a leg's playbacks; when one is reused, its earlier playback has ended. */
const ROUNDS = 8;

const ACCEPTED: Accept = () => Promise.resolve();

interface Sounding {
  /** Undefined: music. */
  playId: string | undefined;
  repeat: boolean;
  audio: AudioItem[];
  loading: AbortController;
  files?: SoundFile[];
  playbackId?: string;
  /** Time since which Asterisk plays it. */
  sinceMs?: number;
  /** Duration of completed rounds. */
  playedMs: number;
  state: 'waiting' | 'loading' | 'sent' | 'paused' | 'over';
  /** Asterisk has the playback, or it is not wanted any more. */
  accept: Accept;
  /** Duration of this round. */
  roundMs: number;
}

export class LegPlayer {
  readonly #parts: LegPlayerParts;
  #play: Sounding | undefined;
  #music: Sounding | undefined;
  #isOpen = false;
  #isOver = false;
  #rounds = 0;
  #idle: (() => void)[] = [];

  constructor(parts: LegPlayerParts) {
    this.#parts = parts;
  }

  /** Resolves when no prompt is played, or the leg ends. */
  whenIdle(): Promise<void> {
    if (!this.#play || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Starts playback to the party. */
  open(): void {
    if (this.#isOpen || this.#isOver) return;
    this.#isOpen = true;
    const next = this.#play ?? this.#music;
    if (next) this.#start(next);
  }

  play({ playId, audio, repeat = false }: Play, accept: Accept): void {
    if (this.#isOver || this.#play?.playId === playId) return void accept();
    if (this.#play) this.#finish(this.#play, 'stopped');
    if (this.#music) this.#silence(this.#music);
    this.#play = sounding(playId, audio, repeat, accept);
    if (this.#isOpen) this.#start(this.#play);
  }

  stop(playId: string, accept: Accept): void {
    if (this.#play?.playId === playId) this.#finish(this.#play, 'stopped');
    void accept();
  }

  /** Stops the sound, and returns a function that resumes it at its position. */
  pause(): () => void {
    const paused = this.#play;
    const { files, state, roundMs } = paused ?? {};
    if (!paused || !files || state !== 'sent' || this.#isOver) return () => undefined;
    const heardMs = Math.min(roundMs ?? 0, this.#sinceStart(paused));
    paused.state = 'paused';
    delete paused.sinceMs;
    if (paused.playbackId !== undefined) void this.#stop(paused.playbackId);
    return () => {
      if (paused !== this.#play || paused.state !== 'paused') return;
      paused.playedMs += heardMs;
      void this.#send(paused, paused.repeat ? 0 : heardMs);
    };
  }

  /** Sets the music that is repeated while no prompt is played; undefined: none. */
  setMusic(music: AudioItem[] | undefined, accept = ACCEPTED): void {
    if (this.#isOver) return;
    if (this.#music && isSame(this.#music.audio, music)) return void accept();
    if (this.#music) this.#silence(this.#music);
    this.#music = music && music.length > 0 ? sounding(undefined, music, true, accept) : undefined;
    if (this.#music && this.#isOpen && !this.#play) this.#start(this.#music);
    else void accept();
  }

  /**
   * Returns the playback of this leg with this id (none: music) that Asterisk plays. Rejects without an answer of
   * Asterisk.
   */
  async playing(playId: string | undefined): Promise<string | undefined> {
    const { legId, request } = this.#parts;
    const playbackIds = Array.from({ length: ROUNDS }, (_, round) => nameOf(legId, playId, round));
    const replies = await Promise.all(
      playbackIds.map((playbackId) => request('GET', ariPath('playbacks', playbackId))),
    );
    const silent = replies.find(({ status }) => status !== 200 && status !== 404);
    if (silent) throw new Error(`Asterisk does not say what it plays of ${legId}: status ${silent.status}`);
    const round = replies.findIndex((reply) => !isPlayed(reply));
    this.#rounds = Math.max(this.#rounds, round);
    return playbackIds[round];
  }

  /** Continues a play of another node, before `open`; without `playbackId` it is started again. */
  takeUp(command: Play | Hold, playbackId: string | undefined): void {
    const taken =
      command.type === 'play'
        ? sounding(command.playId, command.audio, command.repeat ?? false, ACCEPTED)
        : sounding(undefined, command.music, true, ACCEPTED);
    if (command.type === 'play') this.#play = taken;
    else this.#music = taken;
    if (playbackId === undefined) return;
    this.#isOpen = true;
    taken.state = 'sent';
    taken.playbackId = playbackId;
    this.#parts.claim(playbackId);
    this.#parts.watermark.block(true);
  }

  started(playbackId: string): void {
    const sounding = this.#byPlayback(playbackId);
    if (sounding) sounding.sinceMs ??= this.#parts.clock.monotonicMs();
  }

  finished(playbackId: string, isFailed: boolean): void {
    this.#parts.release(playbackId);
    const sounding = this.#byPlayback(playbackId);
    if (sounding?.state !== 'sent') return;
    if (isFailed) {
      // The playbacks of a channel that is being hung up fail before the channel is gone.
      this.#parts.clock.after(FAILURE_MS, () => {
        if (sounding.playbackId !== playbackId || sounding.state !== 'sent') return;
        this.#fail(sounding, fault('play_failed', 'Asterisk could not play the sound'));
      });
      return;
    }
    sounding.playedMs += sounding.roundMs;
    delete sounding.sinceMs;
    // A playback that another node started was not loaded here.
    if (sounding.repeat && !sounding.files) this.#start(sounding);
    else if (sounding.repeat) void this.#send(sounding);
    else this.#finish(sounding, 'finished');
  }

  /** After a loss of events: a playback that does not exist any more has ended. */
  async check(): Promise<void> {
    for (const sounding of [this.#play, this.#music]) {
      const playbackId = sounding?.state === 'sent' ? sounding.playbackId : undefined;
      if (playbackId === undefined) continue;
      const reply = await this.#parts.request('GET', ariPath('playbacks', playbackId));
      if (isPlayed(reply)) this.finished(playbackId, false);
    }
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#play) this.#finish(this.#play, 'stopped');
    this.#isOver = true;
    if (this.#music) this.#silence(this.#music);
    this.#music = undefined;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Another node has adopted the leg: playbacks are not stopped, and no event is emitted. */
  forget(): void {
    this.#isOver = true;
    for (const sounding of [this.#play, this.#music]) {
      sounding?.loading.abort();
      if (sounding) sounding.state = 'over';
      if (sounding?.playbackId !== undefined) this.#parts.release(sounding.playbackId);
    }
    this.#play = undefined;
    this.#music = undefined;
  }

  #byPlayback(playbackId: string): Sounding | undefined {
    return [this.#play, this.#music].find((sounding) => sounding?.playbackId === playbackId);
  }

  #start(sounding: Sounding): void {
    sounding.loading = new AbortController();
    sounding.state = 'loading';
    sounding.playedMs = 0;
    void this.#load(sounding, sounding.loading.signal);
  }

  async #load(sounding: Sounding, signal: AbortSignal): Promise<void> {
    const files: SoundFile[] = [];
    try {
      for (const item of sounding.audio) {
        const file = await this.#parts.sounds.of(item, this.#parts.legId, signal);
        if (file) files.push(file);
        if (signal.aborted) break;
      }
    } catch (error) {
      const found = faultIn(error) ?? fault('play_failed', 'the sound could not be made', { cause: String(error) });
      if (!signal.aborted) this.#fail(sounding, found);
      return this.#forget(files);
    }
    if (signal.aborted) return this.#forget(files);
    sounding.files = files;
    if (files.length === 0) this.#finish(sounding, 'finished');
    else await this.#send(sounding);
  }

  /** Sends the sound, without the first `skipMs`. */
  async #send(sounding: Sounding, skipMs = 0): Promise<void> {
    const { legId, request, watermark, claim, release } = this.#parts;
    let files = sounding.files ?? [];
    let offsetMs = skipMs;
    while (files[0] && offsetMs >= files[0].durationMs) {
      offsetMs -= files[0].durationMs;
      files = files.slice(1);
    }
    if (files.length === 0) return this.#finish(sounding, 'finished');
    const onceMs = files.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const times = sounding.repeat ? Math.min(MAX_PER_ROUND, Math.max(1, Math.ceil(ROUND_MS / onceMs))) : 1;
    this.#rounds = (this.#rounds + 1) % ROUNDS;
    const playbackId = nameOf(legId, sounding.playId, this.#rounds);
    sounding.playbackId = playbackId;
    sounding.roundMs = onceMs * times - offsetMs;
    sounding.state = 'sent';
    claim(playbackId);
    // A node that adopts the leg checks whether it is played, and never plays it again.
    await sounding.accept();
    if (sounding.state !== 'sent' || sounding.playbackId !== playbackId) return release(playbackId);
    watermark.block(true);
    const { status } = await request('POST', ariPath('channels', legId, 'play', playbackId), {
      media: Array.from({ length: times }, () => files.map(({ media }) => media)).flat(),
      ...(offsetMs > 0 ? { offsetms: Math.round(offsetMs) } : {}),
    });
    if (status === 201) {
      // It was stopped while the request was in flight.
      if (sounding.state !== 'sent' || sounding.playbackId !== playbackId) await this.#stop(playbackId);
      return;
    }
    release(playbackId);
    // A channel that has ended ends its plays.
    if (status === 404 || sounding.state !== 'sent') return;
    this.#fail(sounding, fault('play_failed', 'Asterisk refused to play the sound', { cause: `status ${status}` }));
  }

  #fail(sounding: Sounding, why: Fault): void {
    if (sounding === this.#music) {
      sounding.state = 'over';
      void sounding.accept();
    } else this.#finish(sounding, 'failed', why);
  }

  #finish(sounding: Sounding, reason: 'finished' | 'stopped' | 'failed', why?: Fault): void {
    if (sounding !== this.#play || sounding.playId === undefined) return;
    const heardMs = Math.min(sounding.roundMs, this.#sinceStart(sounding));
    this.#silence(sounding);
    this.#play = undefined;
    const playedMs = reason === 'failed' ? 0 : Math.round(sounding.playedMs + (reason === 'stopped' ? heardMs : 0));
    this.#parts.emit({
      ...{ type: 'play_ended', playId: sounding.playId, reason, playedMs },
      ...(why ? { fault: why } : {}),
    });
    for (const resolve of this.#idle.splice(0)) resolve();
    if (this.#music && this.#isOpen && !this.#isOver) this.#start(this.#music);
  }

  #sinceStart({ sinceMs }: Sounding): number {
    return sinceMs === undefined ? 0 : this.#parts.clock.monotonicMs() - sinceMs;
  }

  /** Stops the sound without an event. */
  #silence(sounding: Sounding): void {
    const { playbackId, state, files } = sounding;
    sounding.loading.abort();
    sounding.state = 'over';
    if (state === 'sent' && playbackId !== undefined) void this.#stop(playbackId);
    this.#parts.watermark.block(false);
    if (files) this.#forget(files);
    delete sounding.sinceMs;
    void sounding.accept();
  }

  async #stop(playbackId: string): Promise<void> {
    if (!this.#isOver) await this.#parts.request('DELETE', ariPath('playbacks', playbackId));
    this.#parts.release(playbackId);
  }

  #forget(files: readonly SoundFile[]): void {
    for (const file of files) void this.#parts.sounds.forget(file);
  }
}

/** Asterisk keeps a playback for a moment after it has reported its end. */
const isPlayed = ({ status, body }: AriReply): boolean =>
  status === 404 || (isObject(body) && (body['state'] === 'done' || body['state'] === 'failed'));

const isSame = (one: AudioItem[], other: AudioItem[] | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const nameOf = (legId: string, playId: string | undefined, round: number): string =>
  `${legId}.${playId ?? 'music'}.${round}`;

const sounding = (playId: string | undefined, audio: AudioItem[], repeat: boolean, accept: Accept): Sounding => ({
  ...{ playId, audio, repeat, accept, loading: new AbortController() },
  ...{ playedMs: 0, roundMs: 0, state: 'waiting' },
});
