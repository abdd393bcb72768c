/**
 * All writes that arrive within one turn of the event loop share one transaction, because a transaction costs more than
 * what is in it.
 *
 * Invariants
 *  G1 writes are done in the order in which they were asked for;
 *  G2 each is done wholly or not at all, and its promise tells which, after the transaction;
 *  G3 a write that fails takes none of another key along, and all later ones of its own key in the same group;
 *  G4 a database that another process holds is asked for again and again, and never waited for: the event loop goes on.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Timer } from '../../core/clock.ts';
import { WriteError } from '../../core/write-error.ts';
import type { WriteHealth } from '../write-health.ts';
import { createTransactions, type RunInTransaction } from './transaction.ts';

interface PendingWrite {
  key: string;
  work: () => void;
  committed: (() => void) | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** A group that is larger is written in pieces, so that other work gets its turn between them. */
const MAX_GROUP = 500;
/** For how long others may hold the database before that is a failure. */
const LOCK_TIMEOUT_MS = 1000;
const LOCK_RETRY_MS = 20;

export interface GroupCommitParts {
  database: DatabaseSync;
  clock: Clock;
  health: WriteHealth;
}

export class GroupCommit {
  readonly #transaction: RunInTransaction;
  readonly #clock: Clock;
  readonly #health: WriteHealth;
  #waiting: PendingWrite[] = [];
  #scheduled = false;
  #closed = false;
  /** Since when somebody else holds the database. */
  #lockedSinceMs: number | undefined;
  #retry: Timer | undefined;

  constructor({ database, clock, health }: GroupCommitParts) {
    this.#transaction = createTransactions(database, health, { isPatient: true });
    this.#clock = clock;
    this.#health = health;
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

  /** What was in the way when the database is somebody else's, and nothing was done. */
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

  /** The group failed: one by one, so that only the culprits pay. */
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
        broken.set(job.key, error);
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
