/**
 * One job for all concurrent requests for the same audio, which can be played while it is being made. A listener that
 * leaves does not affect the others; when the last one has left, the job is aborted.
 *
 * Invariant: the job runs at its own speed, independent of its listeners.
 */

export interface SoundSource {
  make(signal: AbortSignal): AsyncIterable<Int16Array>;
  /** Called with the complete audio before any listener gets it. */
  keep(whole: Int16Array): unknown;
}

interface SoundJob {
  pieces: Int16Array[];
  /** True once no more pieces follow. */
  made: boolean;
  whole: Promise<Int16Array>;
  listeners: number;
  controller: AbortController;
  /** Listeners that wait for the next piece. */
  waiting: (() => void)[];
}

export function createSharedSounds() {
  const jobs = new Map<string, SoundJob>();

  const begin = (key: string, source: SoundSource): SoundJob => {
    const controller = new AbortController();
    const job: SoundJob = {
      pieces: [],
      made: false,
      listeners: 0,
      controller,
      waiting: [],
      whole: Promise.resolve(new Int16Array(0)),
    };
    const wake = () => {
      for (const go of job.waiting.splice(0)) go();
    };
    const run = async (): Promise<Int16Array> => {
      try {
        for await (const piece of source.make(controller.signal)) {
          job.pieces.push(piece);
          wake();
        }
        const whole = job.pieces.length === 1 ? job.pieces[0]! : joined(job.pieces);
        await source.keep(whole);
        return whole;
      } finally {
        if (jobs.get(key) === job) jobs.delete(key);
        job.made = true;
        wake();
      }
    };
    job.whole = run();
    // All listeners may have left before the job fails.
    job.whole.catch(() => {});
    jobs.set(key, job);
    return job;
  };

  const leave = (key: string, job: SoundJob, reason: unknown): void => {
    job.listeners--;
    if (job.listeners > 0 || job.made) return;
    // A new listener must not join an aborted job.
    if (jobs.get(key) === job) jobs.delete(key);
    job.controller.abort(reason);
  };

  /** A listener that aborts leaves at once, not when its promise is next awaited. */
  const enter = (key: string, signal: AbortSignal, source: SoundSource): { job: SoundJob; leave: () => void } => {
    const job = jobs.get(key) ?? begin(key, source);
    job.listeners++;
    const leaveOnce = () => {
      signal.removeEventListener('abort', leaveOnce);
      leave(key, job, signal.reason);
    };
    signal.addEventListener('abort', leaveOnce, { once: true });
    return {
      job,
      leave: () => {
        if (!signal.aborted) leaveOnce();
      },
    };
  };

  return {
    /** Returns the complete audio when it is made. */
    async whole(key: string, signal: AbortSignal, source: SoundSource): Promise<Int16Array> {
      signal.throwIfAborted();
      const { job, leave } = enter(key, signal, source);
      try {
        return await untilAborted(job.whole, signal);
      } finally {
        leave();
      }
    },
    /** Yields the pieces from the first on. Throws the signal's reason once aborted. */
    async *pieces(key: string, signal: AbortSignal, source: SoundSource): AsyncGenerator<Int16Array, void> {
      signal.throwIfAborted();
      const { job, leave } = enter(key, signal, source);
      try {
        for (let next = 0; ; next++) {
          while (next >= job.pieces.length && !job.made) {
            await untilAborted(new Promise<void>((resolve) => job.waiting.push(resolve)), signal);
          }
          if (next >= job.pieces.length) break;
          yield job.pieces[next]!;
          signal.throwIfAborted();
        }
        // Throws the error of the job, if there was one.
        await job.whole;
      } finally {
        leave();
      }
    },
  };
}

function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export function joined(pieces: readonly Int16Array[]): Int16Array {
  const sound = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    sound.set(piece, at);
    at += piece.length;
  }
  return sound;
}
