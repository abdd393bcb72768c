/**
 * Recording files of a call, for steps and background recordings: each is opened before the recording begins, and
 * closed when it is complete or has failed.
 */
import type { Fault } from '../../base/core/fault.ts';
import type { CallTransaction } from './call-transaction.ts';
import type { CallRecord } from './journal.ts';

/** Maximum in the record; the journal contains all. */
const MAX_RECORDINGS = 20;

type RecordingRow = NonNullable<CallRecord['recordings']>[number];

export class CallRecordings {
  readonly #transaction: CallTransaction;
  readonly #record: CallRecord;
  /** Undefined until the first recording, because most calls have none. */
  #open: Set<string> | undefined;

  constructor(transaction: CallTransaction) {
    this.#transaction = transaction;
    this.#record = transaction.record;
  }

  open(recordingId: string, name?: string): { file: string } | { fault: Fault } {
    const { callId, projectId } = this.#record;
    const named = name === undefined ? {} : { name };
    const opened = this.#transaction.ports.recordings.open({ recordingId, callId, projectId, ...named });
    if ('fault' in opened) return opened;
    this.#open ??= new Set();
    this.#open.add(recordingId);
    const rows = this.#record.recordings ?? [];
    if (rows.length < MAX_RECORDINGS) this.#record.recordings = [...rows, { recordingId, ...named }];
    return opened;
  }

  isOpen(recordingId: string): boolean {
    return this.#open?.has(recordingId) ?? false;
  }

  close(recordingId: string, result: { durationMs: number; failed: boolean }): void {
    if (!this.#open?.delete(recordingId)) return;
    const { durationMs } = result;
    this.#record.recordings = this.#record.recordings!.map(
      (row): RecordingRow => (row.recordingId === recordingId ? { ...row, durationMs } : row),
    );
    this.#transaction.onCommit(() => this.#transaction.ports.recordings.close(recordingId, result));
  }

  /** Closes open recordings as failed. */
  abandon(): void {
    for (const recordingId of [...(this.#open ?? [])]) this.close(recordingId, { durationMs: 0, failed: true });
  }
}
