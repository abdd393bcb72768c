/** The result of a replay, and what both of its levels need. */

import type { SourceLocation } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { JournalEntry, NewEntry } from '../runtime/journal.ts';
import type { RecordedCall } from './recorded-call.ts';

export type FindFlow = (flow: string | JsonObject) => CompiledFlow | undefined;

export interface Divergence {
  level: 'routes' | 'steps';
  /** The first entry of the journal that is not repeated. */
  seq: number;
  message: string;
  /** Equal for all calls that differ for one reason; the message may have values of the call in it. */
  cause: string;
  /** Absent where the flow does more, or less, than was recorded. */
  recorded?: NewEntry;
  replayed?: NewEntry;
  /** Where the current flow differs. */
  place?: SourceLocation;
  step?: string;
}

export type ReplayResult =
  /** `followed` counts the step runs that followed the record, because their values are masked. */
  { ok: true; entries: number; followed: number; sameVersion: boolean } | { ok: false; divergence: Divergence };

/** Without a `cause` it is the message. */
export const diverged = ({ cause, ...divergence }: Omit<Divergence, 'cause'> & { cause?: string }): ReplayResult => ({
  ok: false,
  divergence: { ...divergence, cause: cause ?? divergence.message },
});

/** What is wrong with the journal itself. */
export function journalProblem(
  journal: readonly JournalEntry[],
  flows: FindFlow,
  level: Divergence['level'],
): Omit<Divergence, 'cause'> | undefined {
  const [first] = journal;
  if (first?.kind !== 'started') return { level, seq: 1, message: 'the journal does not begin with `started`' };
  const gap = journal.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) return { level, seq: gap + 1, message: `entry ${gap + 1} has the number ${journal[gap]!.seq}` };
  const late = journal.findIndex(({ atMs }, index) => index > 0 && atMs < journal[index - 1]!.atMs);
  if (late >= 0) return { level, seq: late + 1, message: 'the entry is earlier than the one before it' };
  if (!flows(first.flow)) return { level, seq: 1, message: `there is no flow ${first.flow}` };
  return undefined;
}

export const isSameVersion = ({ started }: RecordedCall, flows: FindFlow): boolean =>
  flows(started.flow)?.hash === started.flowHash;

/** The entry without its number and times. */
export function withoutPosition({ seq: _seq, atMs: _atMs, wallMs: _wallMs, ...entry }: JournalEntry): NewEntry {
  return entry as NewEntry;
}
