/**
 * What the decision in the making comes to: journal entries, deliveries to observers, and effects.
 *
 * Invariants
 *  L1 all of a decision is written in one transaction, or not at all;
 *  L2 effects are done after that write, in the order in which they were decided.
 */
import type { Delivery } from '../core/delivery.ts';
import type { Book } from './book.ts';
import type { CallRecord, Checkpoint, JournalEntry, NewEntry } from './journal.ts';
import { type Mask, maskEntry } from './mask.ts';

export interface LedgerPorts {
  book: Pick<Book, 'commit'>;
  /** What observers are to be told of an entry; written in the same transaction. */
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
}

export class Ledger {
  readonly #ports: LedgerPorts;
  readonly #record: CallRecord;
  readonly #mask: Mask;
  #seq = 0;
  #entries: JournalEntry[] = [];
  #deliveries: Delivery[] = [];
  #effects: (() => void)[] = [];

  constructor(ports: LedgerPorts, record: CallRecord, mask: Mask) {
    this.#ports = ports;
    this.#record = record;
    this.#mask = mask;
  }

  note(atMs: number, entry: NewEntry): void {
    const made = maskEntry({ seq: ++this.#seq, atMs, ...entry } as JournalEntry, this.#mask);
    this.#entries.push(made);
    this.#deliveries.push(...this.#ports.deliveriesOf(made, this.#record));
  }

  effect(perform: () => void): void {
    this.#effects.push(perform);
  }

  async commit(checkpoint: Checkpoint): Promise<void> {
    if (this.#entries.length > 0) {
      const entries = this.#entries.splice(0);
      const deliveries = this.#deliveries.splice(0);
      await this.#ports.book.commit({ record: { ...this.#record }, checkpoint, entries, deliveries });
    }
    for (const perform of this.#effects.splice(0)) perform();
  }

  /** Forgets a decision that could not be completed. */
  discard(): void {
    this.#seq -= this.#entries.length;
    this.#entries = [];
    this.#deliveries = [];
    this.#effects = [];
  }
}
