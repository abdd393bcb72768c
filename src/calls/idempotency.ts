/**
 * Requests that are to count once: the first of a key is carried out, others get its answer.
 *
 * Invariants
 *  - of the requests with one key of a project at most one is under way, on all nodes; others wait for it;
 *  - what was refused has made nothing, and leaves no receipt: the next request with the key is the first again.
 */
import type { Clock } from '../core/clock.ts';
import { RECEIPT_TTL_MS, type Receipt } from '../core/receipt.ts';
import { CallError } from './call-error.ts';
import type { ReceiptStore } from './receipt-store.ts';

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

export function createIdempotencyKeys({ store, clock }: { store: ReceiptStore; clock: Clock }) {
  const underWay = new Map<string, Promise<void>>();
  return {
    /** The answer to the first request with this key, or the right to be the first. Throws `key_reused`. */
    async claim({ projectId, key, request }: Pick<Receipt, 'projectId' | 'key' | 'request'>) {
      const name = `${projectId}\n${key}`;
      for (let other = underWay.get(name); other; other = underWay.get(name)) await other;
      // Held already while the store is asked: another request with this key waits.
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.set(name, promise);
      let letGo: (() => void) | undefined;
      const release = (): void => {
        letGo?.();
        underWay.delete(name);
        resolve();
      };
      let answered: Receipt | undefined;
      try {
        if (store.hold) letGo = await holdKey(store.hold, { projectId, key }, clock);
        answered = await store.find(projectId, key);
      } catch (error) {
        release();
        throw error;
      }
      if (answered && answered.createdMs > clock.now() - RECEIPT_TTL_MS) {
        release();
        if (answered.request === request) return { answered };
        throw new CallError('key_reused', 'this Idempotency-Key was used for another request');
      }
      return {
        turn: {
          /** The answer, to be written with what is made. */
          receipt: (status: number, body: string): Receipt => ({
            ...{ projectId, key, request, status, body },
            createdMs: clock.now(),
          }),
          /** Lets the next request with this key go on. */
          release,
        },
      };
    },
    /** Writes an answer that could not be written together with what the request made. */
    add: (receipt: Receipt): Promise<void> => store.add(receipt),
  };
}

/** Whatever one node makes takes less. */
const PATIENCE_MS = 30_000;
const ASK_AGAIN_MS = 100;

/** Throws `in_use` where another node does not come to an end. */
async function holdKey(
  hold: NonNullable<ReceiptStore['hold']>,
  { projectId, key }: Pick<Receipt, 'projectId' | 'key'>,
  clock: Clock,
): Promise<() => void> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const letGo = await hold(projectId, key);
    if (letGo) return letGo;
    if (clock.monotonicMs() >= untilMs) {
      throw new CallError('in_use', 'another node still carries out a request with this Idempotency-Key');
    }
    await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
  }
}
