/** Work for those who look at calls is done one piece after the other, so that it never competes with calls. */
import { CallError } from './call-error.ts';

/** What waits for its turn; more is refused. */
const MAX_WAITING = 32;

/** The function that it returns does the work when it is its turn; throws `overloaded` where many wait. */
export function oneAtATime(): <Made>(work: () => Promise<Made>) => Promise<Made> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= MAX_WAITING) throw new CallError('overloaded', 'too much of this is asked for at once');
    waiting++;
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done.finally(() => waiting--);
  };
}
