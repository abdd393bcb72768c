/**
 * A journal as the service gives it: what the studio reads of each kind of entry. The kinds that are not written here are
 * read by nobody but the list of the entries (`words.ts`), which takes any. Neighbours: all modules beside this one.
 *
 * Invariants
 *  - nothing here throws: an entry of a later version, or without what is expected, is passed over;
 *  - times that the modules return are milliseconds since the beginning of the call (`beginOf`); a span without `toMs` goes
 *    on.
 */
import type { Fault } from '../../../core/fault.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { LegCommand, LegEvent } from '../../../core/leg.ts';

export type Entry = { seq: number; atMs: number } & (
  | {
      kind: 'started';
      direction: 'inbound' | 'outbound';
      from: string;
      to: string;
      flow: string;
      flowHash?: string;
      input: JsonObject;
    }
  | { kind: 'in'; input: Input }
  | {
      kind: 'entered';
      step: string;
      verb: string;
      visit: number;
      depth: number;
      flow: string;
      /** With the first step of a flow that is not the one of `started`. */
      flowHash?: string;
      branch?: string;
    }
  | { kind: 'left'; step: string; verb: string; visit: number; outcome: string; result?: Json; fault?: Fault }
  | { kind: 'skipped'; step: string; visit: number }
  | { kind: 'command'; command: LegCommand; visit: number; leg?: string }
  | { kind: 'dialled'; leg: string; from: string; to: string; visit: number; ringTimeoutMs?: number }
  | { kind: 'request'; requestId: string; visit: number; method: string; url: string; body?: Json }
  | { kind: 'timer'; timer: number; visit: number; afterMs: number }
  | { kind: 'vars'; set: JsonObject; visit?: number }
  | { kind: 'venue'; venue: string; ticket: string; name: string; event: string; data: Json }
  | { kind: 'digit'; digit: string }
  | { kind: 'recording'; recordingId: string; name?: string; state: string; durationMs?: number }
  | { kind: 'stream'; streamId: string; state: string }
  | { kind: 'notified'; event: string; body: Json }
  | { kind: 'refused'; command: string; refusal: string }
  | { kind: 'log'; level: string; message: string; fields: JsonObject }
  | { kind: 'diagnostic'; code: string; message: string }
  | { kind: 'transcript'; track: string; text: string }
  | { kind: 'held'; held: boolean }
  | { kind: 'state'; state: string }
  | { kind: 'ended'; reason: string; fault?: Fault; output?: Json }
);

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

export type Input =
  | { type: 'leg'; event: LegEvent; leg?: string }
  | { type: 'deadline'; timer: number }
  | { type: 'http'; requestId: string; reply: HttpAnswer }
  | { type: 'command'; command: { type: string } & JsonObject; source?: string }
  | { type: 'venue'; ticket: string; name: string; data: Json }
  | { type: 'start' | 'max_duration' | 'lost' };

export interface HttpAnswer {
  ok: boolean;
  status?: number;
  body?: Json;
  /** Why there is none: `timeout`, `network`. */
  reason?: string;
  message?: string;
}

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
