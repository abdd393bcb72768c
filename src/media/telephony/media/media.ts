/**
 * `MediaPort` of this process: ports, threads and legs. The main thread loads and encodes prompts, writes recordings,
 * and connects recognisers and stream receivers (`media-leg.ts`); sockets, packets and mixes are in media threads
 * (`worker.ts`). The legs of one mix may be in several threads.
 *
 * Invariants M1–M4 of the port; and
 *  - when a thread dies, its legs are answered and closed as if the network had failed, and the thread is replaced.
 */
import { isIP, type LookupFunction, SocketAddress } from 'node:net';
import type { ConfiguredAgent } from '../../../base/core/assistant.ts';
import { type Clock, systemClock } from '../../../base/core/clock.ts';
import type { FigureSource } from '../../../base/core/figures.ts';
import type { LegQuality } from '../../../base/core/leg.ts';
import type { Log } from '../../../base/core/log.ts';
import type { MixAddress, MixFarEnd } from '../../toolbox/audio/mix-frame.ts';
import type { AudioSource } from '../audio.ts';
import type { MixLinks } from '../mix-links.ts';
import type { Recognizer } from '../recognition.ts';
import { canReach } from '../wildcard.ts';
import { AudioCache } from './audio-cache.ts';
import type { RtpSockets } from './datagrams.ts';
import { shortFileLimit } from './file-limit.ts';
import { mediaFigures } from './media-figures.ts';
import { MediaLeg } from './media-leg.ts';
import type { MediaAddress, MediaEvent, MediaPort, MediaPortCommand, MediaRemote, MixAccess } from './media-port.ts';
import { MediaThread, type MediaThreadHost } from './media-thread.ts';
import { MixDirectory } from './mix-directory.ts';
import { OpenMixes } from './open-mixes.ts';
import { PortPool } from './port-pool.ts';
import type { LegCounts } from './thread-figures.ts';
import type { ThreadLegCommand } from './worker-messages.ts';

export interface MediaOptions {
  /** IP address on which RTP is received and from which it is sent. */
  host: string;
  portRange: readonly [first: number, last: number];
  threads: number;
  /** Default: `auto`. */
  sockets?: RtpSockets;
  audio: AudioSource;
  log: Log;
  /** Base directory for the names of recordings; default: the working directory of the process. */
  recordDirectory?: string;
  /** Speech recognition; without it, `listen` fails. */
  recognizer?: Recognizer;
  /** Resolves the hosts of streams, and refuses forbidden addresses. */
  streamLookup?: (url: string) => LookupFunction;
  /** Returns the currently configured AI agents. */
  agents?: () => readonly ConfiguredAgent[];
  clock?: Clock;
  /** Size of the cache for encoded audio; default: 64 MB, over two hours. */
  cacheBytes?: number;
}

interface Allocation {
  thread: MediaThread;
  port: number;
}

interface PendingAllocation extends Allocation {
  /** Handles the thread's answer: undefined if the socket is bound, else the error's code. */
  settle(refusal: string | undefined): void;
}

interface PlacedLeg extends Allocation {
  leg: MediaLeg;
}

type OpenRequest = Parameters<MediaPort['open']>[0];

/** Maximum surplus of legs over the least busy thread at which the thread of `near` is still chosen. */
const NEAR_SURPLUS = 50;
/** RTP and RTCP. */
const SOCKETS_PER_LEG = 2;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Number of occupied ports that are skipped before giving up. */
const MAX_PORTS_TRIED = 50;

export function createMedia(
  options: MediaOptions,
): MediaPort & MixAccess & MixLinks & { readonly figures: FigureSource } {
  return new Media(options);
}

class Media implements MediaPort, MixAccess, MixLinks {
  readonly #options: MediaOptions;
  readonly #log: Log;
  readonly #ports: PortPool;
  readonly #audio: AudioCache;
  readonly #threads = new Set<MediaThread>();
  readonly figures: FigureSource;
  readonly #opening = new Map<string, PendingAllocation>();
  /** Legs that were closed before they were open. */
  readonly #abandoned = new Set<string>();
  readonly #legs = new Map<string, PlacedLeg>();
  readonly #mixes = new MixDirectory<MediaThread>((thread, mixId, peers) =>
    thread.send({ type: 'mix_peers', mixId, peers }),
  );
  readonly #openMixes = new OpenMixes(this.#mixes, () => this.#leastBusy);
  /** Legs whose talking is reported. */
  readonly #watched = new Map<string, (isTalking: boolean) => void>();
  #projectOf: ((mediaId: string) => string | undefined) | undefined;
  #threadsStarted = 0;
  #state: 'new' | 'running' | 'stopping' = 'new';
  #emptied: (() => void) | undefined;

  constructor(options: MediaOptions) {
    if (isIP(options.host) === 0) throw new Error(`the media host has to be an IP address, not ${options.host}`);
    this.#options = options;
    this.#log = options.log;
    this.#ports = new PortPool(options.portRange);
    this.figures = mediaFigures(this.#threads, this.#ports);
    this.#audio = new AudioCache(options.audio, options.cacheBytes ?? CACHE_BYTES);
  }

  async start(projectOf?: (mediaId: string) => string | undefined): Promise<void> {
    this.#projectOf = projectOf;
    const short = shortFileLimit(SOCKETS_PER_LEG * this.#ports.size);
    if (short) this.#log.warn('media.file_limit_low', { ...short, remedy: 'ulimit -n' });
    const threads = Math.max(1, Math.floor(this.#options.threads));
    await Promise.all(Array.from({ length: threads }, () => this.#startThread()));
    this.#state = 'running';
  }

  async stop(): Promise<void> {
    this.#state = 'stopping';
    for (const mediaId of this.#legs.keys()) this.send(mediaId, { type: 'close' });
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
      const allocation = await this.#boundAllocation(mediaId, near);
      return this.#place(mediaId, allocation, onEvent);
    } finally {
      this.#abandoned.delete(mediaId);
    }
  }

  send(mediaId: string, command: MediaPortCommand): void {
    if (command.type === 'close' && this.#opening.has(mediaId)) this.#abandoned.add(mediaId);
    const placed = this.#legs.get(mediaId);
    if (!placed?.leg.isOpen) return;
    const { leg, thread } = placed;
    if (command.type === 'connect') {
      const remote = this.#reachable(mediaId, command.remote);
      if (remote) leg.send({ type: 'connect', remote });
      return;
    }
    leg.send(command);
    if (command.type === 'join') this.#mixes.join({ mediaId, thread }, command.mixId);
    else if (command.type === 'leave' || command.type === 'close') this.#mixes.leave(mediaId);
  }

  openMix(mixId: string, opened: (address: MixAddress) => void): { close(): void } {
    return this.#openMixes.open(mixId, opened);
  }

  linkMix(mixId: string, far: MixFarEnd, opened: (address: MixAddress) => void): { close(): void } {
    return this.#openMixes.open(mixId, opened, { far });
  }

  acceptMixLink(mixId: string, far: MixFarEnd, key: string): { close(): void } {
    return this.#openMixes.open(mixId, () => undefined, { far, key });
  }

  watchTalker(mediaId: string, talking: (on: boolean) => void): { setHeard(heard: boolean): void; close(): void } {
    const send = (command: ThreadLegCommand): void =>
      this.#legs.get(mediaId)?.thread.send({ type: 'leg', mediaId, command });
    this.#watched.set(mediaId, talking);
    send({ type: 'watch_talking', on: true });
    return {
      setHeard: (heard) => send({ type: 'set_heard', heard }),
      close: () => {
        this.#watched.delete(mediaId);
        send({ type: 'watch_talking', on: false });
        send({ type: 'set_heard', heard: true });
      },
    };
  }

  /** Converts the far side to the notation in which the system reports the source of its packets. */
  #reachable(mediaId: string, remote: MediaRemote): MediaRemote | undefined {
    const { host } = this.#options;
    if (!canReach(host, remote.host) || !(remote.port > 0 && remote.port < 65_536)) {
      this.#log.warn('media.remote_unusable', { mediaId, host: remote.host, port: remote.port });
      return undefined;
    }
    const shown = (address: string): string =>
      new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
    const { otherHost, ...negotiated } = remote;
    const other = otherHost !== undefined && canReach(host, otherHost) ? { otherHost: shown(otherHost) } : {};
    return { ...negotiated, host: shown(remote.host), ...other };
  }

  async #startThread(): Promise<void> {
    const { host, sockets = 'auto' } = this.#options;
    const thread: MediaThread = await MediaThread.start(
      { number: ++this.#threadsStarted, host, sockets },
      {
        receive: (event) => this.#receive(event),
        died: (error) => this.#threadDied(thread, error),
      },
    );
    if (this.#state === 'stopping') {
      await thread.stop();
      return;
    }
    if (!thread.hasPriority && this.#threadsStarted === 1) {
      this.#log.info('media.priority_refused', {
        remedy: 'allow a nice value of -10: LimitNICE=-10, or ulimits: { nice: 30 }',
      });
    }
    for (const other of this.#threads) MediaThread.connect(thread, other);
    this.#threads.add(thread);
    this.#openMixes.placeAll();
  }

  /** Allocates a port, and the thread with the fewest legs, or the thread of `near` while that has not many more. */
  #allocation(near: string | undefined): Allocation {
    if (this.#state !== 'running') throw new Error('media is not running');
    let thread = this.#leastBusy;
    if (!thread) throw new Error('no media thread is left');
    const wanted = near === undefined ? undefined : this.#legs.get(near)?.thread;
    const hasRoom = wanted !== undefined && wanted.mediaIds.size <= thread.mediaIds.size + NEAR_SURPLUS;
    if (hasRoom && this.#threads.has(wanted)) thread = wanted;
    const port = this.#ports.take();
    if (port === undefined) throw new Error('no RTP port is free');
    return { thread, port };
  }

  get #leastBusy(): MediaThread | undefined {
    let thread: MediaThread | undefined;
    for (const each of this.#threads) if (!thread || each.mediaIds.size < thread.mediaIds.size) thread = each;
    return thread;
  }

  async #boundAllocation(mediaId: string, near: string | undefined): Promise<Allocation> {
    for (let tried = 0; tried < MAX_PORTS_TRIED; tried++) {
      const allocation = this.#allocation(near);
      const refusal = await this.#bind(mediaId, allocation);
      if (refusal === undefined) return allocation;
      this.#opening.delete(mediaId);
      this.#release(mediaId, allocation);
      if (refusal !== 'EADDRINUSE' && refusal !== 'EACCES') throw new Error(`no RTP socket: ${refusal}`);
    }
    throw new Error('no RTP port is free');
  }

  #bind(mediaId: string, allocation: Allocation): Promise<string | undefined> {
    return new Promise((settle) => {
      this.#opening.set(mediaId, { ...allocation, settle });
      allocation.thread.mediaIds.add(mediaId);
      allocation.thread.send({ type: 'open', mediaId, host: this.#options.host, port: allocation.port });
    });
  }

  #place(mediaId: string, allocation: Allocation, onEvent: (event: MediaEvent) => void): MediaAddress {
    const { thread, port } = allocation;
    const { clock = systemClock, recognizer, streamLookup, agents, recordDirectory = '' } = this.#options;
    const leg = new MediaLeg({
      mediaId,
      audio: this.#audio,
      projectId: () => this.#projectOf?.(mediaId),
      clock,
      recognizer,
      lookup: streamLookup,
      agents,
      onEvent,
      send: (command) => thread.send({ type: 'leg', mediaId, command }),
      warn: (event, fields) => this.#log.warn(event, fields),
      recordDirectory,
    });
    this.#opening.delete(mediaId);
    this.#legs.set(mediaId, { leg, thread, port });
    thread.legs.set(mediaId, leg);
    if (this.#state === 'stopping' || this.#abandoned.has(mediaId)) leg.send({ type: 'close' });
    return { host: this.#options.host, port };
  }

  #receive(event: Parameters<MediaThreadHost['receive']>[0]): void {
    switch (event.type) {
      case 'opened':
        this.#opening.get(event.mediaId)?.settle(undefined);
        break;
      case 'refused':
        this.#opening.get(event.mediaId)?.settle(event.code);
        break;
      case 'talking':
        this.#watched.get(event.mediaId)?.(event.on);
        break;
      case 'mix_opened':
        this.#openMixes.isOpen(event.openingId, event.port);
        break;
      case 'mix_not_opened':
        this.#log.error('media.mix_not_opened', { code: event.code });
        break;
      case 'closed':
        this.#legClosed(event.mediaId, event.counts, event.quality);
        break;
    }
  }

  #legClosed(mediaId: string, counts: LegCounts, quality: LegQuality | undefined): void {
    const placed = this.#legs.get(mediaId);
    if (!placed) return;
    this.#log.debug('media.closed', { mediaId, ...counts });
    void placed.leg.settled().then(() => this.#releaseLeg(mediaId, placed, quality));
  }

  /** Releases the port before the leg emits `closed`. */
  #releaseLeg(mediaId: string, placed: PlacedLeg, quality?: LegQuality): void {
    this.#legs.delete(mediaId);
    this.#release(mediaId, placed);
    placed.leg.end(quality);
  }

  #release(mediaId: string, { thread, port }: Allocation): void {
    thread.mediaIds.delete(mediaId);
    thread.legs.delete(mediaId);
    this.#ports.release(port);
    if (this.#legs.size + this.#opening.size === 0) this.#emptied?.();
  }

  #threadDied(thread: MediaThread, error: unknown): void {
    this.#log.error('media.thread_died', { legs: thread.mediaIds.size, error });
    this.#threads.delete(thread);
    for (const mediaId of thread.mediaIds) {
      this.#opening.get(mediaId)?.settle('ETHREAD');
      const placed = this.#legs.get(mediaId);
      if (!placed) continue;
      this.#mixes.leave(mediaId);
      void placed.leg.threadDied().then(() => this.#releaseLeg(mediaId, placed));
    }
    this.#openMixes.threadDied(thread);
    if (this.#state !== 'running') return;
    this.#startThread().catch((reason) => this.#log.error('media.thread_not_started', { error: reason }));
  }
}
