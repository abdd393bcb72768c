/** Who is told of committed deliveries. A listener that throws is our bug, and must not look like a failed write. */
import type { Delivery } from '../core/delivery.ts';

type Listener = (committed: readonly Delivery[]) => void;

export class Listeners {
  readonly #listeners = new Set<Listener>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(committed: readonly Delivery[]): void {
    if (committed.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(committed);
      } catch (error) {
        // Thrown where nobody waits for it: the process sees it, the commit stands.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
