/**
 * Writes what the calls of one broadcast came to, again and again until it succeeds. Neighbour: `broadcast-run.ts`.
 */
import type { BroadcastParts } from './broadcasts.ts';
import { type CallResult, writeResult } from './retry.ts';

/** Between two attempts to write. */
export const RETRY_MS = 1000;

export interface NumberResultParts {
  broadcastId: string;
  parts: Pick<BroadcastParts, 'store' | 'clock' | 'log' | 'isBuffered'>;
  /** No number is called again any more. */
  isEnding(): boolean;
  /** What cannot be written from now on is put in order by the next start. */
  isClosed(): boolean;
  /** `againMs`: when the number is called again. */
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
    // A stop may have come since the last attempt to write.
    const againMs = isEnding() ? undefined : ended.againMs;
    try {
      // The end of the broadcast is sent after that of the call.
      if (isBuffered?.(callId)) return this.#writeLater(number, ended);
      await writeResult(store, broadcastId, number, { ...ended, againMs }, clock.now());
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
