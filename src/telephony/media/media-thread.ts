/** One media thread as seen from the main one. */
import { Worker } from 'node:worker_threads';
import type { WorkerCommand, WorkerEvent } from './worker-messages.ts';

export interface MediaThreadHost {
  heard(event: WorkerEvent): void;
  /** The thread, which had started, is gone without having been stopped. */
  died(error: unknown): void;
}

export class MediaThread {
  /** Legs that live here, opening ones included. */
  readonly mediaIds = new Set<string>();
  readonly #worker: Worker;
  #ready = false;
  #stopping = false;

  private constructor() {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'media' });
  }

  static start(host: MediaThreadHost): Promise<MediaThread> {
    const thread = new MediaThread();
    return new Promise((resolve, reject) => {
      let failure: unknown = new Error('a media thread ended');
      thread.#worker.on('message', (events: WorkerEvent[]) => {
        for (const event of events) {
          if (event.type === 'ready') {
            thread.#ready = true;
            resolve(thread);
          } else host.heard(event);
        }
      });
      thread.#worker.on('error', (error) => {
        failure = error;
      });
      thread.#worker.on('exit', () => {
        if (!thread.#ready) reject(failure);
        else if (!thread.#stopping) host.died(failure);
      });
    });
  }

  tell(command: WorkerCommand): void {
    this.#worker.postMessage(command);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#worker.terminate();
  }
}
