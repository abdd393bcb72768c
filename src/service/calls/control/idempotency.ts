/**
 * Idempotency keys: the first request with a key is carried out, later ones get its response.
 *
 * Invariants
 *  - At most one request with a key of a project is in progress, over all nodes; others wait for it.
 *  - A refused request has no effect and leaves no receipt: the next request with the key counts as the first again.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { RECEIPT_TTL_MS, type Receipt } from '../../../base/core/receipt.ts';
import { CallError } from '../call-error.ts';
import type { ReceiptStore } from './receipt-store.ts';

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

export function createIdempotencyKeys({ store, clock }: { store: ReceiptStore; clock: Clock }) {
  const underWay = new Map<string, Promise<void>>();
  return {
    /** Returns the response to the first request with this key, or the right to be the first. Throws `key_reused`. */
    async claim({ projectId, key, request }: Pick<Receipt, 'projectId' | 'key' | 'request'>) {
      const name = `${projectId}\n${key}`;
      for (let other = underWay.get(name); other; other = underWay.get(name)) await other;
      // Claimed before the store is read, so that another request with this key waits.
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
          /** The response, to be written with the data that the request creates. */
          receipt: (status: number, body: string): Receipt => ({
            ...{ projectId, key, request, status, body },
            createdMs: clock.now(),
          }),
          /** Lets the next request with this key proceed. */
          release,
        },
      };
    },
    /** Writes a response that could not be written in the same transaction as its data. */
    add: (receipt: Receipt): Promise<void> => store.add(receipt),
  };
}

/** Longer than any request of one node takes. */
const MAX_HOLD_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 100;

/** Throws `in_use` if another node does not finish in time. */
async function holdKey(
  hold: NonNullable<ReceiptStore['hold']>,
  { projectId, key }: Pick<Receipt, 'projectId' | 'key'>,
  clock: Clock,
): Promise<() => void> {
  const untilMs = clock.monotonicMs() + MAX_HOLD_WAIT_MS;
  for (;;) {
    const letGo = await hold(projectId, key);
    if (letGo) return letGo;
    if (clock.monotonicMs() >= untilMs) {
      throw new CallError('in_use', 'another node still carries out a request with this Idempotency-Key');
    }
    await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
  }
}
