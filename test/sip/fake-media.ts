/** A media port without sound: keeps what it was told, answers as the contract says, one turn later. */
import type { AudioItem, LegQuality } from '../../src/core/leg.ts';
import type {
  DetectRequest,
  ListenRequest,
  MediaAddress,
  MediaEvent,
  MediaPort,
  MediaRemote,
  PlayRequest,
  RecordRequest,
  SendDigitsRequest,
  StreamRequest,
} from '../../src/telephony/media/media-port.ts';

interface FakeLeg {
  onEvent: (event: MediaEvent) => void;
  remotes: MediaRemote[];
  plays: PlayRequest[];
  records: RecordRequest[];
  digits: SendDigitsRequest[];
  /** All that has no field of its own, in order: `join room`, `hold 1`. */
  told: string[];
  near: string | undefined;
  open: boolean;
}

export class FakeMedia implements MediaPort {
  readonly legs = new Map<string, FakeLeg>();
  started = 0;
  stopped = 0;
  /** Set to make `open` fail. */
  full = false;
  host = '127.0.0.1';
  /** Told with `closed`. */
  quality: LegQuality | undefined;
  #nextPort = 20_000;

  async start(): Promise<void> {
    this.started++;
  }

  async stop(): Promise<void> {
    this.stopped++;
  }

  async open({ mediaId, onEvent, near }: Parameters<MediaPort['open']>[0]): Promise<MediaAddress> {
    await Promise.resolve();
    if (this.full) throw new Error('no port is free');
    this.legs.set(mediaId, { onEvent, remotes: [], plays: [], records: [], digits: [], told: [], near, open: true });
    this.#nextPort += 2;
    return { host: this.host, port: this.#nextPort };
  }

  connect(mediaId: string, remote: MediaRemote): void {
    this.legs.get(mediaId)?.remotes.push(remote);
  }

  play(mediaId: string, play: PlayRequest): void {
    this.legs.get(mediaId)?.plays.push(play);
  }

  stopPlay(mediaId: string, playId: string): void {
    this.tell(mediaId, { type: 'play_ended', playId, reason: 'stopped', playedMs: 0 });
  }

  record(mediaId: string, record: RecordRequest): void {
    this.legs.get(mediaId)?.records.push(record);
  }

  pauseRecord(mediaId: string, recordId: string, paused: boolean): void {
    this.#note(mediaId, `${paused ? 'pause' : 'resume'} ${recordId}`);
  }

  stopRecord(): void {}

  hold(mediaId: string, music: AudioItem[] | undefined): void {
    this.#note(mediaId, music ? `hold ${music.length}` : 'resume');
  }

  join(mediaId: string, mixId: string, muted: boolean): void {
    this.#note(mediaId, `join ${mixId}${muted ? ' muted' : ''}`);
  }

  leave(mediaId: string): void {
    this.#note(mediaId, 'leave');
  }

  mute(mediaId: string, muted: boolean): void {
    this.#note(mediaId, muted ? 'mute' : 'unmute');
  }

  stream(mediaId: string, { streamId, url }: StreamRequest): void {
    this.#note(mediaId, `stream ${streamId} ${url}`);
    this.tell(mediaId, { type: 'stream_started', streamId });
  }

  stopStream(mediaId: string, streamId: string): void {
    this.tell(mediaId, { type: 'stream_ended', streamId, reason: 'stopped' });
  }

  listen(mediaId: string, { listenId, language }: ListenRequest): void {
    this.#note(mediaId, `listen ${listenId} ${language}`);
  }

  stopListen(mediaId: string, listenId: string): void {
    this.tell(mediaId, { type: 'listen_ended', listenId, reason: 'stopped' });
  }

  detect(mediaId: string, { detectId, timeoutMs }: DetectRequest): void {
    this.#note(mediaId, `detect ${detectId} ${timeoutMs}`);
  }

  stopDetect(mediaId: string, detectId: string): void {
    this.tell(mediaId, { type: 'machine_detected', detectId, result: 'stopped', afterMs: 0 });
  }

  #note(mediaId: string, what: string): void {
    this.legs.get(mediaId)?.told.push(what);
  }

  pressed(mediaId: string, digit: string, durationMs: number): void {
    this.#note(mediaId, `pressed ${digit} ${durationMs}`);
    this.tell(mediaId, { type: 'digit', digit, durationMs });
  }

  sendDigits(mediaId: string, send: SendDigitsRequest): void {
    this.legs.get(mediaId)?.digits.push(send);
    this.tell(mediaId, { type: 'digits_sent', sendId: send.sendId });
  }

  close(mediaId: string): void {
    const leg = this.legs.get(mediaId);
    if (!leg?.open) return;
    leg.open = false;
    for (const { playId } of leg.plays) {
      queueMicrotask(() => leg.onEvent({ type: 'play_ended', playId, reason: 'stopped', playedMs: 0 }));
    }
    const { quality } = this;
    queueMicrotask(() => leg.onEvent(quality ? { type: 'closed', quality } : { type: 'closed' }));
  }

  /** An event of this leg, as from the far end's sound. */
  tell(mediaId: string, event: MediaEvent): void {
    const leg = this.legs.get(mediaId);
    if (leg) queueMicrotask(() => leg.onEvent(event));
  }

  /** The latest negotiated far side. */
  remote(mediaId: string): MediaRemote | undefined {
    return this.legs.get(mediaId)?.remotes.at(-1);
  }
}
