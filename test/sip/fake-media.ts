/** A media port without audio: keeps its commands, and answers as the contract says, one turn later. */
import type { LegQuality } from '../../src/base/core/leg.ts';
import type {
  MediaAddress,
  MediaCommandOf,
  MediaEvent,
  MediaPort,
  MediaPortCommand,
  MediaRemote,
} from '../../src/media/telephony/media/media-port.ts';

interface FakeLeg {
  onEvent: (event: MediaEvent) => void;
  remotes: MediaRemote[];
  plays: MediaCommandOf<'play'>[];
  records: MediaCommandOf<'record'>[];
  digits: MediaCommandOf<'send_digits'>[];
  /** All other commands, in order: `join room`, `hold 1`. */
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
  /** Sent with `closed`. */
  quality: LegQuality | undefined;
  #nextPort = 20_000;

  projectOf: ((mediaId: string) => string | undefined) | undefined;

  async start(projectOf?: (mediaId: string) => string | undefined): Promise<void> {
    this.projectOf = projectOf;
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

  send(mediaId: string, command: MediaPortCommand): void {
    const leg = this.legs.get(mediaId);
    if (!leg) return;
    switch (command.type) {
      case 'connect':
        leg.remotes.push(command.remote);
        break;
      case 'play':
        leg.plays.push(command);
        break;
      case 'stop_play':
        this.tell(mediaId, { type: 'play_ended', playId: command.playId, reason: 'stopped', playedMs: 0 });
        break;
      case 'record':
        leg.records.push(command);
        break;
      case 'stop_record':
        break;
      case 'send_digits':
        leg.digits.push(command);
        this.tell(mediaId, { type: 'digits_sent', sendId: command.sendId });
        break;
      case 'stop_stream':
        this.tell(mediaId, { type: 'stream_ended', streamId: command.streamId, reason: 'stopped' });
        break;
      case 'stop_listen':
        this.tell(mediaId, { type: 'listen_ended', listenId: command.listenId, reason: 'stopped' });
        break;
      case 'stop_detect':
        this.tell(mediaId, { type: 'machine_detected', detectId: command.detectId, result: 'stopped', afterMs: 0 });
        break;
      case 'close':
        this.#close(leg);
        break;
      default:
        leg.told.push(wordsFor(command));
        if (command.type === 'stream') this.tell(mediaId, { type: 'stream_started', streamId: command.streamId });
        if (command.type === 'signalled_digit') this.tell(mediaId, { ...command, type: 'digit' });
    }
  }

  #close(leg: FakeLeg): void {
    if (!leg.open) return;
    leg.open = false;
    for (const { playId } of leg.plays) {
      queueMicrotask(() => leg.onEvent({ type: 'play_ended', playId, reason: 'stopped', playedMs: 0 }));
    }
    const { quality } = this;
    queueMicrotask(() => leg.onEvent(quality ? { type: 'closed', quality } : { type: 'closed' }));
  }

  /** Emits an event of this leg, as from the far end's audio. */
  tell(mediaId: string, event: MediaEvent): void {
    const leg = this.legs.get(mediaId);
    if (leg) queueMicrotask(() => leg.onEvent(event));
  }

  /** The latest negotiated far side. */
  remote(mediaId: string): MediaRemote | undefined {
    return this.legs.get(mediaId)?.remotes.at(-1);
  }
}

function wordsFor(command: MediaPortCommand): string {
  switch (command.type) {
    case 'pause_record':
      return `${command.paused ? 'pause' : 'resume'} ${command.recordId}`;
    case 'hold':
      return `hold ${command.music.length}`;
    case 'join':
      return `join ${command.mixId}${command.muted ? ' muted' : ''}`;
    case 'mute':
      return command.muted ? 'mute' : 'unmute';
    case 'stream':
      return `stream ${command.streamId} ${command.url}`;
    case 'listen':
      return `listen ${command.listenId} ${command.language}`;
    case 'detect_machine':
      return `detect ${command.detectId} ${command.timeoutMs}`;
    case 'signalled_digit':
      return `pressed ${command.digit} ${command.durationMs}`;
    default:
      return command.type;
  }
}
