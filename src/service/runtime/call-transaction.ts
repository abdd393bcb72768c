/**
 * Transactions of one call: journal entries, deliveries and effects of each decision are collected, written in one
 * commit, and then the effects are performed.
 *
 * Invariants
 *  - All parts of a decision are written in one transaction, or none.
 *  - Effects are performed after that write, in the order in which they were added.
 *  - Observers receive transcripts, but their text is not stored.
 *  - Entries are masked when the decision is complete: a value that turns out to be sensitive late is masked in earlier
 *    entries of the decision too.
 */
import { type Cause, NORMAL_CLEARING } from '../../base/core/causes.ts';
import type { Delivery } from '../../base/core/delivery.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import { FIRST_FENCE } from '../../base/core/ownership.ts';
import type { Receipt } from '../../base/core/receipt.ts';
import type { CallClock } from './call-clock.ts';
import type { UnmaskedEntry } from './call-store.ts';
import { type CallInput, type CallRecord, type Checkpoint, type JournalEntry, MASK, type NewEntry } from './journal.ts';
import { jsonSize } from './limits.ts';
import { type Mask, maskEntry } from './mask.ts';
import { containsMask } from './masked-templates.ts';
import { applyEntry, endingsOf, NOTHING_OPEN, type OpenActions, overdueOf } from './open-actions.ts';
import type { RuntimePorts } from './ports.ts';
import { sensitiveHeaderValues } from './sensitive-headers.ts';

/** An entry, with the record as of that entry. */
interface PendingEntry {
  entry: JournalEntry;
  record: CallRecord;
  /** Unmasked input, or unmasked fields of `started`. */
  given?: Json | undefined;
}

export interface CallTransactionOptions {
  record: CallRecord;
  mask: Mask;
  clock: CallClock;
  /** Posts an input to the run. */
  post: (input: CallInput) => void;
}

export class CallTransaction {
  readonly record: CallRecord;
  readonly clock: CallClock;
  readonly ports: RuntimePorts;
  /** Posts an input to the run. */
  readonly post: (input: CallInput) => void;
  readonly #mask: Mask;
  readonly #isKept: boolean;
  /** Open actions with and without the pending entries. */
  #open: OpenActions = NOTHING_OPEN;
  #openBefore: OpenActions = NOTHING_OPEN;
  #length = 0;
  #journalSize = 0;
  #pending: PendingEntry[] = [];
  #effects: (() => void)[] = [];
  #receipt: Receipt | undefined;
  #input: CallInput | undefined;
  /** True after the first decision was written. */
  isCommitted = false;

  constructor(ports: RuntimePorts, { record, mask, clock, post }: CallTransactionOptions) {
    this.ports = ports;
    this.post = post;
    this.record = record;
    this.#mask = mask;
    this.clock = clock;
    this.#isKept = ports.keepsJournal?.(record) ?? true;
  }

  /** Time at which the current input was taken. */
  get nowMs(): number {
    return this.clock.nowMs;
  }

  /** Characters of all entries so far. */
  get journalSize(): number {
    return this.#journalSize;
  }

  /** Count of entries so far, including pending ones. */
  get length(): number {
    return this.#length;
  }

  nextId(kind: string): string {
    return this.ports.ids.next(kind);
  }

  /** Sets the current input. */
  setInput(input: CallInput): void {
    this.#input = input;
  }

  /** Members of the entry that are undefined are omitted. `unmasked`: values that are masked in it already. */
  append(written: NewEntry, unmasked?: Json): void {
    const { nowMs: atMs, wallMs } = this.clock;
    const stamp: Stamp = wallMs === atMs ? { seq: ++this.#length, atMs } : { seq: ++this.#length, atMs, wallMs };
    const entry = stampedEntry(stamp, written);
    this.#journalSize += jsonSize(entry as unknown as Json) - jsonSize(stamp) + EMPTY_SIZE;
    if (!this.#isKept) return;
    const { sensitiveHeaders = [] } = this.ports;
    if (sensitiveHeaders.length > 0) this.#mask.learn(sensitiveHeaderValues(entry, sensitiveHeaders));
    this.#open = applyEntry(this.#open, entry);
    const given = unmasked ?? (entry.kind === 'in' ? (this.#input as unknown as Json) : undefined);
    this.#pending.push({ entry, record: { ...this.record }, given });
  }

  /** Runs `effect` once the decision is committed. */
  onCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** Sets the receipt to write with the decision. */
  setReceipt(receipt: Receipt | undefined): void {
    this.#receipt = receipt;
  }

  /** Ends actions whose step or conversation is over without a recorded end. */
  appendOverdue(): void {
    for (const entry of overdueOf(this.#open, NORMAL_CLEARING)) this.append(entry);
  }

  /** Ends all open actions with the call. */
  appendEndings(cause: Cause): void {
    const recordingOf = () => ({ durationMs: 0, failed: 'the call ended' }) as const;
    for (const entry of endingsOf(this.#open, { cause, recordingOf })) this.append(entry);
  }

  /**
   * Writes the decision, then performs its effects; synchronous if there is nothing to write. If it rejects, no effect
   * was performed.
   */
  commit(checkpoint: () => Checkpoint): Promise<void> | undefined {
    if (this.#pending.length > 0) return this.#write(checkpoint());
    this.#perform();
    return undefined;
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    const entries: JournalEntry[] = [];
    const deliveries: Delivery[] = [];
    const unmasked: UnmaskedEntry[] = [];
    for (const { entry, record, given } of this.#pending) {
      const masked = maskEntry(entry, this.#mask);
      if (this.ports.keepsUnmasked && given !== undefined && containsMask(masked)) {
        unmasked.push({ seq: entry.seq, value: given });
      }
      entries.push(storedEntry(masked));
      deliveries.push(...this.ports.deliveriesOf(masked, record));
    }
    const receipt = this.#receipt ? { receipt: this.#receipt } : {};
    const { owner, fence = FIRST_FENCE } = this.ports;
    const record = { ...this.record };
    await this.ports.callStore.commit({
      ...{ record, checkpoint, entries, deliveries, owner, fence },
      ...(unmasked.length > 0 ? { unmasked } : {}),
      ...receipt,
    });
    this.isCommitted = true;
    this.#receipt = undefined;
    this.#pending = [];
    this.#openBefore = this.#open;
    this.#perform();
  }

  #perform(): void {
    if (this.#effects.length === 0) return;
    const effects = this.#effects;
    this.#effects = [];
    for (const perform of effects) perform();
  }

  /** Drops a decision that could not be completed, and returns its entries. */
  rollback(): JournalEntry[] {
    const pending = this.#pending;
    this.#length -= pending.length;
    this.#open = this.#openBefore;
    this.#pending = [];
    this.#effects = [];
    this.#receipt = undefined;
    return pending.map(({ entry }) => entry);
  }
}

const EMPTY_SIZE = jsonSize({});

interface Stamp extends JsonObject {
  seq: number;
  atMs: number;
}

/** Every entry passes through: a loop that copies once is faster than `defined` and spreads. */
function stampedEntry(stamp: Stamp, written: NewEntry): JournalEntry {
  const entry: Record<string, unknown> = { ...stamp };
  for (const key in written) {
    const value = written[key as keyof NewEntry];
    if (value !== undefined) entry[key] = value;
  }
  return entry as unknown as JournalEntry;
}

/** The entry in its stored form. */
const storedEntry = (entry: JournalEntry): JournalEntry =>
  entry.kind === 'transcript' ? { ...entry, text: MASK } : entry;
