/**
 * One process of the embedded engine: libdatachannel carries the rooms in a child process (`child.ts`). The process is
 * started with the first session, restarted if it dies while there are sessions, and ended after being unused for a
 * while. `engine-pool.ts` has several of them.
 *
 * Invariants
 *  - messages to a process that is not running are lost; the service sends them again when the next one runs;
 *  - a process that dies repeatedly is restarted with exponential back-off; one that does not answer is killed;
 *  - the next process starts after the previous one released its port;
 *  - without the library for this platform the service still runs: rooms carry no media, and `state` has the reason.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import type { TransportOptions } from '../media-transport.ts';
import {
  type EngineCommand,
  isAboutRecording,
  type RoomEngine,
  type RoomEngineHost,
  type RoomEngineState,
} from '../sfu.ts';
import { EngineWebphones } from '../webphone/engine-webphones.ts';
import type { FromChild, ToChild } from './child-messages.ts';
import { confined } from './confinement.ts';
import { Heartbeat } from './heartbeat.ts';
import type { MediaSpec } from './media-session.ts';

const CHILD = moduleBeside(import.meta.url, 'child');
/** First back-off before a restart, doubled after each failure. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 30_000;
/** Uptime after which a failure counts as new, and the back-off is reset. */
const STEADY_MS = 10_000;
const STOP_MS = 2000;
/** Time without sessions and phones after which a process ends; a start takes a second. */
export const IDLE_MS = 60_000;

export const EMBEDDED_CAPABILITIES = {
  rtpLegs: true,
  simulcast: true,
  recording: true,
  speech: true,
  liveStream: 'by ffmpeg',
  people: 16,
} as const;

export interface EmbeddedEngineOptions extends TransportOptions {
  port: number;
  /** Options for connections with an engine that it assists. Absent: the same as for browsers. */
  towardsEngine?: TransportOptions | undefined;
  /** Folders to which the process may write. Absent: no limit beyond the user of the service. */
  writes?: readonly string[];
  clock: Clock;
  /** The process cannot run, and is not restarted. */
  gaveUp?(): void;
  log(level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Replaces the child program in tests. */
  child?: string | URL;
}

const WHY_NOT = `node-datachannel has no program for ${process.platform} ${process.arch}`;
/** Suffixes of the library's native packages for one platform. */
const KINDS = ['', '-gnu', '-musl', '-msvc'];

interface Running {
  process: ChildProcess;
  sinceMs: number;
  heartbeat: Heartbeat;
}

export class EmbeddedRoomEngine implements RoomEngine {
  readonly name = 'embedded';
  readonly capabilities = EMBEDDED_CAPABILITIES;
  /** Phones in browsers, which are calls and not sessions. */
  readonly webphones: EngineWebphones;
  readonly #options: EmbeddedEngineOptions;
  readonly #sessions = new Set<string>();
  readonly #isBuilt = isBuiltHere();
  #host: RoomEngineHost | undefined;
  #running: Running | undefined;
  /** Pending end of a process, which holds its port until then. */
  #ending: Promise<void> | undefined;
  #again: Timer | undefined;
  #idle: Timer | undefined;
  #waitMs = FIRST_WAIT_MS;
  #state: RoomEngineState;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.webphones = new EngineWebphones({
      // Other reasons may be temporary.
      unusable: () => (this.#isBuilt ? undefined : WHY_NOT),
      run: () => this.#runIfNeeded(),
      send: (message) => this.#send(message),
      used: () => this.#recordUse(),
    });
    this.#state = this.#isBuilt ? { media: 'idle' } : { media: 'none', why: WHY_NOT };
  }

  get state(): RoomEngineState {
    return this.#state;
  }

  /** Id of the media process, while it runs. */
  get processId(): number | undefined {
    return this.#running?.process.pid;
  }

  async start(host: RoomEngineHost): Promise<void> {
    this.#host = host;
    // Probes the confinement now, because it takes a moment and no request is waiting yet.
    if (this.#isBuilt) confined();
  }

  /** Stops after recordings were completed and reported. */
  async stop(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    this.#again?.cancel();
    this.#again = undefined;
    this.#idle?.cancel();
    this.#sessions.clear();
    await this.#ending;
    await this.#finish(host);
  }

  /** Ends the process once its recordings are complete; they are reported. */
  async #finish(host: RoomEngineHost | undefined): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    const { process: child, heartbeat } = running;
    heartbeat.stop();
    if (child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      const kill = this.#options.clock.after(STOP_MS, () => child.kill('SIGKILL'));
      child.once('exit', () => {
        kill.cancel();
        resolve();
      });
      child.on('message', (message: FromChild) => {
        if (message.type === 'event' && isAboutRecording(message.event)) host?.event(message.confNum, message.event);
      });
      if (child.connected) child.send({ type: 'finish' } satisfies ToChild, () => undefined);
      else child.kill('SIGKILL');
    });
  }

  /** Schedules the end of an unused process. */
  #recordUse(): void {
    this.#idle?.cancel();
    this.#idle = undefined;
    if (!this.#running || this.#isNeeded) return;
    this.#idle = this.#options.clock.after(IDLE_MS, () => {
      this.#state = { media: 'idle' };
      this.#ending = this.#finish(this.#host).then(() => {
        this.#ending = undefined;
        if (this.#isNeeded) this.#runAgain();
      });
    });
  }

  get #isNeeded(): boolean {
    return this.#sessions.size > 0 || this.webphones.count > 0;
  }

  openSession(spec: MediaSpec): void {
    this.#sessions.add(spec.confNum);
    this.#recordUse();
    this.#runIfNeeded();
    this.#send({ type: 'open', spec });
  }

  /** Starts the process if necessary. False if it starts a little later. */
  #runIfNeeded(): boolean {
    if (!this.#running && !this.#again && !this.#ending) this.#run();
    return this.#running !== undefined;
  }

  listSessions(): string[] {
    return this.#running ? [...this.#sessions] : [];
  }

  send(confNum: string, command: EngineCommand): void {
    if (!this.#sessions.has(confNum)) return;
    if (command.type === 'end') this.#sessions.delete(confNum);
    this.#send({ type: 'command', confNum, command });
    if (command.type === 'end') this.#recordUse();
  }

  #send(message: ToChild): void {
    const child = this.#running?.process;
    if (child?.connected) child.send(message, () => undefined);
  }

  #run(): void {
    if (!this.#host) return;
    const { clock, log, host, port, advertisedHost, towardsEngine, writes, child = CHILD } = this.#options;
    const started = fork(child, { ...confined(writes), stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const heartbeat = new Heartbeat({
      clock,
      ask: () => this.#send({ type: 'ping' }),
      silent: () => {
        log('error', 'rooms.engine_silent', { pid: started.pid });
        started.kill('SIGKILL');
      },
    });
    const running: Running = { process: started, sinceMs: clock.monotonicMs(), heartbeat };
    this.#running = running;
    // The reason why an earlier process could not run, such as a port in use, may be gone.
    this.#state = { media: 'starting' };
    started.on('message', (message) => {
      if (this.#running === running) this.#onMessage(message as FromChild);
    });
    const gone = (why: string): void => {
      if (this.#running === running) this.#died(running, why);
    };
    started.once('error', (error) => gone(error.message));
    started.once('exit', (code, signal) => gone(`it ended with ${signal ?? code}`));
    this.#send({ type: 'begin', options: { host, port, advertisedHost }, towardsEngine });
  }

  #onMessage(message: FromChild): void {
    const { log } = this.#options;
    switch (message.type) {
      case 'pong':
        this.#running?.heartbeat.answered();
        break;
      case 'ready':
        this.#state = { media: 'running' };
        log('info', 'rooms.engine_running', { pid: this.processId });
        break;
      case 'unusable':
        this.#state = { media: 'none', why: message.why };
        break;
      case 'event':
        if (this.#sessions.has(message.confNum) || isAboutRecording(message.event))
          this.#host?.event(message.confNum, message.event);
        break;
      case 'webphone':
        this.webphones.event(message.id, message.event);
        break;
      case 'warning':
        log('warn', 'rooms.engine_warned', { what: message.message, why: message.why });
        break;
    }
  }

  #died({ sinceMs, heartbeat }: Running, why: string): void {
    const { clock, log } = this.#options;
    heartbeat.stop();
    this.#running = undefined;
    this.webphones.lost(this.#state.media === 'none' ? this.#state.why : 'the process that carried the call has ended');
    if (this.#state.media === 'none') {
      log('error', 'rooms.no_media', { why: this.#state.why });
      this.#options.gaveUp?.();
      return;
    }
    this.#state = { media: this.#sessions.size > 0 ? 'starting' : 'idle' };
    log('error', 'rooms.engine_died', { why, sessions: this.#sessions.size });
    if (this.#sessions.size === 0) return;
    this.#waitMs = clock.monotonicMs() - sinceMs > STEADY_MS ? FIRST_WAIT_MS : this.#waitMs;
    this.#again = clock.after(this.#waitMs, () => {
      this.#again = undefined;
      this.#runAgain();
    });
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
  }

  /** Starts the process again; the service then reopens its sessions. */
  #runAgain(): void {
    this.#sessions.clear();
    this.#run();
    this.#host?.restarted();
  }
}

/** True if the library is installed with its native binary for this platform. */
export function isBuiltHere(): boolean {
  const { resolve } = createRequire(import.meta.url);
  return KINDS.some((kind) => {
    try {
      resolve(`@node-datachannel/${process.platform}-${process.arch}${kind}`);
      return true;
    } catch {
      return false;
    }
  });
}
