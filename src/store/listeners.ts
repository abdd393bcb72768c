/**
 * Who is told of committed deliveries. A listener that throws is our bug, and must not look like a failed write.
 * Invariant: what is told of a delivery is what was written of it, whatever its payload has become in between.
 */
import type { Delivery } from '../core/delivery.ts';
import { receiverOf } from '../core/receiver.ts';
import type { Arrival } from '../observers/webhooks/outbox.ts';

type Listener = (arrived: readonly Arrival[]) => void;

export class Listeners {
  readonly #listeners = new Set<Listener>();
  readonly #arrivals = new WeakMap<Delivery, Arrival>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The delivery as it is kept, with the text of its payload as it is at the first time of asking. */
  arrivalOf(delivery: Delivery): Arrival {
    let arrival = this.#arrivals.get(delivery);
    if (!arrival) {
      const { id, projectId, orderKey, url, payload, createdMs } = delivery;
      arrival = {
        id,
        projectId,
        orderKey,
        url,
        receiver: receiverOf(projectId, url),
        createdMs,
        attempts: 0,
        dueMs: createdMs,
        inLine: true,
        body: JSON.stringify(payload),
        isFirst: false,
      };
      this.#arrivals.set(delivery, arrival);
    }
    return arrival;
  }

  tell(committed: readonly Delivery[]): void {
    if (committed.length === 0 || this.#listeners.size === 0) return;
    const arrived = committed.map((delivery) => this.arrivalOf(delivery));
    for (const listener of this.#listeners) {
      try {
        listener(arrived);
      } catch (error) {
        // Thrown where nobody waits for it: the process sees it, the commit stands.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
