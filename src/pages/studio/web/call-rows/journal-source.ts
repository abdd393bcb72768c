/** Reads the journal of a call from the API page by page, and follows it while the call is live. */
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import type { Entry } from '../journal/entries.ts';
import { type CallRow, callRowOf } from './call-row.ts';

export interface CallFacts {
  row: CallRow;
  /** Record of the call in the API. */
  record: Readonly<Record<string, Json>>;
  flow: { name: string; hash: string };
}

interface JournalPage {
  entries: Entry[];
  next?: number;
  flow: { name: string; hash: string };
  call: Record<string, Json>;
}

const PAGE_SIZE = 1000;

/** Calls `onPage` with each page after `afterSeq` until no further entries are available. */
export async function readJournal(
  id: string,
  afterSeq: number,
  isWanted: () => boolean,
  onPage: (entries: Entry[], facts: CallFacts) => void,
): Promise<void> {
  let after: number | undefined = afterSeq;
  while (after !== undefined && isWanted()) {
    const path: string = `/voice/v1/call/${encodeURIComponent(id)}/journal?after=${after}&limit=${PAGE_SIZE}`;
    const page: JournalPage = await request<JournalPage & Record<string, Json>>(path);
    if (!isWanted()) return;
    onPage(page.entries, { row: callRowOf(page.call), record: page.call, flow: page.flow });
    after = page.next;
  }
}
