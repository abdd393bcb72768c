/** When a call was recorded, of its journal: the sound of a recording begins with the first span. */
import { beginOf, type Entry, endOf, type Span } from '../journal/entries.ts';

export interface RecordingSpan extends Span {
  recordingId: string;
  /** Where in the file this span begins: pauses are not in it. */
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
