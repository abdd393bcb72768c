/** A media port without sound: keeps what it was told, answers as the contract says, one turn later. */
import type {
  MediaAddress,
  MediaEvent,
  MediaPort,
  MediaRemote,
  PlayRequest,
  RecordRequest,
  SendDigitsRequest,
} from '../../src/telephony/media/media-port.ts';

interface FakeLeg {
  onEvent: (event: MediaEvent) => void;
  remotes: MediaRemote[];
  plays: PlayRequest[];
  records: RecordRequest[];
  digits: SendDigitsRequest[];
  open: boolean;
}

export class FakeMedia implements MediaPort {
  readonly legs = new Map<string, FakeLeg>();
  started = 0;
  stopped = 0;
  /** Set to make `open` fail. */
  full = false;
  host = '127.0.0.1';
  #nextPort = 20_000;

  async start(): Promise<void> {
    this.started++;
  }

  async stop(): Promise<void> {
    this.stopped++;
  }

  async open({ mediaId, onEvent }: Parameters<MediaPort['open']>[0]): Promise<MediaAddress> {
    await Promise.resolve();
    if (this.full) throw new Error('no port is free');
    this.legs.set(mediaId, { onEvent, remotes: [], plays: [], records: [], digits: [], open: true });
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

  stopRecord(): void {}

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
    queueMicrotask(() => leg.onEvent({ type: 'closed' }));
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
