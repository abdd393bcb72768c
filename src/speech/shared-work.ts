/**
 * One piece of work for all who want the same thing at the same time. A waiter that gives up leaves the others alone; when
 * the last one has left, the work is aborted.
 */
export interface SharedWork<T> {
  run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Job<T> {
  result: Promise<T>;
  waiters: number;
  controller: AbortController;
}

export function createSharedWork<T>(): SharedWork<T> {
  const jobs = new Map<string, Job<T>>();

  const begin = (key: string, start: (signal: AbortSignal) => Promise<T>): Job<T> => {
    const controller = new AbortController();
    const job: Job<T> = {
      controller,
      waiters: 0,
      result: start(controller.signal).finally(() => forget(key, job)),
    };
    jobs.set(key, job);
    // Everybody may have left before it fails.
    job.result.catch(() => {});
    return job;
  };

  const forget = (key: string, job: Job<T>) => {
    if (jobs.get(key) === job) jobs.delete(key);
  };

  return {
    run(key, signal, start) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const job = jobs.get(key) ?? begin(key, start);
      job.waiters++;
      return new Promise((resolve, reject) => {
        const leave = () => {
          job.waiters--;
          if (job.waiters === 0) {
            // Whoever comes now must not join work that is being given up.
            forget(key, job);
            job.controller.abort(signal.reason);
          }
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        job.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
      });
    },
  };
}
