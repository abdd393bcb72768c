/**
 * Worker thread that checks and simulates flows without delaying calls. `jobs.ts` defines the jobs, `thread.ts` and
 * `worker.ts` run in the thread.
 *
 * Invariants
 *  - one job runs at a time, and the number of waiting jobs is bounded;
 *  - a new job supersedes all earlier jobs of the same kind and session: they fail at once, and a running one is
 *     stopped;
 *  - a job that exceeds its time limit is terminated with its thread, and the next job starts a new thread;
 *  - the thread is started on demand and terminated after an idle time.
 */
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../base/core/clock.ts';
import { moduleBeside } from '../../base/core/module-beside.ts';
import type { FlowNames } from '../../language/flow/flow-draft.ts';
import type { FlowLibrary } from '../../language/flow/flow-library.ts';
import { CallError } from '../../service/calls/call-error.ts';
import type { WorkOptions } from '../../service/calls/flow-files/flow-check.ts';
import {
  type Job,
  type JobKind,
  type JobMessage,
  type JobReply,
  type JobResult,
  LIMITS_MS,
  type ThreadData,
} from './jobs.ts';

export interface Workbench {
  /** Throws the errors `superseded`, `too_many_requests` and `workbench_busy`. */
  run<Kind extends JobKind>(kind: Kind, job: Job<Kind>, options?: WorkOptions): Promise<JobResult<Kind>>;
  stop(): Promise<void>;
}

export interface WorkbenchOptions {
  clock: Clock;
  /** Deployed flows, which a checked flow may reference. */
  flows: Pick<FlowLibrary, 'sources' | 'summaries'>;
  /** Names that flows may reference; read again for each job. */
  names: FlowNames;
  /** Replacement for the thread, for tests. */
  startThread?: StartThread;
  limitsMs?: Readonly<Record<JobKind, number>>;
}

const MAX_WAITING = 20;
/** Heap limit of the thread, which holds flows and journals of simulations. */
const MAX_HEAP_MIB = 512;
const IDLE_MS = 300_000;

/** Returns a function that starts a thread with this program. */
export const threadOf =
  (program: URL): StartThread =>
  (workerData) => {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MIB };
    const worker = new Worker(program, { name: 'workbench', workerData, resourceLimits });
    worker.unref();
    return worker;
  };

const startOwnThread = threadOf(moduleBeside(import.meta.url, 'thread'));

/** The part of `Worker` that the workbench uses. */
export interface WorkbenchThread {
  postMessage(message: JobMessage): void;
  on(event: 'message', heard: (reply: JobReply) => void): unknown;
  on(event: 'error', failed: (error: Error) => void): unknown;
  on(event: 'exit', ended: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

/** Starts a thread that does not keep the process alive. */
export type StartThread = (data: ThreadData) => WorkbenchThread;

interface Thread {
  worker: WorkbenchThread;
  /** Texts of the flows that the thread has, by file. */
  texts: Map<string, string>;
  overtaken: ThreadData['overtaken'];
  /** Number of the last job sent to the thread. */
  number: number;
}

interface WaitingJob {
  kind: JobKind;
  job: Job<JobKind>;
  session: string | undefined;
  progress: WorkOptions['progress'];
  resolve(result: JobResult<JobKind>): void;
  reject(reason: unknown): void;
}

export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { clock, flows, names, limitsMs = LIMITS_MS, startThread = startOwnThread } = options;
  const waiting: WaitingJob[] = [];
  let thread: Thread | undefined;
  let current: WaitingJob | undefined;
  let watchdog: Timer | undefined;
  let idle: Timer | undefined;
  let isStopped = false;

  const newThread = (): Thread => {
    const overtaken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = startThread({ overtaken });
    worker.on('message', (reply: JobReply) => {
      if (worker !== thread?.worker) return;
      if ('progress' in reply) current?.progress?.(reply.progress);
      else finish(reply);
    });
    worker.on('error', (error) => lose(worker, error.message));
    worker.on('exit', (code) => lose(worker, `the thread ended with ${code}`));
    return { worker, texts: new Map(), overtaken, number: 0 };
  };

  const lose = (worker: WorkbenchThread, problem: string): void => {
    if (worker !== thread?.worker) return;
    thread = undefined;
    void worker.terminate();
    finish({ problem });
  };

  const finish = (reply: Exclude<JobReply, { progress: unknown }>): void => {
    const done = current;
    current = undefined;
    watchdog?.cancel();
    if ('result' in reply) done?.resolve(reply.result);
    else done?.reject(busy(reply.problem));
    startNext();
  };

  const startNext = (): void => {
    if (current) return;
    idle?.cancel();
    current = waiting.shift();
    if (!current) {
      idle = isStopped || !thread ? undefined : clock.after(IDLE_MS, () => void endThread());
      return;
    }
    const { kind, job } = current;
    try {
      thread ??= newThread();
      const changed = bringUpToDate(thread.texts, flows.sources());
      const number = ++thread.number;
      const message: JobMessage = {
        ...{ number, kind, job, changed, names, nowMs: clock.now() },
        knownFlows: flows.summaries(),
      };
      thread.worker.postMessage(message);
    } catch (error) {
      finish({ problem: error instanceof Error ? error.message : String(error) });
      return;
    }
    const { worker } = thread;
    watchdog = clock.after(limitsMs[kind], () => lose(worker, `it took longer than ${limitsMs[kind] / 1000} s`));
  };

  const endThread = async (): Promise<void> => {
    const ending = thread;
    thread = undefined;
    await ending?.worker.terminate();
  };

  /** Cancels a job: removes it from the queue, or makes the thread stop it at the next check. */
  const giveUp = (one: WaitingJob): void => {
    const place = waiting.indexOf(one);
    if (place >= 0) waiting.splice(place, 1);
    else if (one === current && thread) Atomics.store(thread.overtaken, 0, thread.number);
    one.reject(superseded());
  };

  const supersede = (session: string): void => {
    for (const one of [...waiting, current]) if (one?.session === session) giveUp(one);
  };

  return {
    async run<Kind extends JobKind>(kind: Kind, job: Job<Kind>, { session, signal, progress }: WorkOptions = {}) {
      signal?.throwIfAborted();
      if (isStopped) throw busy('the service is about to stop');
      const key = session === undefined ? undefined : `${kind} ${session}`;
      if (key !== undefined) supersede(key);
      if (waiting.length >= MAX_WAITING) throw tooMany();
      const { promise, resolve, reject } = Promise.withResolvers<JobResult<JobKind>>();
      const one: WaitingJob = { kind, job, session: key, progress, resolve, reject };
      const leave = (): void => giveUp(one);
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(one);
      startNext();
      return promise.finally(() => signal?.removeEventListener('abort', leave)) as Promise<JobResult<Kind>>;
    },
    async stop() {
      isStopped = true;
      idle?.cancel();
      for (const one of waiting.splice(0)) one.reject(busy('the service is about to stop'));
      const ended = endThread();
      finish({ problem: 'the service is about to stop' });
      await ended;
    },
  };
}

const busy = (why: string): CallError =>
  new CallError('workbench_busy', `it could not be done: ${why}`, { hint: 'try again in a moment' });

const tooMany = (): CallError =>
  new CallError('too_many_requests', `${MAX_WAITING} others wait to be checked or tried`, {
    hint: 'try again in a moment',
  });

const superseded = (): CallError => new CallError('superseded', 'a newer request took its place');

/** Returns the texts that changed since the last job, and updates `known`. */
function bringUpToDate(known: Map<string, string>, sources: readonly { file: string; text: string }[]) {
  const changed: { file: string; text?: string }[] = [];
  for (const { file, text } of sources) {
    if (known.get(file) === text) continue;
    known.set(file, text);
    changed.push({ file, text });
  }
  const there = new Set(sources.map(({ file }) => file));
  for (const file of known.keys()) {
    if (there.has(file)) continue;
    known.delete(file);
    changed.push({ file });
  }
  return changed;
}
