/**
 * Pool of workbench threads for tests: a test file starts dozens of services, and starting a thread is slow. A thread
 * that is terminated during a job is not returned to the pool.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { JobMessage, JobReply, ThreadData } from '../../src/proof/workbench/jobs.ts';
import type { WorkbenchThread } from '../../src/proof/workbench/workbench.ts';

const PROGRAM = new URL('./kept-thread.ts', import.meta.url);
const free: Worker[] = [];

export function keptThread(data: ThreadData): WorkbenchThread {
  const worker = free.pop() ?? new Worker(PROGRAM, { name: 'kept' });
  worker.unref();
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port2, data }, [port2]);
  return new KeptThread(worker, port1);
}

class KeptThread implements WorkbenchThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #jobs = 0;

  constructor(worker: Worker, port: MessagePort) {
    this.#worker = worker;
    this.#port = port;
    port.on('message', (reply: JobReply) => {
      if (!('progress' in reply)) this.#jobs--;
    });
  }

  postMessage(message: JobMessage): void {
    this.#jobs++;
    this.#port.postMessage(message);
  }

  on(event: 'message' | 'error' | 'exit', heard: (...about: never[]) => void): void {
    (event === 'message' ? this.#port : this.#worker).on(event, heard as () => void);
    this.#port.unref();
  }

  async terminate(): Promise<void> {
    this.#port.close();
    if (this.#jobs > 0) await this.#worker.terminate();
    else free.push(this.#worker.removeAllListeners());
  }
}
