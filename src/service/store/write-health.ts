/**
 * Tracks whether the store is writable: it counts as failing from the first failed write until the first that succeeds.
 * Meanwhile a probe writes repeatedly, so that a service without calls recovers too.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { Tally } from '../../base/core/figures.ts';
import type { WriteError, WriteErrorReason } from '../../base/core/write-error.ts';

export interface WriteFailure {
  why: WriteErrorReason;
  /** Wall-clock time of the first failure. */
  sinceMs: number;
}

export interface StoreWrites {
  /** Undefined if the store is writable. */
  readonly failure: WriteFailure | undefined;
  /** Counts of transactions written and failed. */
  readonly commits: Tally<'ok' | 'failed'>;
  /** Calls `changed` when writes begin to fail and when they succeed again. Returns a function that unsubscribes. */
  watch(changed: () => void): () => void;
  /** Makes a test write and records its result. */
  probe(): Promise<void>;
}

export class WriteHealth implements StoreWrites {
  failure: WriteFailure | undefined;
  readonly commits = new Tally(['ok', 'failed']);
  readonly #clock: Clock;
  readonly #probe: () => Promise<void>;
  readonly #watchers = new Set<() => void>();

  /** `probe` reports its result by `failed` and `succeeded`. */
  constructor(clock: Clock, probe: () => Promise<void> = async () => undefined) {
    this.#clock = clock;
    this.#probe = probe;
  }

  failed({ reason }: WriteError): void {
    this.commits.add('failed');
    const before = this.failure;
    this.failure = { why: reason, sinceMs: before?.sinceMs ?? this.#clock.now() };
    if (!before) this.#emit();
  }

  succeeded(): void {
    if (!this.failure) return;
    this.failure = undefined;
    this.#emit();
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async probe(): Promise<void> {
    await this.#probe();
  }

  #emit(): void {
    for (const changed of this.#watchers) changed();
  }
}

const FIRST_PROBE_AFTER_MS = 500;
const MAX_PROBE_INTERVAL_MS = 5000;

/**
 * Probes while writes fail. Returns a function that stops it. `app/readiness.ts` logs the start and end of a failure.
 */
export function probeWrites(writes: StoreWrites, clock: Clock): () => void {
  let timer: Timer | undefined;
  let isStopped = false;
  const probeIn = (pauseMs: number): void => {
    timer = clock.after(pauseMs, async () => {
      timer = undefined;
      await writes.probe();
      if (writes.failure && !isStopped) probeIn(Math.min(MAX_PROBE_INTERVAL_MS, pauseMs * 2));
    });
  };
  const changed = (): void => {
    timer?.cancel();
    if (writes.failure) probeIn(FIRST_PROBE_AFTER_MS);
  };
  const unwatch = writes.watch(changed);
  if (writes.failure) changed();
  return () => {
    isStopped = true;
    timer?.cancel();
    unwatch();
  };
}
