/** Media thread, as seen from the main thread. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import type { RtpSockets } from './datagrams.ts';
import type { LegMediaEvent } from './leg-media.ts';
import type { ThreadFigures } from './thread-figures.ts';
import type { WorkerCommand, WorkerEvent, WorkerOptions } from './worker-messages.ts';

/** Part of a leg in the main thread. */
export interface ThreadLegHost {
  receive(event: LegMediaEvent): void;
}

export interface MediaThreadHost {
  /** Receives events that are not of a placed leg. */
  receive(event: Exclude<WorkerEvent, { type: 'ready' | 'figures' | 'leg' }>): void;
  /** The thread ended after it had started, without `stop`. */
  died(error: unknown): void;
}

export interface MediaThreadOptions {
  /** Identifies the thread; never reused. */
  number: number;
  /** Address of its sockets. */
  host: string;
  sockets: RtpSockets;
}

/** Open sockets of a thread; more are refused. */
const MAX_SOCKETS = 16_384;

export class MediaThread {
  /** Identifies it among the threads; never reused. */
  readonly number: number;
  /** Legs in this thread, including those being opened. */
  readonly mediaIds = new Set<string>();
  /** Legs that are open: they receive their own events. */
  readonly legs = new Map<string, ThreadLegHost>();
  /** False if the system refused to raise its priority. */
  hasPriority = true;
  readonly #worker: Worker;
  #ready = false;
  #stopping = false;
  /** Commands of one event loop turn, sent in one message, because a message costs more than its content. */
  #commands: WorkerCommand[] = [];
  #reading: PromiseWithResolvers<ThreadFigures | undefined> | undefined;

  /** Its open descriptors, as it writes them. */
  readonly #descriptors = new Int32Array(new SharedArrayBuffer(4 * MAX_SOCKETS));
  readonly #closed = Promise.withResolvers<void>();

  private constructor({ number, host, sockets }: MediaThreadOptions) {
    this.number = number;
    const workerData: WorkerOptions = { host, sockets, descriptors: this.#descriptors };
    this.#worker = new Worker(moduleBeside(import.meta.url, 'worker'), { name: 'media', workerData });
  }

  static start(options: MediaThreadOptions, host: MediaThreadHost): Promise<MediaThread> {
    const thread = new MediaThread(options);
    return new Promise((resolve, reject) => {
      let failure: unknown = new Error('a media thread ended');
      thread.#worker.on('message', (events: WorkerEvent[]) => {
        for (const event of events) {
          if (event.type === 'leg') thread.legs.get(event.mediaId)?.receive(event.event);
          else if (event.type === 'ready') {
            thread.#ready = true;
            thread.hasPriority = event.hasPriority;
            resolve(thread);
          } else if (event.type === 'figures') thread.#settleReading(event.figures);
          else host.receive(event);
        }
      });
      thread.#worker.on('error', (error) => {
        failure = error;
      });
      thread.#worker.on('exit', async () => {
        await thread.#closeDescriptors();
        thread.#settleReading(undefined);
        if (!thread.#ready) reject(failure);
        else if (!thread.#stopping) host.died(failure);
      });
    });
  }

  /** Connects two threads by a message channel. */
  static connect(one: MediaThread, other: MediaThread): void {
    const { port1, port2 } = new MessageChannel();
    one.#worker.postMessage([{ type: 'peer', peer: other.number, port: port1 } satisfies WorkerCommand], [port1]);
    other.#worker.postMessage([{ type: 'peer', peer: one.number, port: port2 } satisfies WorkerCommand], [port2]);
  }

  send(command: WorkerCommand): void {
    if (this.#commands.length === 0) queueMicrotask(() => this.#flush());
    this.#commands.push(command);
  }

  /** Reads its counters; undefined if it has ended. */
  readFigures(): Promise<ThreadFigures | undefined> {
    if (!this.#reading) {
      this.#reading = Promise.withResolvers();
      this.send({ type: 'read_figures' });
    }
    return this.#reading.promise;
  }

  #settleReading(figures: ThreadFigures | undefined): void {
    this.#reading?.resolve(figures);
    this.#reading = undefined;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#worker.terminate();
    await this.#closed.promise;
  }

  /** Its sockets outlive it if they are the system's, and would keep their ports. */
  async #closeDescriptors(): Promise<void> {
    if (this.#descriptors.some((descriptor) => descriptor > 0)) {
      const { closeDescriptors } = await import('./system-calls.ts');
      closeDescriptors(this.#descriptors);
    }
    this.#closed.resolve();
  }

  #flush(): void {
    const commands = this.#commands;
    this.#commands = [];
    this.#worker.postMessage(commands);
  }
}
