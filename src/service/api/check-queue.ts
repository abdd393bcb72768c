/**
 * Queue for credential checks, which are CPU-intensive. One check runs at a time, so that guessing does not occupy the
 * threads that live calls need. Sources take turns, so that one that guesses does not delay the others.
 */
import { ApiError } from './api-error.ts';

/** Maximum number of waiting checks for each source. */
const MAX_OF_SOURCE = 50;
const MAX_WAITING = 1000;

type Start = () => void;

export class CheckQueue {
  /** In order of service: the first source is next. */
  readonly #waiting = new Map<string, Start[]>();
  #count = 0;
  #isBusy = false;

  /** Throws `too_many_requests` if too many checks are waiting. */
  async run<Result>(source: string, check: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) await this.#turnOf(source);
    this.#isBusy = true;
    try {
      return await check();
    } finally {
      this.#isBusy = false;
      this.#next()?.();
    }
  }

  #turnOf(source: string): Promise<void> {
    const ofSource = this.#waiting.get(source) ?? [];
    if (ofSource.length >= MAX_OF_SOURCE || this.#count >= MAX_WAITING) {
      throw new ApiError('too_many_requests', 'too many sign-ins at once', { headers: { 'retry-after': '1' } });
    }
    this.#count++;
    return new Promise((resolve) => {
      this.#waiting.set(source, [...ofSource, resolve]);
    });
  }

  /** Removes the next check from the queue and moves its source to the end. */
  #next(): Start | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [source, [start, ...rest]] = first;
    this.#waiting.delete(source);
    if (rest.length > 0) this.#waiting.set(source, rest);
    this.#count--;
    this.#isBusy = true;
    return start;
  }
}
