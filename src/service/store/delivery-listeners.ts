/**
 * Listeners of committed deliveries. An exception in a listener is a bug, and must not look like a failed write.
 * Invariant: listeners receive a delivery as it was written, even if its payload has changed since.
 */
import type { Delivery } from '../../base/core/delivery.ts';
import { receiverOf } from '../../base/core/receiver.ts';
import type { DeliveryArrival } from '../observers/webhooks/outbox.ts';

/** Delivery fields that readers of the outbox do not get. */
export type WholeAndParts = Pick<Delivery, 'partOf' | 'afterPartsOf'>;

type DeliveryListener = (arrived: readonly DeliveryArrival[]) => void;

export class DeliveryListeners {
  readonly #listeners = new Set<DeliveryListener>();
  readonly #arrivals = new WeakMap<Delivery, DeliveryArrival & WholeAndParts>();

  subscribe(listener: DeliveryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stored form of the delivery, with the payload serialised at the first call. */
  arrivalOf(delivery: Delivery): DeliveryArrival & WholeAndParts {
    let arrival = this.#arrivals.get(delivery);
    if (!arrival) {
      const { id, projectId, orderKey, url, payload, createdMs, partOf, afterPartsOf } = delivery;
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
        isSendable: false,
        ...(partOf === undefined ? {} : { partOf }),
        ...(afterPartsOf === undefined ? {} : { afterPartsOf }),
      };
      this.#arrivals.set(delivery, arrival);
    }
    return arrival;
  }

  emitCommitted(committed: readonly Delivery[]): void {
    this.emit(committed.map((delivery) => this.arrivalOf(delivery)));
  }

  emit(arrived: readonly DeliveryArrival[]): void {
    if (arrived.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(arrived);
      } catch (error) {
        // Rethrown outside of the commit: the process sees the error, and the commit stands.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
