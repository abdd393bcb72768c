/**
 * The media of this process: ports, threads and legs behind the `MediaPort`. The main thread loads and encodes prompts
 * and writes recordings (`media-leg.ts`); sockets and packets live in threads that do nothing else (`worker.ts`).
 * RTCP is neither sent nor read; its port is kept free.
 *
 * Invariants M1–M4 of the port; and
 *  M5 when a thread dies, its legs are answered and closed as if the network had failed, and the thread is replaced.
 */
import { isIP, SocketAddress } from 'node:net';
import type { AudioItem } from '../../core/leg.ts';
import type { Log } from '../../core/log.ts';
import type { AudioSource } from '../audio.ts';
import { AudioCache } from './audio-cache.ts';
import { shortFileLimit } from './file-limit.ts';
import type { LegCounts } from './leg-media.ts';
import { MediaLeg } from './media-leg.ts';
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
} from './media-port.ts';
import { MediaThread } from './media-thread.ts';
import { PortPool } from './port-pool.ts';
import type { WorkerEvent } from './worker-messages.ts';

export interface MediaOptions {
  /** The IP address RTP is received on and sent from. */
  host: string;
  portRange: readonly [first: number, last: number];
  threads: number;
  audio: AudioSource;
  log: Log;
  /** How much encoded audio is kept for the next play; 64 MB, over two hours, when absent. */
  cacheBytes?: number;
}

interface Lodging {
  thread: MediaThread;
  port: number;
}

interface Opening extends Lodging {
  /** Answers what the thread said: undefined when the socket is bound, else the error's code. */
  settle(refusal: string | undefined): void;
}

interface Housed extends Lodging {
  leg: MediaLeg;
}

const CACHE_BYTES = 64 * 1024 * 1024;
/** How many ports that others hold are passed over before giving up. */
const MAX_PORTS_TRIED = 50;

export function createMedia(options: MediaOptions): MediaPort {
  return new Media(options);
}

class Media implements MediaPort {
  readonly #options: MediaOptions;
  readonly #log: Log;
  readonly #family: number;
  readonly #ports: PortPool;
  readonly #audio: AudioCache;
  readonly #threads = new Set<MediaThread>();
  readonly #opening = new Map<string, Opening>();
  /** Closed before they were open. */
  readonly #abandoned = new Set<string>();
  readonly #legs = new Map<string, Housed>();
  #state: 'new' | 'running' | 'stopping' = 'new';
  #emptied: (() => void) | undefined;

  constructor(options: MediaOptions) {
    this.#family = isIP(options.host);
    if (this.#family === 0) throw new Error(`the media host has to be an IP address, not ${options.host}`);
    this.#options = options;
    this.#log = options.log;
    this.#ports = new PortPool(options.portRange);
    this.#audio = new AudioCache(options.audio, options.cacheBytes ?? CACHE_BYTES);
  }

  async start(): Promise<void> {
    const short = shortFileLimit(this.#ports.size);
    if (short) this.#log.warn('media.file_limit_low', { ...short, remedy: 'ulimit -n' });
    const threads = Math.max(1, Math.floor(this.#options.threads));
    await Promise.all(Array.from({ length: threads }, () => this.#startThread()));
    this.#state = 'running';
  }

  async stop(): Promise<void> {
    this.#state = 'stopping';
    for (const { leg } of this.#legs.values()) leg.close();
    if (this.#legs.size + this.#opening.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  async open(request: { mediaId: string; onEvent: (event: MediaEvent) => void }): Promise<MediaAddress> {
    const { mediaId, onEvent } = request;
    if (this.#opening.has(mediaId) || this.#legs.has(mediaId)) throw new Error(`media ${mediaId} is open already`);
    try {
      const lodging = await this.#boundLodging(mediaId);
      return this.#house(mediaId, lodging, onEvent);
    } finally {
      this.#abandoned.delete(mediaId);
    }
  }

  connect(mediaId: string, remote: MediaRemote): void {
    if (isIP(remote.host) !== this.#family || !(remote.port > 0 && remote.port < 65_536)) {
      this.#log.warn('media.remote_unusable', { mediaId, host: remote.host, port: remote.port });
      return;
    }
    // The form in which the system reports a packet's source.
    const family = this.#family === 6 ? 'ipv6' : 'ipv4';
    const host = new SocketAddress({ address: remote.host, family }).address;
    this.#legs.get(mediaId)?.leg.connect({ ...remote, host });
  }

  play(mediaId: string, play: PlayRequest): void {
    this.#legs.get(mediaId)?.leg.play(play);
  }

  stopPlay(mediaId: string, playId: string): void {
    this.#legs.get(mediaId)?.leg.stopPlay(playId);
  }

  record(mediaId: string, record: RecordRequest): void {
    this.#legs.get(mediaId)?.leg.record(record);
  }

  stopRecord(mediaId: string, recordId: string): void {
    this.#legs.get(mediaId)?.leg.stopRecord(recordId);
  }

  sendDigits(mediaId: string, send: SendDigitsRequest): void {
    this.#legs.get(mediaId)?.leg.sendDigits(send);
  }

  pauseRecord(mediaId: string, recordId: string, paused: boolean): void {
    this.#legs.get(mediaId)?.leg.pauseRecord(recordId, paused);
  }

  hold(_mediaId: string, _music: AudioItem[] | undefined): void {}

  join(_mediaId: string, _mixId: string, _muted: boolean): void {}

  leave(_mediaId: string): void {}

  mute(_mediaId: string, _muted: boolean): void {}

  stream(mediaId: string, stream: StreamRequest): void {
    this.#legs.get(mediaId)?.leg.stream(stream);
  }

  stopStream(_mediaId: string, _streamId: string): void {}

  listen(mediaId: string, listen: ListenRequest): void {
    this.#legs.get(mediaId)?.leg.listen(listen);
  }

  stopListen(_mediaId: string, _listenId: string): void {}

  detect(mediaId: string, detect: DetectRequest): void {
    this.#legs.get(mediaId)?.leg.detect(detect);
  }

  stopDetect(_mediaId: string, _detectId: string): void {}

  close(mediaId: string): void {
    if (this.#opening.has(mediaId)) this.#abandoned.add(mediaId);
    this.#legs.get(mediaId)?.leg.close();
  }

  async #startThread(): Promise<void> {
    const thread: MediaThread = await MediaThread.start({
      heard: (event) => this.#heard(event),
      died: (error) => this.#threadDied(thread, error),
    });
    this.#threads.add(thread);
  }

  /** A port, and the thread with the fewest legs. */
  #lodging(): Lodging {
    if (this.#state !== 'running') throw new Error('media is not running');
    let thread: MediaThread | undefined;
    for (const each of this.#threads) if (!thread || each.mediaIds.size < thread.mediaIds.size) thread = each;
    if (!thread) throw new Error('no media thread is left');
    const port = this.#ports.take();
    if (port === undefined) throw new Error('no RTP port is free');
    return { thread, port };
  }

  async #boundLodging(mediaId: string): Promise<Lodging> {
    for (let tried = 0; tried < MAX_PORTS_TRIED; tried++) {
      const lodging = this.#lodging();
      const refusal = await this.#bind(mediaId, lodging);
      if (refusal === undefined) return lodging;
      this.#opening.delete(mediaId);
      this.#vacate(mediaId, lodging);
      if (refusal !== 'EADDRINUSE' && refusal !== 'EACCES') throw new Error(`no RTP socket: ${refusal}`);
    }
    throw new Error('no RTP port is free');
  }

  #bind(mediaId: string, lodging: Lodging): Promise<string | undefined> {
    return new Promise((settle) => {
      this.#opening.set(mediaId, { ...lodging, settle });
      lodging.thread.mediaIds.add(mediaId);
      lodging.thread.tell({ type: 'open', mediaId, host: this.#options.host, port: lodging.port });
    });
  }

  #house(mediaId: string, lodging: Lodging, onEvent: (event: MediaEvent) => void): MediaAddress {
    const { thread, port } = lodging;
    const leg = new MediaLeg({ mediaId, audio: this.#audio, onEvent, tell: (command) => thread.tell(command) });
    this.#opening.delete(mediaId);
    this.#legs.set(mediaId, { leg, thread, port });
    if (this.#state === 'stopping' || this.#abandoned.has(mediaId)) leg.close();
    return { host: this.#options.host, port };
  }

  #heard(event: WorkerEvent): void {
    switch (event.type) {
      case 'opened':
        this.#opening.get(event.mediaId)?.settle(undefined);
        break;
      case 'refused':
        this.#opening.get(event.mediaId)?.settle(event.code);
        break;
      case 'leg':
        this.#legs.get(event.mediaId)?.leg.heard(event.event);
        break;
      case 'closed':
        this.#legClosed(event.mediaId, event.counts);
        break;
    }
  }

  #legClosed(mediaId: string, counts: LegCounts): void {
    const housed = this.#legs.get(mediaId);
    if (!housed) return;
    this.#log.debug('media.closed', { mediaId, ...counts });
    void housed.leg.settled().then(() => this.#leave(mediaId, housed));
  }

  /** The port is free before its leg says so. */
  #leave(mediaId: string, housed: Housed): void {
    this.#legs.delete(mediaId);
    this.#vacate(mediaId, housed);
    housed.leg.end();
  }

  #vacate(mediaId: string, { thread, port }: Lodging): void {
    thread.mediaIds.delete(mediaId);
    this.#ports.release(port);
    if (this.#legs.size + this.#opening.size === 0) this.#emptied?.();
  }

  #threadDied(thread: MediaThread, error: unknown): void {
    this.#log.error('media.thread_died', { legs: thread.mediaIds.size, error });
    this.#threads.delete(thread);
    for (const mediaId of thread.mediaIds) {
      this.#opening.get(mediaId)?.settle('ETHREAD');
      const housed = this.#legs.get(mediaId);
      if (housed) void housed.leg.broken().then(() => this.#leave(mediaId, housed));
    }
    if (this.#state !== 'running') return;
    this.#startThread().catch((reason) => this.#log.error('media.thread_not_started', { error: reason }));
  }
}
