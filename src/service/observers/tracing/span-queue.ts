/**
 * Queue of ended spans for the collector: sent in batches, one at a time.
 *
 * Invariants
 *  - The queue is bounded: if the collector is slow or unavailable, later spans are dropped and counted.
 *  - A rejected batch is counted and dropped, to bound memory.
 */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { atMost, type Clock, type Timer } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { TraceCounts } from './tracing.ts';

const MAX_WAITING = 8192;
const BATCH = 512;
const DELAY_MS = 1000;
/** Maximum time that the shutdown waits for the collector. */
const CLOSE_MS = 2000;

export class SpanQueue implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #waiting: ReadableSpan[] = [];
  readonly #counts = { sent: 0, dropped: 0, failed: 0 };
  #timer: Timer | undefined;
  #inFlight: Promise<void> | undefined;
  #sending = 0;
  #isFailing = false;
  #isClosed = false;

  constructor(exporter: SpanExporter, { clock, log }: { clock: Clock; log: Log }) {
    this.#exporter = exporter;
    this.#clock = clock;
    this.#log = log;
  }

  get counts(): TraceCounts {
    return { ...this.#counts, waiting: this.#waiting.length + this.#sending };
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) this.#counts.dropped += 1;
    else this.#waiting.push(span);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#inFlight || this.#isClosed || this.#waiting.length === 0) return;
    if (this.#waiting.length >= BATCH) this.#start();
    else this.#timer ??= this.#clock.after(DELAY_MS, () => this.#start());
  }

  #start(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#inFlight) return;
    this.#inFlight = this.#send(this.#waiting.splice(0, BATCH)).finally(() => {
      this.#inFlight = undefined;
      this.#schedule();
    });
  }

  async #send(batch: ReadableSpan[]): Promise<void> {
    this.#sending = batch.length;
    const { code, error } = await new Promise<ExportResult>((resolve) => this.#exporter.export(batch, resolve));
    this.#sending = 0;
    const hasFailed = code !== ExportResultCode.SUCCESS;
    this.#counts[hasFailed ? 'failed' : 'sent'] += batch.length;
    if (hasFailed === this.#isFailing) return;
    this.#isFailing = hasFailed;
    if (hasFailed) this.#log.warn('tracing.failed', { why: error?.message ?? 'the collector did not take spans' });
    else this.#log.info('tracing.recovered', { ...this.#counts });
  }

  async forceFlush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight) {
      this.#start();
      await this.#inFlight;
      if (this.#isFailing) return;
    }
  }

  async shutdown(): Promise<void> {
    await atMost(this.#clock, CLOSE_MS, this.forceFlush());
    this.#timer?.cancel();
    this.#isClosed = true;
    // A batch in flight may still complete; the shutdown does not wait for it.
    void this.#exporter.shutdown().catch(() => undefined);
  }
}
