/** Result of a replay, and functions shared by both of its levels. */
import type { SourceLocation } from '../../base/core/diagnostic.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry, NewEntry } from '../../service/runtime/journal.ts';
import type { RecordedCall } from './recorded-call.ts';

export type FindFlow = (flow: string | JsonObject) => CompiledFlow | undefined;

export interface Divergence {
  level: 'routes' | 'steps';
  /** First journal entry that differs. */
  seq: number;
  message: string;
  /** Equal for all calls that differ for the same reason; the message may contain values of the call. */
  cause: string;
  /** Absent if the flow produces an additional entry, or ends early. */
  recorded?: NewEntry;
  replayed?: NewEntry;
  /** Location of the difference in the current flow. */
  place?: SourceLocation;
  step?: string;
}

export type ReplayResult =
  /** `followed` is the number of step runs that followed the recording because of masked values. */
  { ok: true; entries: number; followed: number; sameVersion: boolean } | { ok: false; divergence: Divergence };

/** The default cause is the message. */
export const diverged = ({ cause, ...divergence }: Omit<Divergence, 'cause'> & { cause?: string }): ReplayResult => ({
  ok: false,
  divergence: { ...divergence, cause: cause ?? divergence.message },
});

/** Problem of the journal itself. */
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

/** Entry without its number and times. */
export function withoutPosition({ seq: _seq, atMs: _atMs, wallMs: _wallMs, ...entry }: JournalEntry): NewEntry {
  return entry as NewEntry;
}
