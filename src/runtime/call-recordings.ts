/**
 * The files into which a call is recorded, by its steps or beside them: each is opened on the shelf before it is begun,
 * and closed when it is complete or will never be.
 */
import type { Fault } from '../core/fault.ts';
import type { Decision } from './decision.ts';
import type { CallRecord } from './journal.ts';
import type { RecordingFiles } from './venue.ts';

/** In the record; the journal has all. */
const MAX_RECORDINGS = 20;

type RecordingRow = NonNullable<CallRecord['recordings']>[number];

export class CallRecordings {
  readonly #decision: Decision;
  readonly #record: CallRecord;
  readonly #shelf: RecordingFiles;
  /** Most calls have none. */
  #open: Set<string> | undefined;

  constructor(decision: Decision, record: CallRecord, recordingFiles: RecordingFiles) {
    this.#decision = decision;
    this.#record = record;
    this.#shelf = recordingFiles;
  }

  get areComplete(): boolean {
    return (this.#open?.size ?? 0) === 0;
  }

  open(recordingId: string, name?: string): { file: string } | { fault: Fault } {
    const { callId, projectId } = this.#record;
    const named = name === undefined ? {} : { name };
    const opened = this.#shelf.open({ recordingId, callId, projectId, ...named });
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
    this.#decision.onCommit(() => this.#shelf.close(recordingId, result));
  }

  /** No more is heard of those that are open. */
  abandon(): void {
    for (const recordingId of [...(this.#open ?? [])]) this.close(recordingId, { durationMs: 0, failed: true });
  }
}
