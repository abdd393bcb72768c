/** Serial queue for expensive read requests, so that they do not compete with calls. */
import { CallError } from './call-error.ts';

/** Maximum jobs that wait; more are refused. */
const MAX_WAITING = 32;

/** Returns a function that runs the work in turn; it throws `overloaded` if too many wait. */
export function serialQueue(): <Made>(work: () => Promise<Made>) => Promise<Made> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= MAX_WAITING) throw new CallError('overloaded', 'too many requests of this kind are queued');
    waiting++;
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done.finally(() => waiting--);
  };
}
