/** Sequence numbers of journal entries: from 1 without gaps, in every store. */
import type { JournalEntry } from '../runtime/journal.ts';

export const gapError = (callId: string, seq: number): Error =>
  new Error(`call ${callId}: journal entry ${seq} does not follow the one before`);

/** Throws if the entries of one write are not consecutive. */
export function checkSequence(callId: string, entries: readonly JournalEntry[]): void {
  const first = entries[0]?.seq ?? 1;
  const stray = entries.find((entry, index) => entry.seq !== first + index);
  if (stray) throw gapError(callId, stray.seq);
}
