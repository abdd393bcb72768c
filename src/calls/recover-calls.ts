/**
 * At the start: the calls that were live when the service died are over, and whoever waits for their final event is told.
 * Must be done before the first call begins. A crash in the middle is harmless: what was not written is found again.
 */
import { TEMPORARY_FAILURE } from '../core/causes.ts';
import type { CallRecord, JournalEntry, NewEntry } from '../runtime/journal.ts';
import type { CallParts } from './call-parts.ts';

/** How many there were. */
export async function recoverCalls(parts: Pick<CallParts, 'book' | 'clock' | 'deliveriesOf' | 'log'>): Promise<number> {
  const lost = parts.book.unfinished();
  for (const record of lost) await bury(record, parts);
  return lost.length;
}

async function bury(
  found: CallRecord,
  { book, clock, deliveriesOf, log }: Pick<CallParts, 'book' | 'clock' | 'deliveriesOf' | 'log'>,
): Promise<void> {
  const journal = book.journal(found.callId);
  const written = journal.at(-1);
  // Somebody may have set the clock back since.
  const atMs = Math.max(clock.now(), written?.atMs ?? found.startedMs);
  const unanswered = found.direction === 'outbound' && found.answeredMs === undefined;
  const record: CallRecord = {
    ...found,
    state: unanswered ? 'failed' : 'disconnected',
    endedMs: atMs,
    cause: TEMPORARY_FAILURE,
  };
  const news: NewEntry[] = [
    { kind: 'in', input: { type: 'lost' } },
    ...(isUntold(journal) ? [{ kind: 'state' as const, state: 'incomingcall' as const }] : []),
    // A call whose leg had ended has told so already.
    ...(found.state === 'disconnected' || found.state === 'failed'
      ? []
      : [{ kind: 'state' as const, state: record.state, cause: TEMPORARY_FAILURE }]),
    { kind: 'ended', reason: 'lost' },
  ];
  const seqBefore = written?.seq ?? 0;
  const entries = news.map((entry, index) => ({ seq: seqBefore + index + 1, atMs, ...entry }) as JournalEntry);
  await book.commit({
    record,
    checkpoint: book.checkpoint(found.callId) ?? { frames: [], visit: 0 },
    entries,
    deliveries: entries.flatMap((entry) => deliveriesOf(entry, record)),
  });
  log.warn('call.lost', { callId: found.callId, state: record.state });
}

/** The caller hears the greeting, and nobody knows yet. */
function isUntold(journal: readonly JournalEntry[]): boolean {
  if (!journal.some((entry) => entry.kind === 'started' && entry.announce === 'later')) return false;
  return !journal.some(
    (entry) =>
      (entry.kind === 'notified' && entry.event === 'incomingcall') ||
      (entry.kind === 'state' && entry.state === 'incomingcall'),
  );
}
