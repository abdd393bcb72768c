/** Media thread, as seen from the main thread. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import { createRing } from './command-ring.ts';
import type { RtpSockets } from './datagrams.ts';
import type { LegMediaEvent } from './leg-media.ts';
import { CommandSender } from './thread-commands.ts';
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
/** Commands of some 300 calls. */
const RING_BYTES = 512 * 1024;

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
  readonly #commands: CommandSender;
  #reading: PromiseWithResolvers<ThreadFigures | undefined> | undefined;

  /** Its open descriptors, as it writes them. */
  readonly #descriptors = new Int32Array(new SharedArrayBuffer(4 * MAX_SOCKETS));
  readonly #closed = Promise.withResolvers<void>();

  private constructor({ number, host, sockets }: MediaThreadOptions) {
    this.number = number;
    const ring = createRing(RING_BYTES);
    const { port1, port2 } = new MessageChannel();
    const commands = { ring, port: port2 };
    const workerData: WorkerOptions = { host, sockets, descriptors: this.#descriptors, commands };
    const module = moduleBeside(import.meta.url, 'worker');
    this.#worker = new Worker(module, { name: 'media', workerData, transferList: [port2] });
    this.#commands = new CommandSender({ ring, port: port1, wake: () => this.#worker.postMessage(undefined) });
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
        thread.#commands.stop();
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
    one.#commands.send({ type: 'peer', peer: other.number, port: port1 }, [port1]);
    other.#commands.send({ type: 'peer', peer: one.number, port: port2 }, [port2]);
  }

  send(command: WorkerCommand): void {
    this.#commands.send(command);
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
}
