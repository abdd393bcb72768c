/**
 * All writes that arrive within one turn of the event loop share one transaction, because a transaction costs more than
 * what is in it.
 *
 * Invariants
 *  G1 writes are done in the order in which they were asked for;
 *  G2 each is done wholly or not at all, and its promise tells which, after the transaction;
 *  G3 a write that fails takes none of another key along, and all later ones of its own key in the same group.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Transaction, transactions } from './transaction.ts';

interface Job {
  key: string;
  work: () => void;
  committed: (() => void) | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** A group that is larger is written in pieces, so that other work gets its turn between them. */
const LARGEST_GROUP = 500;

export class GroupCommit {
  readonly #transaction: Transaction;
  #waiting: Job[] = [];
  #scheduled = false;
  #closed = false;

  constructor(database: DatabaseSync) {
    this.#transaction = transactions(database);
  }

  /** `work` runs later, inside the group's transaction; `committed` right after it, before the promise resolves. */
  write(key: string, work: () => void, committed?: () => void): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, work, committed, resolve, reject });
      this.#schedule();
    });
  }

  /** Writes all that waits, now. */
  flush(): void {
    while (this.#waiting.length > 0) this.#writeGroup(this.#waiting.splice(0, LARGEST_GROUP));
  }

  close(): void {
    this.flush();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#writeGroup(this.#waiting.splice(0, LARGEST_GROUP));
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #writeGroup(jobs: Job[]): void {
    if (jobs.length === 0) return;
    try {
      this.#transaction(() => {
        for (const job of jobs) job.work();
      });
    } catch {
      this.#writeApart(jobs);
      return;
    }
    for (const job of jobs) settle(job);
  }

  /** The group failed: one by one, so that only the culprits pay. */
  #writeApart(jobs: Job[]): void {
    const broken = new Map<string, unknown>();
    for (const job of jobs) {
      if (broken.has(job.key)) {
        job.reject(new Error('an earlier write of the same key failed', { cause: broken.get(job.key) }));
        continue;
      }
      try {
        this.#transaction(job.work);
      } catch (error) {
        broken.set(job.key, error);
        job.reject(error);
        continue;
      }
      settle(job);
    }
  }
}

function settle(job: Job): void {
  job.committed?.();
  job.resolve();
}
