/** Recorded spans of a call, from its journal. Each span has its position in the recording. */
import { beginOf, type Entry, endOf, type Span } from '../journal/entries.ts';

export interface RecordingSpan extends Span {
  recordingId: string;
  /** Start position of this span in the file. The file does not contain pauses. */
  offsetMs: number;
}

export function recordingsOf(journal: readonly Entry[]): RecordingSpan[] {
  const begin = beginOf(journal);
  const spans: RecordingSpan[] = [];
  const open = new Map<string, RecordingSpan>();
  const written = new Map<string, number>();
  for (const entry of journal) {
    if (entry.kind !== 'recording') continue;
    const { recordingId, state } = entry;
    const atMs = entry.atMs - begin;
    const span = open.get(recordingId);
    if (span !== undefined && state !== 'started' && state !== 'resumed') {
      span.toMs = atMs;
      written.set(recordingId, span.offsetMs + atMs - span.fromMs);
      open.delete(recordingId);
    }
    if (span !== undefined || (state !== 'started' && state !== 'resumed')) continue;
    const made: RecordingSpan = { recordingId, fromMs: atMs, offsetMs: written.get(recordingId) ?? 0 };
    open.set(recordingId, made);
    spans.push(made);
  }
  const endMs = endOf(journal);
  if (endMs !== undefined) for (const span of open.values()) span.toMs = endMs;
  return spans;
}
