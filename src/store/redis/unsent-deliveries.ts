/**
 * Events of broadcasts on their way from the broadcast, where they are written with the change that they report, to the
 * outbox: its lines are in other shards, which one function cannot write to. Neighbour: `broadcasts.ts`.
 *
 * Invariants
 *  - they are added in the order in which they were written, and forgotten here only when they are in the outbox;
 *  - who wrote them adds them; another does once that node is lost. Added twice, they have the same ids.
 */
import type { Delivery } from '../../core/delivery.ts';

export interface UnsentDeliveriesParts {
  node: string;
  write(name: string, broadcastId: string, ...args: string[]): Promise<unknown>;
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
}

export class UnsentDeliveries {
  readonly #parts: UnsentDeliveriesParts;
  /** What this node is about to add. */
  readonly #underWay = new Set<string>();

  constructor(parts: UnsentDeliveriesParts) {
    this.#parts = parts;
  }

  /** As `broadcasts.lua` keeps them. */
  textsOf(deliveries: readonly Delivery[]): string[] {
    return deliveries.map((delivery) => `${this.#parts.node}\n${JSON.stringify(delivery)}`);
  }

  /** Whoever looks meanwhile for what was left finds these under way. */
  async whileSending<Made>(texts: readonly string[], work: () => Promise<Made>): Promise<Made> {
    for (const text of texts) this.#underWay.add(text);
    try {
      return await work();
    } finally {
      for (const text of texts) this.#underWay.delete(text);
    }
  }

  /** Those of lost nodes, and of this one. */
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
