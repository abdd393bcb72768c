/**
 * Writes the results of the calls of one broadcast, and repeats failed writes until they succeed. Neighbour:
 * `broadcast-run.ts`.
 */
import type { BroadcastParts } from './broadcasts.ts';
import { type CallResult, writeResult } from './retry.ts';

/** Interval between two attempts to write. */
export const RETRY_MS = 1000;

export interface NumberResultParts {
  broadcastId: string;
  parts: Pick<BroadcastParts, 'store' | 'clock' | 'log' | 'isBuffered'>;
  /** True if no number is called again. */
  isEnding(): boolean;
  /** True if failed writes are no longer repeated: the next start settles their numbers. */
  isClosed(): boolean;
  /** `againMs`: time of the retry, if the number is called again. */
  onWritten(callId: string, againMs: number | undefined): void;
}

export class NumberResults {
  readonly #given: NumberResultParts;

  constructor(given: NumberResultParts) {
    this.#given = given;
  }

  async write(number: number, ended: CallResult): Promise<void> {
    const { broadcastId, parts, isEnding, onWritten } = this.#given;
    const { store, clock, log, isBuffered } = parts;
    const { callId } = ended.attempt;
    // The broadcast may have been stopped since the last attempt to write.
    const againMs = isEnding() ? undefined : ended.againMs;
    try {
      // The final event of the broadcast must follow that of the call.
      if (isBuffered?.(callId)) return this.#writeLater(number, ended);
      await writeResult(store, { broadcastId, number, atMs: clock.now() }, { ...ended, againMs });
    } catch (error) {
      log.error('broadcast.not_written', { broadcastId, callId, error });
      return this.#writeLater(number, ended);
    }
    onWritten(callId, againMs);
  }

  #writeLater(number: number, ended: CallResult): void {
    const { parts, isClosed } = this.#given;
    if (!isClosed()) parts.clock.after(RETRY_MS, () => void this.write(number, ended));
  }
}
