/**
 * Turns a journal into a story: a line in plain English for each entry that needs one, and the moments between which
 * the user can move. `../journal/words.ts` describes an entry, `story-list.tsx` shows the lines.
 *
 * Invariant: sensitive values were masked before the journal was written; no function here restores them.
 */

import { t } from '../../../shared/web/words/translate.ts';
import { beginOf, type Entry } from '../journal/entries.ts';
import { type JournalLane, wordsOf } from '../journal/words.ts';
import { countWhere } from './timeline.ts';

export interface StoryLine {
  /** Index of the entry in the journal. */
  index: number;
  seq: number;
  /** Time since the start of the call, in ms. */
  atMs: number;
  lane: JournalLane;
  text: string;
  /** Part of the text that is emphasised. */
  strong?: string;
  isBad: boolean;
  /** True if the entry enters a step, which Shift + arrow keys go to. */
  isStep: boolean;
}

export const LANES: readonly { lane: JournalLane; title: string }[] = [
  { lane: 'steps', title: t('steps') },
  { lane: 'hears', title: t('caller hears') },
  { lane: 'does', title: t('caller does') },
  { lane: 'outside', title: t('outside') },
  { lane: 'inside', title: t('inside') },
];

export function storyOf(journal: readonly Entry[]): StoryLine[] {
  const begin = beginOf(journal);
  return journal.flatMap((entry, index) => {
    if (isSilent(entry)) return [];
    const { lane, text, isBad = false } = wordsOf(entry);
    const strong = strongIn(entry);
    const isStep = entry.kind === 'entered';
    const line: StoryLine = { index, seq: entry.seq, atMs: entry.atMs - begin, lane, text, isBad, isStep };
    if (strong !== undefined && text.includes(strong)) line.strong = strong;
    return [line];
  });
}

/** Entries without a line: the start of an operation whose result is another entry. */
function isSilent(entry: Entry): boolean {
  const { kind } = entry as { kind: string };
  if (kind === 'rendered') return true;
  if (entry.kind === 'command') return entry.command.type === 'stop_play' || entry.command.type === 'stop_listen';
  return entry.kind === 'in' && entry.input.type === 'start';
}

function strongIn(entry: Entry): string | undefined {
  if (entry.kind === 'entered' || entry.kind === 'skipped') return entry.step;
  if (entry.kind === 'left') return entry.outcome;
  if (entry.kind === 'in' && entry.input.type === 'leg' && entry.input.event.type === 'digit') {
    return entry.input.event.digit;
  }
  return undefined;
}

/** Target of an arrow key: the next visible line or step. */
export function stepFrom(
  lines: readonly StoryLine[],
  index: number,
  by: 1 | -1,
  toStep: boolean,
): StoryLine | undefined {
  const before = countWhere(lines, (line) => line.index < index);
  const isOn = lines[before]?.index === index;
  let at = by > 0 ? before + (isOn ? 1 : 0) : before - 1;
  while (toStep && lines[at] !== undefined && !lines[at]!.isStep) at += by;
  return lines[at];
}

/** Index of the last entry at or before a time. */
export function entryAt(journal: readonly Entry[], atMs: number): number {
  const until = beginOf(journal) + atMs;
  return Math.max(0, countWhere(journal, (entry) => entry.atMs <= until) - 1);
}
