/**
 * Keeps the thread of an embedded voice: starts it when first needed, gives it one sentence at a time, replaces it when it
 * dies or hangs. A sentence whose asker has left is not begun.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../core/clock.ts';
import { synthesisFailed } from './synthesizer.ts';

/** What the thread answers to each job. */
export type SentenceReply = { pcm: Int16Array } | { problem: string };

export interface SentenceWorker<Job> {
  speak(job: Job, signal: AbortSignal): Promise<Int16Array>;
  stop(): Promise<void>;
}

interface QueuedSentence<Job> {
  job: Job;
  signal: AbortSignal;
  resolve(pcm: Int16Array): void;
  reject(reason: unknown): void;
}

export function createSentenceWorker<Job>(options: {
  /** The program of the thread, and what it is told at its start. */
  program: URL;
  workerData: unknown;
  clock: Clock;
  /** A sentence that takes longer is taken for a hang. */
  timeoutMs: number;
}): SentenceWorker<Job> {
  const queue: QueuedSentence<Job>[] = [];
  let thread: Worker | undefined;
  let current: QueuedSentence<Job> | undefined;
  let watchdog: Timer | undefined;
  let stopped = false;

  const startThread = (): Worker => {
    const started = new Worker(options.program, { workerData: options.workerData });
    started.on('message', (reply: SentenceReply) => {
      if (started === thread) finish('pcm' in reply ? reply.pcm : synthesisFailed(reply.problem));
    });
    started.on('error', (error) => lose(started, error.message));
    started.on('exit', (code) => lose(started, `the thread ended with ${code}`));
    // An idle thread must not keep the process alive.
    started.unref();
    return started;
  };

  const lose = (lost: Worker, why: string): void => {
    if (lost !== thread) return;
    thread = undefined;
    void lost.terminate();
    finish(synthesisFailed(why));
  };

  const finish = (result: Int16Array | Error): void => {
    const done = current;
    current = undefined;
    watchdog?.cancel();
    thread?.unref();
    if (result instanceof Error) done?.reject(result);
    else done?.resolve(result);
    startNext();
  };

  const startNext = (): void => {
    if (current) return;
    current = queue.shift();
    if (!current) return;
    try {
      thread ??= startThread();
      thread.ref();
      thread.postMessage(current.job);
    } catch (error) {
      finish(synthesisFailed(error instanceof Error ? error.message : String(error)));
      return;
    }
    const running = thread;
    watchdog = options.clock.after(options.timeoutMs, () => lose(running, `no answer in ${options.timeoutMs} ms`));
  };

  return {
    speak(job, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (stopped) return Promise.reject(synthesisFailed('the engine was stopped'));
      return new Promise((resolve, reject) => {
        const leave = () => {
          const place = queue.indexOf(waiting);
          if (place >= 0) queue.splice(place, 1);
          reject(signal.reason);
        };
        const waiting: QueuedSentence<Job> = {
          job,
          signal,
          resolve(pcm) {
            signal.removeEventListener('abort', leave);
            resolve(pcm);
          },
          reject(reason) {
            signal.removeEventListener('abort', leave);
            reject(reason);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(waiting);
        startNext();
      });
    },
    async stop() {
      stopped = true;
      const stopping = thread;
      thread = undefined;
      for (const waiting of queue.splice(0)) waiting.reject(synthesisFailed('the engine was stopped'));
      finish(synthesisFailed('the engine was stopped'));
      await stopping?.terminate();
    },
  };
}
