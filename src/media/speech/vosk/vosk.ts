/**
 * The embedded recogniser: Vosk with its small model of US English, native code in worker threads. The model (0.7 s to
 * load, 120 MB) is loaded on first use or by `start`, and shared by the threads.
 *
 * Invariants
 * - when a thread exits, its listenings fail with a retryable fault, and the thread is replaced;
 * - the audio that waits for a thread is limited; beyond the limit the listening fails, because a late result is
 * useless.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../base/core/clock.ts';
import { type Fault, fault } from '../../../base/core/fault.ts';
import { moduleBeside } from '../../../base/core/module-beside.ts';
import { AudioError, SAMPLE_RATE_HZ } from '../../telephony/audio.ts';
import { SessionLimit, type SessionShare } from '../recognition/session-limit.ts';
import type {
  RecognizedUtterance,
  Transcriber,
  Transcription,
  TranscriptionListener,
} from '../recognition/transcriber.ts';
import type { Handle, VoskLibrary } from './library.ts';
import { missingFiles, type VoskFiles } from './model-files.ts';
import type { VoskWorkerCommand, VoskWorkerReply } from './worker.ts';

export interface VoskOptions {
  files: VoskFiles;
  clock: Clock;
  languages?: readonly string[] | undefined;
  threads: number;
  /** Maximum number of concurrent listenings. */
  maxSessions: number;
  /** Number of them that one project may use. Default: all. */
  shareOf?: SessionShare | undefined;
}

export interface Vosk extends Transcriber {
  /** Loads the model. Rejects with an error that has a `fault`. */
  start(): Promise<void>;
}

interface Model {
  library: VoskLibrary;
  handle: Handle;
}

interface VoskSession {
  id: number;
  thread: VoskThread | undefined;
  /** Commands from before the model was loaded. */
  early: VoskWorkerCommand[];
  waitingSamples: number;
  listener: TranscriptionListener;
  ends: Map<number, { resolve(recognized: RecognizedUtterance): void; reject(error: unknown): void }>;
  over: Fault | undefined;
  /** Absent if the listening was refused. */
  release?: () => void;
}

interface VoskThread {
  worker: Worker;
  sessions: Map<number, VoskSession>;
}

const ENGLISH = ['en'];
const MAX_WAITING_SAMPLES = 10 * SAMPLE_RATE_HZ;
/** Audio is sent to the thread in pieces of 100 ms. */
const PIECE_SAMPLES = 800;
const ANSWER_TIMEOUT_MS = 15_000;

const broken = (why: string): Fault =>
  fault('recognition_failed', `speech recognition broke down: ${why}`, { retryable: true });

export function createVosk(options: VoskOptions): Vosk {
  const { files, clock, threads: threadCount, maxSessions, shareOf } = options;
  const limit = new SessionLimit(maxSessions, shareOf);
  const threads: (VoskThread | undefined)[] = Array.from({ length: threadCount }, () => undefined);
  const sessions = new Set<VoskSession>();
  /** All threads, including replaced ones, which may still be working. */
  const running = new Set<Worker>();
  let loading: Promise<Model> | undefined;
  let stopped = false;
  let lastId = 0;

  const load = async (): Promise<Model> => {
    const missing = missingFiles(files);
    if (missing) throw new AudioError(missing);
    const { openVosk } = await import('./library.ts');
    const library = openVosk(files.libraryFile);
    const handle = await library.loadModel(files.modelDirectory);
    if (handle === 0n) throw new Error(`the model in ${files.modelDirectory} cannot be read`);
    return { library, handle };
  };

  const model = (): Promise<Model> => {
    loading ??= load().catch((error: unknown) => {
      // Allows another attempt: the files may be installed later.
      loading = undefined;
      if (error instanceof AudioError) throw error;
      throw new AudioError(broken(error instanceof Error ? error.message : String(error)));
    });
    return loading;
  };

  const startThread = ({ handle }: Model): VoskThread => {
    const worker = new Worker(moduleBeside(import.meta.url, 'worker'), {
      workerData: { libraryFile: files.libraryFile, model: handle },
    });
    const thread: VoskThread = { worker, sessions: new Map() };
    worker.on('message', (reply: VoskWorkerReply) => answer(thread.sessions.get(reply.id), reply));
    worker.on('error', (error) => lose(thread, error.message));
    running.add(worker);
    worker.on('exit', (code) => {
      running.delete(worker);
      lose(thread, `a thread ended with ${code}`);
      if (stopped) void freeModel();
    });
    // An idle thread must not keep the process alive.
    worker.unref();
    return thread;
  };

  const lose = (thread: VoskThread, why: string): void => {
    const place = threads.indexOf(thread);
    if (place >= 0) threads[place] = undefined;
    for (const session of [...thread.sessions.values()]) fail(session, broken(why));
    // The hung thread may respond again, and must then stop.
    thread.worker.postMessage({ type: 'stop' } satisfies VoskWorkerCommand);
  };

  /** A thread that used a freed model would crash the process. */
  const freeModel = async (): Promise<void> => {
    const loaded = await loading?.catch(() => undefined);
    if (!loaded || running.size > 0) return;
    loading = undefined;
    loaded.library.freeModel(loaded.handle);
  };

  /** Thread with the fewest listenings. */
  const threadFor = (loaded: Model): VoskThread => {
    let least = 0;
    for (const [index, thread] of threads.entries()) {
      if ((thread?.sessions.size ?? 0) < (threads[least]?.sessions.size ?? 0)) least = index;
    }
    threads[least] ??= startThread(loaded);
    return threads[least]!;
  };

  const answer = (session: VoskSession | undefined, reply: VoskWorkerReply): void => {
    if (!session) return;
    if (reply.type === 'taken') {
      session.waitingSamples -= reply.samples;
      if (reply.partial !== undefined) session.listener.partial(reply.partial);
      session.listener.taken?.(reply.samples);
    } else if (reply.type === 'heard') {
      session.ends.get(reply.utterance)?.resolve({ words: reply.words });
    } else if (reply.code === 'unknown_words') {
      fail(session, fault('unknown_words', reply.problem));
    } else {
      fail(session, broken(reply.problem));
    }
  };

  const fail = (session: VoskSession, reason: Fault): void => {
    if (session.over) return;
    drop(session, reason);
    session.listener.failed(reason);
  };

  const drop = (session: VoskSession, reason: Fault): void => {
    session.over = reason;
    session.release?.();
    sessions.delete(session);
    session.early.length = 0;
    const { thread } = session;
    if (thread?.sessions.delete(session.id)) {
      thread.worker.postMessage({ type: 'close', id: session.id } satisfies VoskWorkerCommand);
      if (thread.sessions.size === 0) thread.worker.unref();
    }
    for (const { reject } of [...session.ends.values()]) reject(new AudioError(reason));
  };

  const order = (session: VoskSession, what: VoskWorkerCommand): void => {
    if (session.over) return;
    if (session.thread) session.thread.worker.postMessage(what);
    else session.early.push(what);
  };

  const attach = async (session: VoskSession): Promise<void> => {
    try {
      const loaded = await model();
      if (session.over) return;
      session.thread = threadFor(loaded);
      session.thread.sessions.set(session.id, session);
      session.thread.worker.ref();
      for (const early of session.early.splice(0)) session.thread.worker.postMessage(early);
    } catch (error) {
      fail(session, error instanceof AudioError ? error.fault : broken(String(error)));
    }
  };

  const transcription = (session: VoskSession): Transcription => {
    const piece = new Int16Array(PIECE_SAMPLES);
    let filled = 0;
    let utterances = 0;
    const send = (): void => {
      if (filled === 0) return;
      session.waitingSamples += filled;
      order(session, { type: 'sound', id: session.id, pcm: piece.slice(0, filled) });
      filled = 0;
    };
    return {
      write(pcm) {
        for (let at = 0; at < pcm.length; ) {
          const part = pcm.subarray(at, at + PIECE_SAMPLES - filled);
          piece.set(part, filled);
          filled += part.length;
          at += part.length;
          if (filled === PIECE_SAMPLES) send();
        }
        if (session.waitingSamples <= MAX_WAITING_SAMPLES || session.over) return;
        const late = fault('recognizer_busy', 'speech recognition cannot keep up with the calls', { retryable: true });
        queueMicrotask(() => fail(session, late));
      },
      end() {
        send();
        if (session.over) return Promise.reject(new AudioError(session.over));
        const utterance = utterances++;
        const { promise, resolve, reject } = Promise.withResolvers<RecognizedUtterance>();
        session.ends.set(utterance, { resolve, reject });
        const watchdog = clock.after(ANSWER_TIMEOUT_MS, () => {
          if (session.thread) lose(session.thread, `no answer in ${ANSWER_TIMEOUT_MS} ms`);
          else fail(session, broken(`not ready in ${ANSWER_TIMEOUT_MS} ms`));
        });
        order(session, { type: 'end', id: session.id, utterance });
        return promise.finally(() => {
          watchdog.cancel();
          session.ends.delete(utterance);
        });
      },
      close() {
        if (!session.over) drop(session, fault('recognition_failed', 'the listening was closed'));
      },
    };
  };

  return {
    name: 'vosk',
    languages: options.languages ?? ENGLISH,
    refusal: (projectId) => (stopped ? broken('it was stopped') : (missingFiles(files) ?? limit.refusal(projectId))),
    open(request, listener) {
      const { phrases, fillerPhrases, projectId } = request;
      const session: VoskSession = {
        id: ++lastId,
        thread: undefined,
        early: [],
        waitingSamples: 0,
        listener,
        ends: new Map(),
        over: undefined,
      };
      const refusal = stopped ? broken('it was stopped') : limit.refusal(projectId);
      if (refusal) queueMicrotask(() => fail(session, refusal));
      else {
        session.release = limit.open(projectId);
        sessions.add(session);
        order(session, { type: 'open', id: session.id, phrases, fillerPhrases });
        void attach(session);
      }
      return transcription(session);
    },
    async start() {
      await model();
    },
    async stop() {
      stopped = true;
      for (const session of [...sessions]) fail(session, broken('it was stopped'));
      const ending = threads.splice(0).flatMap((thread) => (thread ? [thread] : []));
      await Promise.all(ending.map(({ worker }) => endOf(worker)));
      await freeModel();
    },
  };
}

/** The thread frees its recognisers before it exits; the model is freed last. */
function endOf(worker: Worker): Promise<unknown> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.postMessage({ type: 'stop' } satisfies VoskWorkerCommand);
  return ended;
}
