/**
 * Moves events of broadcasts from the broadcast, with which they are written, to the outbox: its queues are in other
 * shards, to which one function cannot write. Neighbour: `broadcasts.ts`.
 *
 * Invariants
 *  - Events are added to the outbox in the order in which they were written, and removed from the broadcast only
 *    afterwards.
 *  - The node that wrote them adds them; another does once that node is lost. If they are added twice, they have the
 *    same ids.
 */
import type { Delivery } from '../../../../base/core/delivery.ts';

export interface UnsentDeliveriesParts {
  node: string;
  write(name: string, broadcastId: string, ...args: string[]): Promise<unknown>;
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
}

export class UnsentDeliveries {
  readonly #parts: UnsentDeliveriesParts;
  /** Events that this node is about to add. */
  readonly #underWay = new Set<string>();

  constructor(parts: UnsentDeliveriesParts) {
    this.#parts = parts;
  }

  /** Encodes deliveries in the format of `broadcasts.lua`. */
  textsOf(deliveries: readonly Delivery[]): string[] {
    return deliveries.map((delivery) => `${this.#parts.node}\n${JSON.stringify(delivery)}`);
  }

  /** Marks these deliveries as in flight, so that a concurrent recovery scan skips them. */
  async whileSending<Made>(texts: readonly string[], work: () => Promise<Made>): Promise<Made> {
    for (const text of texts) this.#underWay.add(text);
    try {
      return await work();
    } finally {
      for (const text of texts) this.#underWay.delete(text);
    }
  }

  /** Adds the events of lost nodes and of this one. */
  async send(broadcastId: string, texts: readonly string[], isLost: (node: string) => boolean): Promise<void> {
    const { node, write, addDeliveries } = this.#parts;
    const known = texts.map((text) => ({ text, writer: text.slice(0, text.indexOf('\n')) }));
    const ours = known.filter(({ writer }) => writer === node || isLost(writer)).map(({ text }) => text);
    if (ours.length === 0) return;
    await addDeliveries(ours.map((text) => JSON.parse(text.slice(text.indexOf('\n') + 1)) as Delivery));
    await write('cw_b_sent', broadcastId, ...ours);
  }

  isUnderWay = (text: string): boolean => this.#underWay.has(text);
}
