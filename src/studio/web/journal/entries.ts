/**
 * A journal as the service gives it: what the studio reads of each kind of entry. The kinds that are not written here are
 * read by nobody but the list of the entries (`words.ts`), which takes any. Neighbours: all modules beside this one.
 *
 * Invariants
 *  - nothing here throws: an entry of a later version, or without what is expected, is passed over;
 *  - times that the modules return are milliseconds since the beginning of the call (`beginOf`); a span without `toMs` goes
 *    on.
 */
import type { LegEvent } from '../../../core/leg.ts';
import type { CallInput, JournalEntry, JournalEntryOf } from '../../../runtime/journal.ts';

export type Entry = JournalEntry;
export type EntryOf<Kind extends Entry['kind']> = JournalEntryOf<Kind>;
export type Input = CallInput;
export type HttpAnswer = Extract<CallInput, { type: 'http' }>['reply'];

/** From when to when; without an end it goes on. */
export interface Span {
  fromMs: number;
  toMs?: number;
}

export const beginOf = (journal: readonly Entry[]): number => journal[0]?.atMs ?? 0;

/** When the last entry was written, since the beginning. */
export const lengthOf = (journal: readonly Entry[]): number => (journal.at(-1)?.atMs ?? 0) - beginOf(journal);

/** The event of a leg that an entry brings; of the caller's own leg, unless another is named. */
export function legEventOf(entry: Entry): { event: LegEvent; leg: string | undefined } | undefined {
  if (entry.kind !== 'in' || entry.input.type !== 'leg') return undefined;
  return { event: entry.input.event, leg: entry.input.leg };
}

export type LegPhase = 'called' | 'ringing' | 'answered' | 'ended';

/** What an event makes of a party that was called. */
export const legPhaseOf = ({ type }: LegEvent): LegPhase | undefined =>
  type === 'ringing' || type === 'answered' || type === 'ended' ? type : undefined;

/** The call is over: what still goes on ended with it. */
export const endOf = (journal: readonly Entry[]): number | undefined =>
  journal.some(({ kind }) => kind === 'ended') ? lengthOf(journal) : undefined;
