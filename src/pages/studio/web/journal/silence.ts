/** Silences of a call: times in which the caller heard nothing and did nothing, after the answer. */
import { beginOf, type Entry, endOf, legEventOf, lengthOf } from './entries.ts';
import { soundsOf } from './sounds.ts';

export interface Silence {
  fromMs: number;
  toMs: number;
}

/** Commands during which the caller talks or hears others, with the commands and events that end them. */
const OCCUPIED: Readonly<Record<string, readonly string[]>> = {
  record: ['record_ended'],
  assistant: ['assistant_ended'],
  join: ['leave'],
  hold: ['resume'],
};
/** Events in which the caller acts. */
const ACTS: ReadonlySet<string> = new Set(['digit', 'speech_started', 'utterance']);

export const longestSilenceMs = (journal: readonly Entry[]): number =>
  silencesOf(journal).reduce((longest, { fromMs, toMs }) => Math.max(longest, toMs - fromMs), 0);

/** In ms since the start of the call, in order. */
export function silencesOf(journal: readonly Entry[]): Silence[] {
  const begin = beginOf(journal);
  const end = endOf(journal) ?? lengthOf(journal);
  const answered = journal.find((entry) => {
    const heard = legEventOf(entry);
    return heard?.leg === undefined && heard?.event.type === 'answered';
  });
  const sounds = soundsOf(journal).filter(({ leg }) => leg === undefined);
  const first = Math.min(...sounds.map(({ fromMs }) => fromMs), answered ? answered.atMs - begin : end);
  const spans = [
    ...sounds.map(({ fromMs, toMs = end }) => ({ fromMs, toMs })),
    ...occupiedIn(journal, begin, end),
  ].sort((one, other) => one.fromMs - other.fromMs);
  const silences: Silence[] = [];
  let until = first;
  for (const { fromMs, toMs } of [...spans, { fromMs: end, toMs: end }]) {
    if (fromMs > until) silences.push({ fromMs: until, toMs: fromMs });
    until = Math.max(until, toMs);
  }
  return silences;
}

function occupiedIn(journal: readonly Entry[], begin: number, end: number): Silence[] {
  const spans: Silence[] = [];
  const open = new Map<string, number>();
  for (const entry of journal) {
    const ms = entry.atMs - begin;
    const heard = legEventOf(entry);
    const type =
      entry.kind === 'command' && entry.leg === undefined
        ? entry.command.type
        : heard?.leg === undefined
          ? heard?.event.type
          : undefined;
    if (type === undefined) continue;
    if (ACTS.has(type)) spans.push({ fromMs: ms, toMs: ms });
    if (Object.hasOwn(OCCUPIED, type)) open.set(type, open.get(type) ?? ms);
    for (const [begun, fromMs] of open) {
      if (!OCCUPIED[begun]!.includes(type)) continue;
      spans.push({ fromMs, toMs: ms });
      open.delete(begun);
    }
  }
  return [...spans, ...[...open.values()].map((fromMs) => ({ fromMs, toMs: end }))];
}
