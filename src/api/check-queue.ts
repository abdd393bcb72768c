/**
 * Checks of credentials, which take a processor for a moment: one at a time, so that guessing does not occupy the threads
 * that live calls need, and the sources in rotation, so that a source that guesses does not keep the others waiting.
 */
import { ApiError } from './api-error.ts';

/** Waiting checks of one source, beside the one that runs. */
const MAX_OF_SOURCE = 50;
const MAX_WAITING = 1000;

type Start = () => void;

export class CheckQueue {
  /** The first source is next. */
  readonly #waiting = new Map<string, Start[]>();
  #count = 0;
  #isBusy = false;

  /** Throws the problem `too_many_requests` where too many wait. */
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

  /** Takes the next check from the queue and marks its source as busy. */
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
