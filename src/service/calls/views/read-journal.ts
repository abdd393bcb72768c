/** Reads the journal of a live or ended call in pages. */
import { defined } from '../../../base/core/json.ts';
import type { JournalQuery } from '../../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';
import type { CallParts } from '../call-parts.ts';
import { findCall } from '../control/control-call.ts';

export interface ReadJournal {
  record: CallRecord;
  entries: JournalEntry[];
  /** Entry after which the next page begins; absent on the last page. */
  next?: number;
}

/** Entries need no masking here: sensitive values are masked before they are written. */
export async function readJournal(
  projectId: string,
  callId: string,
  query: JournalQuery,
  parts: Pick<CallParts, 'supervisor' | 'callStore'>,
): Promise<ReadJournal> {
  const record = await findCall(projectId, callId, parts);
  const { entries, hasMore } = await parts.callStore.journalPage(callId, query);
  return defined<ReadJournal>({ record, entries, next: hasMore ? entries.at(-1)?.seq : undefined });
}
