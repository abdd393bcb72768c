/**
 * The media of this process: ports, threads and legs behind the `MediaPort`. The main thread loads and encodes prompts,
 * writes recordings, and talks to recognisers and receivers of streams (`media-leg.ts`); sockets, packets and mixes live in
 * threads that do nothing else (`worker.ts`). Legs of one mix may live in several of them.
 *
 * Invariants M1–M4 of the port; and
 *  M5 when a thread dies, its legs are answered and closed as if the network had failed, and the thread is replaced.
 */
import { isIP, type LookupFunction, SocketAddress } from 'node:net';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { AudioItem, LegQuality } from '../../core/leg.ts';
import type { Log } from '../../core/log.ts';
import type { AudioSource } from '../audio.ts';
import type { Recognizer } from '../recognition.ts';
import { canReach } from '../wildcard.ts';
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
import { MixDirectory } from './mix-directory.ts';
import { PortPool } from './port-pool.ts';
import type { ThreadLegCommand, WorkerEvent } from './worker-messages.ts';

export interface MediaOptions {
  /** The IP address RTP is received on and sent from. */
  host: string;
  portRange: readonly [first: number, last: number];
  threads: number;
  audio: AudioSource;
  log: Log;
  /** What the names of recordings' files start from; the directory of the process when absent. */
  recordDirectory?: string;
  /** Who understands what parties say; absent, listening fails. */
  recognizer?: Recognizer;
  /** Resolves the hosts of streams, and refuses those that must not be reached. */
  streamLookup?: (url: string) => LookupFunction;
  clock?: Clock;
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

type OpenRequest = Parameters<MediaPort['open']>[0];

/** How many legs more than the others a thread may have before company counts less than balance. */
const NEAR_SURPLUS = 50;
/** RTP and RTCP. */
const SOCKETS_PER_LEG = 2;
const CACHE_BYTES = 64 * 1024 * 1024;
/** How many ports that others hold are passed over before giving up. */
const MAX_PORTS_TRIED = 50;

export function createMedia(options: MediaOptions): MediaPort {
  return new Media(options);
}

class Media implements MediaPort {
  readonly #options: MediaOptions;
  readonly #log: Log;
  readonly #ports: PortPool;
  readonly #audio: AudioCache;
  readonly #threads = new Set<MediaThread>();
  readonly #opening = new Map<string, Opening>();
  /** Closed before they were open. */
  readonly #abandoned = new Set<string>();
  readonly #legs = new Map<string, Housed>();
  readonly #mixes = new MixDirectory<MediaThread>((thread, mixId, peers) =>
    thread.send({ type: 'mix_peers', mixId, peers }),
  );
  #threadsStarted = 0;
  #state: 'new' | 'running' | 'stopping' = 'new';
  #emptied: (() => void) | undefined;

  constructor(options: MediaOptions) {
    if (isIP(options.host) === 0) throw new Error(`the media host has to be an IP address, not ${options.host}`);
    this.#options = options;
    this.#log = options.log;
    this.#ports = new PortPool(options.portRange);
    this.#audio = new AudioCache(options.audio, options.cacheBytes ?? CACHE_BYTES);
  }

  async start(): Promise<void> {
    const short = shortFileLimit(SOCKETS_PER_LEG * this.#ports.size);
    if (short) this.#log.warn('media.file_limit_low', { ...short, remedy: 'ulimit -n' });
    const threads = Math.max(1, Math.floor(this.#options.threads));
    await Promise.all(Array.from({ length: threads }, () => this.#startThread()));
    this.#state = 'running';
  }

  async stop(): Promise<void> {
    this.#state = 'stopping';
    for (const mediaId of this.#legs.keys()) this.close(mediaId);
    if (this.#legs.size + this.#opening.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
    this.#threads.clear();
  }

  async open(request: OpenRequest): Promise<MediaAddress> {
    const { mediaId, onEvent, near } = request;
    if (this.#opening.has(mediaId) || this.#legs.has(mediaId)) throw new Error(`media ${mediaId} is open already`);
    try {
      const lodging = await this.#boundLodging(mediaId, near);
      return this.#house(mediaId, lodging, onEvent);
    } finally {
      this.#abandoned.delete(mediaId);
    }
  }

  connect(mediaId: string, remote: MediaRemote): void {
    const { host } = this.#options;
    if (!canReach(host, remote.host) || !(remote.port > 0 && remote.port < 65_536)) {
      this.#log.warn('media.remote_unusable', { mediaId, host: remote.host, port: remote.port });
      return;
    }
    // The form in which the system reports a packet's source.
    const shown = (address: string): string =>
      new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
    const { otherHost, ...negotiated } = remote;
    const other = otherHost !== undefined && canReach(host, otherHost) ? { otherHost: shown(otherHost) } : {};
    this.#open(mediaId)?.leg.connect({ ...negotiated, host: shown(remote.host), ...other });
  }

  play(mediaId: string, play: PlayRequest): void {
    this.#open(mediaId)?.leg.play(play);
  }

  stopPlay(mediaId: string, playId: string): void {
    this.#open(mediaId)?.leg.stopPlay(playId);
  }

  record(mediaId: string, record: RecordRequest): void {
    this.#open(mediaId)?.leg.record(record);
  }

  pauseRecord(mediaId: string, recordId: string, paused: boolean): void {
    this.#pass({ type: 'pause_record', mediaId, recordId, paused });
  }

  stopRecord(mediaId: string, recordId: string): void {
    this.#pass({ type: 'stop_record', mediaId, recordId });
  }

  sendDigits(mediaId: string, send: SendDigitsRequest): void {
    this.#open(mediaId)?.leg.sendDigits(send);
  }

  pressed(mediaId: string, digit: string, durationMs: number): void {
    this.#pass({ type: 'pressed', mediaId, digit, durationMs });
  }

  hold(mediaId: string, music: AudioItem[] | undefined): void {
    this.#open(mediaId)?.leg.hold(music);
  }

  join(mediaId: string, mixId: string, muted: boolean): void {
    const housed = this.#open(mediaId);
    if (!housed) return;
    this.#pass({ type: 'join', mediaId, mixId, muted });
    this.#mixes.join({ mediaId, thread: housed.thread }, mixId);
  }

  leave(mediaId: string): void {
    this.#pass({ type: 'leave', mediaId });
    this.#mixes.leave(mediaId);
  }

  mute(mediaId: string, muted: boolean): void {
    this.#pass({ type: 'mute', mediaId, muted });
  }

  stream(mediaId: string, stream: StreamRequest): void {
    this.#open(mediaId)?.leg.stream(stream);
  }

  stopStream(mediaId: string, streamId: string): void {
    this.#open(mediaId)?.leg.stopStream(streamId);
  }

  listen(mediaId: string, listen: ListenRequest): void {
    this.#open(mediaId)?.leg.listen(listen);
  }

  stopListen(mediaId: string, listenId: string): void {
    this.#open(mediaId)?.leg.stopListen(listenId);
  }

  detect(mediaId: string, detect: DetectRequest): void {
    this.#open(mediaId)?.leg.detect(detect);
  }

  stopDetect(mediaId: string, detectId: string): void {
    this.#pass({ type: 'stop_detect', mediaId, detectId });
  }

  close(mediaId: string): void {
    if (this.#opening.has(mediaId)) this.#abandoned.add(mediaId);
    const leg = this.#open(mediaId)?.leg;
    leg?.close();
    if (leg) this.#mixes.leave(mediaId);
  }

  /** A leg that takes commands. */
  #open(mediaId: string): Housed | undefined {
    const housed = this.#legs.get(mediaId);
    return housed?.leg.isOpen ? housed : undefined;
  }

  #pass(command: ThreadLegCommand): void {
    this.#open(command.mediaId)?.leg.pass(command);
  }

  async #startThread(): Promise<void> {
    const thread: MediaThread = await MediaThread.start(++this.#threadsStarted, {
      receive: (event) => this.#heard(event),
      died: (error) => this.#threadDied(thread, error),
    });
    if (this.#state === 'stopping') {
      await thread.stop();
      return;
    }
    for (const other of this.#threads) MediaThread.connect(thread, other);
    this.#threads.add(thread);
  }

  /** A port, and the thread with the fewest legs, or that of `near` while it has not many more. */
  #lodging(near: string | undefined): Lodging {
    if (this.#state !== 'running') throw new Error('media is not running');
    let thread: MediaThread | undefined;
    for (const each of this.#threads) if (!thread || each.mediaIds.size < thread.mediaIds.size) thread = each;
    if (!thread) throw new Error('no media thread is left');
    const wanted = near === undefined ? undefined : this.#legs.get(near)?.thread;
    const hasRoom = wanted !== undefined && wanted.mediaIds.size <= thread.mediaIds.size + NEAR_SURPLUS;
    if (hasRoom && this.#threads.has(wanted)) thread = wanted;
    const port = this.#ports.take();
    if (port === undefined) throw new Error('no RTP port is free');
    return { thread, port };
  }

  async #boundLodging(mediaId: string, near: string | undefined): Promise<Lodging> {
    for (let tried = 0; tried < MAX_PORTS_TRIED; tried++) {
      const lodging = this.#lodging(near);
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
      lodging.thread.send({ type: 'open', mediaId, host: this.#options.host, port: lodging.port });
    });
  }

  #house(mediaId: string, lodging: Lodging, onEvent: (event: MediaEvent) => void): MediaAddress {
    const { thread, port } = lodging;
    const { clock = systemClock, recognizer, streamLookup, recordDirectory = '' } = this.#options;
    const leg = new MediaLeg({
      mediaId,
      audio: this.#audio,
      clock,
      recognizer,
      lookup: streamLookup,
      onEvent,
      send: (command) => thread.send(command),
      warn: (event, fields) => this.#log.warn(event, fields),
      recordDirectory,
    });
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
        this.#legs.get(event.mediaId)?.leg.receive(event.event);
        break;
      case 'closed':
        this.#legClosed(event.mediaId, event.counts, event.quality);
        break;
    }
  }

  #legClosed(mediaId: string, counts: LegCounts, quality: LegQuality | undefined): void {
    const housed = this.#legs.get(mediaId);
    if (!housed) return;
    this.#log.debug('media.closed', { mediaId, ...counts });
    void housed.leg.settled().then(() => this.#vacateLeg(mediaId, housed, quality));
  }

  /** The port is free before its leg says so. */
  #vacateLeg(mediaId: string, housed: Housed, quality?: LegQuality): void {
    this.#legs.delete(mediaId);
    this.#vacate(mediaId, housed);
    housed.leg.end(quality);
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
      if (!housed) continue;
      this.#mixes.leave(mediaId);
      void housed.leg.threadDied().then(() => this.#vacateLeg(mediaId, housed));
    }
    if (this.#state !== 'running') return;
    this.#startThread().catch((reason) => this.#log.error('media.thread_not_started', { error: reason }));
  }
}
