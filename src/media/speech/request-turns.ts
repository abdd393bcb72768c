/**
 * Limits the concurrent requests to an external engine. Projects take turns request by request, so that a burst of one
 * project does not delay the others by its length.
 */
import { Rotation } from '../../base/core/rotation.ts';

/** Default limit of one engine. */
export const DEFAULT_REQUESTS = 32;
/** Requests without a project take turns like a project. */
const NO_PROJECT = '';

export class RequestTurns {
  readonly #maxRequests: number;
  readonly #waiting = new Rotation<() => void>();
  #running = 0;

  constructor(maxRequests: number) {
    this.#maxRequests = maxRequests;
  }

  /** Sends the request when it is its turn. Rejects with the reason of the signal if it is aborted before. */
  async run<Reply>(
    { projectId = NO_PROJECT, signal }: { projectId: string | undefined; signal: AbortSignal },
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    signal.throwIfAborted();
    await this.#turnOf(projectId, signal);
    try {
      return await send();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #turnOf(projectId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      this.#waiting.drop(projectId, start);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(projectId, start);
    this.#startNext();
    return promise;
  }

  #startNext(): void {
    if (this.#running >= this.#maxRequests) return;
    const start = this.#waiting.next();
    if (!start) return;
    this.#running++;
    start();
  }
}
