/** Steps that a call has left, each with its flow, which only the entry into the step contains. */
import type { JournalEntry, JournalEntryOf } from '../../service/runtime/journal.ts';

export type LeftStep = JournalEntryOf<'left'> & { flow: string };

export function* leftStepsIn(journal: readonly JournalEntry[]): Generator<LeftStep> {
  const flows = new Map<number, string>();
  for (const entry of journal) {
    if (entry.kind === 'entered') flows.set(entry.visit, entry.flow);
    if (entry.kind === 'left') yield { ...entry, flow: flows.get(entry.visit) ?? '' };
  }
}
