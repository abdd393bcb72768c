/** Reads the journal of a call in pages, while the call goes on as well as later. */
import { defined } from '../core/json.ts';
import type { JournalQuery } from '../runtime/call-store.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';
import type { CallParts } from './call-parts.ts';
import { findCall } from './control-call.ts';

export interface ReadJournal {
  record: CallRecord;
  entries: JournalEntry[];
  /** The entry after which the next page begins; absent when no more is written. */
  next?: number;
}

/** Sensitive values are masked in entries before they are written, so that they may be shown as they are. */
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
