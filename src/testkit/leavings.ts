/** The steps that a call left, each with the flow that it belongs to, which only its entry names. */
import type { JournalEntry, JournalEntryOf } from '../runtime/journal.ts';

export type Leaving = JournalEntryOf<'left'> & { flow: string };

export function* leavingsIn(journal: readonly JournalEntry[]): Generator<Leaving> {
  const flows = new Map<number, string>();
  for (const entry of journal) {
    if (entry.kind === 'entered') flows.set(entry.visit, entry.flow);
    if (entry.kind === 'left') yield { ...entry, flow: flows.get(entry.visit) ?? '' };
  }
}
