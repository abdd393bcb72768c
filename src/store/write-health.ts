/**
 * Whether the store can be written to: failing from the first write that could not be done to the first that was. While
 * it fails, a write of our own is tried again and again, so that a service without calls recovers, too.
 */
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { WriteError, WriteErrorReason } from '../core/write-error.ts';

export interface WriteFailure {
  why: WriteErrorReason;
  /** By the wall clock. */
  sinceMs: number;
}

export interface StoreWrites {
  /** Absent: all is well. */
  readonly failure: WriteFailure | undefined;
  /** Told when it begins to fail, and when it is well again; returns how not to be. */
  watch(changed: () => void): () => void;
  /** Writes something, and takes note of what came of it. */
  probe(): Promise<void>;
}

export class WriteHealth implements StoreWrites {
  failure: WriteFailure | undefined;
  readonly #clock: Clock;
  readonly #probe: () => Promise<void>;
  readonly #watchers = new Set<() => void>();

  /** `probe` reports by `failed` and `succeeded`. */
  constructor(clock: Clock, probe: () => Promise<void> = async () => undefined) {
    this.#clock = clock;
    this.#probe = probe;
  }

  failed({ reason }: WriteError): void {
    const before = this.failure;
    this.failure = { why: reason, sinceMs: before?.sinceMs ?? this.#clock.now() };
    if (!before) this.#tell();
  }

  succeeded(): void {
    if (!this.failure) return;
    this.failure = undefined;
    this.#tell();
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async probe(): Promise<void> {
    await this.#probe();
  }

  #tell(): void {
    for (const changed of this.#watchers) changed();
  }
}

const FIRST_PROBE_AFTER_MS = 500;
const MAX_PROBE_INTERVAL_MS = 5000;

/** Probes while writes fail, and says so in the log when that begins and ends. Returns how to stop it. */
export function monitorWrites(writes: StoreWrites, { clock, log }: { clock: Clock; log: Log }): () => void {
  let timer: Timer | undefined;
  let failingSinceMs: number | undefined;

  const probeIn = (pauseMs: number): void => {
    timer = clock.after(pauseMs, async () => {
      timer = undefined;
      await writes.probe();
      if (writes.failure && !isStopped) probeIn(Math.min(MAX_PROBE_INTERVAL_MS, pauseMs * 2));
    });
  };
  let isStopped = false;
  const changed = (): void => {
    timer?.cancel();
    if (writes.failure) {
      failingSinceMs ??= clock.monotonicMs();
      log.error('store.failing', { why: writes.failure.why });
      probeIn(FIRST_PROBE_AFTER_MS);
    } else {
      log.info('store.recovered', { failedForMs: Math.round(clock.monotonicMs() - (failingSinceMs ?? 0)) });
      failingSinceMs = undefined;
    }
  };
  const unwatch = writes.watch(changed);
  if (writes.failure) changed();
  return () => {
    isStopped = true;
    timer?.cancel();
    unwatch();
  };
}
