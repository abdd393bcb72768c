/**
 * Group commit: all writes that arrive within one turn of the event loop share one transaction, because a transaction
 * costs more than its content.
 *
 * Invariants
 *  G1 Writes are carried out in the order of arrival.
 *  - Each write is carried out completely or not at all; its promise settles after the transaction.
 *  - A failed write also fails the later writes of its key in the same group, but none of another key.
 *  G4 While another process has locked the database, the transaction is retried; the event loop is not blocked.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { Fenced } from '../../../base/core/ownership.ts';
import { WriteError } from '../../../base/core/write-error.ts';
import type { WriteHealth } from '../write-health.ts';
import { createTransactions, type RunInTransaction } from './transaction.ts';

interface PendingWrite {
  key: string;
  work: () => void;
  committed: (() => void) | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Larger groups are split, so that other work can run in between. */
const MAX_GROUP = 500;
/** Time after which a lock by another process counts as a failure. */
const LOCK_TIMEOUT_MS = 1000;
const LOCK_RETRY_MS = 20;

export interface GroupCommitParts {
  database: DatabaseSync;
  clock: Clock;
  health: WriteHealth;
  /** Writes before `write` returns: a database in memory gains nothing from grouping. */
  isImmediate?: boolean;
}

export class GroupCommit {
  readonly #transaction: RunInTransaction;
  readonly #clock: Clock;
  readonly #health: WriteHealth;
  readonly #isImmediate: boolean;
  #waiting: PendingWrite[] = [];
  #scheduled = false;
  #closed = false;
  /** Time since which another process has locked the database. */
  #lockedSinceMs: number | undefined;
  #retry: Timer | undefined;

  constructor({ database, clock, health, isImmediate = false }: GroupCommitParts) {
    this.#isImmediate = isImmediate;
    this.#transaction = createTransactions(database, health, { isPatient: true });
    this.#clock = clock;
    this.#health = health;
  }

  /** `work` runs later, inside the group's transaction; `committed` right after it, before the promise resolves. */
  write(key: string, work: () => void, committed?: () => void): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, work, committed, resolve, reject });
      if (this.#isImmediate) this.flush();
      else this.#schedule();
    });
  }

  /**
   * Repeats `work` in separate transactions until it changes fewer than `size` rows. Returns the total of changed rows.
   */
  async inBatches(key: string, size: number, work: () => number): Promise<number> {
    for (let total = 0; ; ) {
      let changed = 0;
      await this.write(key, () => {
        changed = work();
      });
      total += changed;
      if (changed < size) return total;
    }
  }

  /** Writes all pending writes immediately. */
  flush(): void {
    this.#retry?.cancel();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      const locked = this.#writeGroup(group);
      if (locked) for (const job of group) job.reject(locked);
    }
  }

  close(): void {
    this.flush();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const group = this.#waiting.splice(0, MAX_GROUP);
    const locked = this.#writeGroup(group);
    if (locked) this.#wait(group, locked);
    else this.#lockedSinceMs = undefined;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** G4 */
  #wait(group: PendingWrite[], locked: WriteError): void {
    const nowMs = this.#clock.monotonicMs();
    this.#lockedSinceMs ??= nowMs;
    if (this.#health.failure || nowMs - this.#lockedSinceMs >= LOCK_TIMEOUT_MS) {
      this.#health.failed(locked);
      for (const job of group.concat(this.#waiting.splice(0))) job.reject(locked);
      return;
    }
    // G1
    this.#waiting.unshift(...group);
    this.#scheduled = true;
    this.#retry = this.#clock.after(LOCK_RETRY_MS, () => this.#turn());
  }

  /** Returns the error if another process has locked the database; then nothing was written. */
  #writeGroup(jobs: PendingWrite[]): WriteError | undefined {
    if (jobs.length === 0) return undefined;
    try {
      this.#transaction(() => {
        for (const job of jobs) job.work();
      });
    } catch (error) {
      if (isLocked(error)) return error;
      this.#writeApart(jobs);
      return undefined;
    }
    for (const job of jobs) settle(job);
    return undefined;
  }

  /** After a failed group: writes one by one, so that only the invalid writes fail. */
  #writeApart(jobs: PendingWrite[]): void {
    const broken = new Map<string, unknown>();
    for (const job of jobs) {
      if (broken.has(job.key)) {
        const cause = broken.get(job.key);
        const isTrouble = cause instanceof WriteError;
        job.reject(isTrouble ? cause : new Error('an earlier write of the same key failed', { cause }));
        continue;
      }
      try {
        this.#transaction(job.work);
      } catch (error) {
        // Writes of the new owner may follow in the same group.
        if (!(error instanceof Fenced)) broken.set(job.key, error);
        job.reject(error);
        continue;
      }
      settle(job);
    }
  }
}

const isLocked = (error: unknown): error is WriteError => error instanceof WriteError && error.reason === 'locked';

function settle(job: PendingWrite): void {
  job.committed?.();
  job.resolve();
}
