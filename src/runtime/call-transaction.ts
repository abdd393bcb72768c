/**
 * What the decision in the making comes to: journal entries, deliveries to observers, and effects.
 *
 * Invariants
 *  L1 all of a decision is written in one transaction, or not at all;
 *  L2 effects are done after that write, in the order in which they were decided;
 *  L3 what was said is told to observers, and kept nowhere;
 *  L4 entries are masked when the decision is complete: what turns out to be sensitive late hides what came before it.
 */
import type { Delivery } from '../core/delivery.ts';
import type { Json } from '../core/json.ts';
import type { Receipt } from '../core/receipt.ts';
import type { CallStore } from './call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry, NewEntry } from './journal.ts';
import { MASK } from './journal.ts';
import { type Mask, maskEntry } from './mask.ts';
import { OpenActions } from './open-actions.ts';
import { jsonSize } from './weight.ts';

export interface TransactionPorts {
  callStore: Pick<CallStore, 'commit'>;
  /** What observers are to be told of an entry; written in the same transaction. */
  deliveriesOf(entry: JournalEntry, record: CallRecord): Delivery[];
  /**
   * Whether anybody wants to know of the call (asked at its beginning); yes when not said. Of the others nothing is written
   * or told: rehearsals of a hundred thousand calls do without their journals.
   */
  keepsJournal?(record: CallRecord): boolean;
}

/** An entry, and the call as it stood then. */
interface PendingEntry {
  entry: JournalEntry;
  record: CallRecord;
}

export class CallTransaction {
  readonly #ports: TransactionPorts;
  readonly #record: CallRecord;
  readonly #mask: Mask;
  readonly #isKept: boolean;
  #open = new OpenActions();
  /** As it was before the decision in the making. */
  #openBefore: OpenActions | undefined;
  #seq = 0;
  #weight = 0;
  #drafts: PendingEntry[] = [];
  #effects: (() => void)[] = [];
  #receipt: Receipt | undefined;
  /** A decision was written. */
  isCommitted = false;

  constructor(ports: TransactionPorts, record: CallRecord, mask: Mask) {
    this.#ports = ports;
    this.#record = record;
    this.#mask = mask;
    this.#isKept = ports.keepsJournal?.(record) ?? true;
  }

  /** Of all that was noted, in characters. */
  get journalSize(): number {
    return this.#weight;
  }

  /** What was accepted and has no end yet. */
  get open(): OpenActions {
    return this.#open;
  }

  /** How many entries were noted. */
  get length(): number {
    return this.#seq;
  }

  append({ nowMs: atMs, wallMs }: { nowMs: number; wallMs: number }, entry: NewEntry): void {
    this.#weight += jsonSize(entry as unknown as Json);
    const seq = ++this.#seq;
    if (!this.#isKept) return;
    if (this.#drafts.length === 0) this.#openBefore = this.#open.isEmpty ? undefined : this.#open.copy();
    this.#open.apply(entry);
    const time = wallMs === atMs ? { atMs } : { atMs, wallMs };
    this.#drafts.push({ entry: { seq, ...time, ...entry } as JournalEntry, record: { ...this.#record } });
  }

  /** Written with the decision. */
  setReceipt(receipt: Receipt | undefined): void {
    this.#receipt = receipt;
  }

  onCommit(perform: () => void): void {
    this.#effects.push(perform);
  }

  /** Writes the decision and does it; at once where there is nothing to write. When this rejects, nothing was done. */
  commit(checkpoint: () => Checkpoint): Promise<void> | undefined {
    if (this.#drafts.length > 0) return this.#write(checkpoint());
    this.#perform();
    return undefined;
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    const entries: JournalEntry[] = [];
    const deliveries: Delivery[] = [];
    for (const { entry, record } of this.#drafts) {
      const masked = maskEntry(entry, this.#mask);
      entries.push(storedEntry(masked));
      deliveries.push(...this.#ports.deliveriesOf(masked, record));
    }
    const receipt = this.#receipt ? { receipt: this.#receipt } : {};
    await this.#ports.callStore.commit({ record: { ...this.#record }, checkpoint, entries, deliveries, ...receipt });
    this.isCommitted = true;
    this.#receipt = undefined;
    this.#drafts = [];
    this.#perform();
  }

  #perform(): void {
    if (this.#effects.length === 0) return;
    const effects = this.#effects;
    this.#effects = [];
    for (const perform of effects) perform();
  }

  /** Forgets a decision that could not be completed, and returns what it would have come to. */
  rollback(): JournalEntry[] {
    const drafts = this.#drafts;
    this.#seq -= drafts.length;
    if (drafts.length > 0) this.#open = this.#openBefore ?? new OpenActions();
    this.#drafts = [];
    this.#effects = [];
    this.#receipt = undefined;
    return drafts.map(({ entry }) => entry);
  }
}

/** The entry as the book keeps it. */
const storedEntry = (entry: JournalEntry): JournalEntry =>
  entry.kind === 'transcript' ? { ...entry, text: MASK } : entry;
