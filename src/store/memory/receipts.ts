/** Receipts in memory. */
import type { ReceiptStore } from '../../calls/receipt-store.ts';
import type { Receipt } from '../../core/receipt.ts';

export class MemoryReceipts implements ReceiptStore {
  readonly #receipts = new Map<string, Receipt>();

  find(projectId: string, key: string): Receipt | undefined {
    const found = this.#receipts.get(nameOf(projectId, key));
    return found && { ...found };
  }

  /** At once, so that it may be a part of a larger write. */
  keep(receipt: Receipt): void {
    this.#receipts.set(nameOf(receipt.projectId, receipt.key), { ...receipt });
  }

  async add(receipt: Receipt): Promise<void> {
    this.keep(receipt);
  }

  async prune({ beforeMs, most }: { beforeMs: number; most: number }): Promise<number> {
    const before = this.#receipts.size;
    const counts = new Map<string, number>();
    const newest = [...this.#receipts].sort(([, one], [, other]) => other.createdMs - one.createdMs);
    for (const [name, { projectId, createdMs }] of newest) {
      const count = (counts.get(projectId) ?? 0) + 1;
      counts.set(projectId, count);
      if (createdMs < beforeMs || count > most) this.#receipts.delete(name);
    }
    return before - this.#receipts.size;
  }
}

const nameOf = (projectId: string, key: string): string => `${projectId}\n${key}`;
