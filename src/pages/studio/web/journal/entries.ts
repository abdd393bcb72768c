/**
 * Journal entries from the API, with the fields that the studio reads. Kinds without a type here are only shown in the
 * list of entries (`words.ts`), which accepts any kind.
 *
 * Invariants
 * - no function throws: entries of a later version, or without the expected fields, are skipped;
 * - times returned by the modules are milliseconds since the start of the call (`beginOf`); a span without `toMs` has
 * not ended.
 */
import type { LegEvent } from '../../../../base/core/leg.ts';
import type { CallInput, JournalEntry, JournalEntryOf } from '../../../../service/runtime/journal.ts';

export type Entry = JournalEntry;
export type EntryOf<Kind extends Entry['kind']> = JournalEntryOf<Kind>;
export type Input = CallInput;
export type RecordedReply = Extract<CallInput, { type: 'http' }>['reply'];

/** Time span. Without an end it is still open. */
export interface Span {
  fromMs: number;
  toMs?: number;
}

export const beginOf = (journal: readonly Entry[]): number => journal[0]?.atMs ?? 0;

/** Time of the last entry since the start of the call. */
export const lengthOf = (journal: readonly Entry[]): number => (journal.at(-1)?.atMs ?? 0) - beginOf(journal);

/** Leg event in an entry. `leg` is undefined for the caller's own leg. */
export function legEventOf(entry: Entry): { event: LegEvent; leg: string | undefined } | undefined {
  if (entry.kind !== 'in' || entry.input.type !== 'leg') return undefined;
  return { event: entry.input.event, leg: entry.input.leg };
}

export type LegPhase = 'called' | 'ringing' | 'answered' | 'ended';

/** Phase of a called party after an event. */
export const legPhaseOf = ({ type }: LegEvent): LegPhase | undefined =>
  type === 'ringing' || type === 'answered' || type === 'ended' ? type : undefined;

/** End of the call, at which open spans end. Undefined while the call is live. */
export const endOf = (journal: readonly Entry[]): number | undefined =>
  journal.some(({ kind }) => kind === 'ended') ? lengthOf(journal) : undefined;
