/**
 * A synthesizer whose engine runs in a worker thread, one sentence at a time. Projects take turns sentence by sentence,
 * so that a short text waits for at most one sentence of each other project. `sentence-thread.ts` is the thread's side.
 */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '../../base/core/clock.ts';
import { Rotation } from '../../base/core/rotation.ts';
import { AudioError } from '../telephony/audio.ts';
import { splitSentences } from './sentences.ts';
import {
  refusalOf,
  type SpeechRequest,
  type Synthesizer,
  type SynthesizerVoice,
  synthesisFailed,
} from './synthesizer.ts';

/** The slowest sentence measured took 2 s on a busy core. */
const SENTENCE_TIMEOUT_MS = 30_000;
/** Prompts prepared without a call take turns like a project. */
const NO_PROJECT = '';

/** Part of the worker thread API in use. */
export type SentenceThread = Pick<Worker, 'on' | 'postMessage' | 'ref' | 'unref' | 'terminate'>;
type StartThread = (program: URL, workerData: unknown) => SentenceThread;

const workerThread: StartThread = (program, workerData) => new Worker(program, { workerData });

export interface EmbeddedVoiceOptions<Job> {
  name: string;
  /** `package.json` of the engine, whose version is part of the voice's version. */
  packageFile: string;
  /** Version of the local post-processing, which affects the sound as the engine does. */
  processing: number;
  voices: readonly SynthesizerVoice[];
  /** Program of the thread, and its data. */
  program: URL;
  workerData: unknown;
  /** Starts the thread. Default: a worker thread. */
  startThread?: StartThread;
  clock?: Clock | undefined;
  sentenceTimeoutMs?: number | undefined;
  /** Job of the thread for a sentence. Undefined if the sentence has no words. */
  jobOf(sentence: string, request: SpeechRequest): Job | undefined;
}

export function createEmbeddedVoice<Job>(options: EmbeddedVoiceOptions<Job>): Synthesizer {
  const { name, program, workerData, startThread = workerThread } = options;
  const { clock = systemClock, sentenceTimeoutMs = SENTENCE_TIMEOUT_MS } = options;
  const { version }: { version: string } = JSON.parse(readFileSync(options.packageFile, 'utf8'));
  const worker = createSentenceWorker<Job>(() => startThread(program, workerData), clock, sentenceTimeoutMs);
  const synthesizer: Synthesizer = {
    name,
    version: `${version}-${options.processing}`,
    capabilities: { voices: options.voices },
    async *synthesize(request, signal) {
      const refusal = refusalOf(synthesizer, request);
      if (refusal) throw new AudioError(refusal);
      signal.throwIfAborted();
      for (const sentence of splitSentences(request.text, request.language)) {
        const job = options.jobOf(sentence, request);
        if (job === undefined) continue;
        const pcm = await worker.speak(job, request.projectId ?? NO_PROJECT, signal);
        if (pcm.length === 0) throw synthesisFailed('the engine made no sound');
        yield pcm;
      }
    },
    stop: () => worker.stop(),
  };
  return synthesizer;
}

/** Reply of the thread to a job. */
export type SentenceReply = { pcm: Int16Array } | { problem: string };

interface QueuedSentence<Job> {
  job: Job;
  resolve(pcm: Int16Array): void;
  reject(reason: unknown): void;
}

/**
 * The thread of a voice: started on first use, given one sentence at a time, and replaced if it exits or hangs. A
 * sentence whose caller has left is skipped.
 */
function createSentenceWorker<Job>(begin: () => SentenceThread, clock: Clock, timeoutMs: number) {
  const queue = new Rotation<QueuedSentence<Job>>();
  let thread: SentenceThread | undefined;
  let current: QueuedSentence<Job> | undefined;
  let watchdog: Timer | undefined;
  let stopped = false;

  const startThread = (): SentenceThread => {
    const started = begin();
    started.on('message', (reply: SentenceReply) => {
      if (started === thread) finish('pcm' in reply ? reply.pcm : synthesisFailed(reply.problem));
    });
    started.on('error', (error) => lose(started, error.message));
    started.on('exit', (code) => lose(started, `the thread ended with ${code}`));
    // An idle thread must not keep the process alive.
    started.unref();
    return started;
  };

  const lose = (lost: SentenceThread, why: string): void => {
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
    current = queue.next();
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
    watchdog = clock.after(timeoutMs, () => lose(running, `no answer in ${timeoutMs} ms`));
  };

  return {
    async speak(job: Job, projectId: string, signal: AbortSignal): Promise<Int16Array> {
      signal.throwIfAborted();
      if (stopped) throw synthesisFailed('the engine was stopped');
      const { promise, resolve, reject } = Promise.withResolvers<Int16Array>();
      const waiting: QueuedSentence<Job> = { job, resolve, reject };
      const leave = () => {
        queue.drop(projectId, waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(projectId, waiting);
      startNext();
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
    async stop() {
      stopped = true;
      const stopping = thread;
      thread = undefined;
      for (const waiting of queue.takeAll()) waiting.reject(synthesisFailed('the engine was stopped'));
      finish(synthesisFailed('the engine was stopped'));
      await stopping?.terminate();
    },
  };
}
