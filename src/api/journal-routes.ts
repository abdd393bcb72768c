/** What became of a call, for those who look at it: its journal, entry by entry. */
import { readJournal } from '../calls/read-journal.ts';
import { defined, type Json } from '../core/json.ts';
import { callRecordBody } from './call-list-routes.ts';
import { CALL } from './call-routes.ts';
import { JOURNAL_PAGE, readQuery } from './query-parameters.ts';
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

const JOURNAL = voiceRoute('Calls', 'GET', `${CALL}/journal`, {
  summary: 'tells all that happened in a call, also while it is live: the entries of its journal, in pages',
  query: JOURNAL_PAGE,
  response: 'journal',
  errors: ['unknown_call'],
  handle({ projectId, params, url }, { calls }) {
    const { after: afterSeq, limit } = readQuery<{ after: number; limit: number }>(url, JOURNAL_PAGE);
    const { record, entries, next } = readJournal(projectId, params.voice_id, { afterSeq, limit }, calls);
    return defined({
      result: 0,
      flow: { name: record.flow, hash: record.flowHash },
      call: callRecordBody(record, calls.recordingUrl),
      // Entries are JSON: that is how they are kept.
      entries: entries as unknown as Json,
      next,
    });
  },
});

export const JOURNAL_ROUTES: readonly VoiceRoute[] = [JOURNAL];
