/**
 * A call as a conversation: prompts, actions of the caller, responses from outside, and the resulting steps, in order.
 */
import { callerActsOf } from './acts.ts';
import { beginOf, type Entry } from './entries.ts';
import { type Outside, outsideOf } from './outside.ts';
import { soundsOf } from './sounds.ts';
import { type Visit, visitsOf } from './visits.ts';

/** `seq`: first entry of the line. */
export type TranscriptLine = { atMs: number; seq: number } & (
  | { who: 'flow'; text: string; toMs?: number; cut: boolean; leg?: string }
  | { who: 'caller'; does: 'pressed'; digits: string }
  | { who: 'caller'; does: 'spoke'; text?: string; understood: boolean }
  | { who: 'caller'; does: 'hung_up' | 'held' | 'unheld' | 'referred'; to?: string }
  | { who: 'step'; step: string; verb: string; outcome: string; fault?: string; depth: number }
  | { who: 'world'; outside: Outside }
  | { who: 'end'; reason: string; fault?: string }
);

export function conversationOf(journal: readonly Entry[]): TranscriptLine[] {
  const begin = beginOf(journal);
  const visits = visitsOf(journal);
  const lines: TranscriptLine[] = [
    ...soundsOf(journal)
      .filter(({ text }) => text !== '')
      .map(
        ({ text, fromMs, toMs, cut, leg, seq }): TranscriptLine => ({
          who: 'flow',
          text,
          atMs: fromMs,
          seq,
          cut,
          ...(toMs !== undefined && { toMs }),
          ...(leg !== undefined && { leg }),
        }),
      ),
    ...callerActsOf(journal).map((act): TranscriptLine => {
      const at = { atMs: act.fromMs, seq: act.seq };
      switch (act.act) {
        case 'pressed':
          return { who: 'caller', does: 'pressed', digits: act.digit, ...at };
        case 'spoke':
          return {
            who: 'caller',
            does: 'spoke',
            understood: act.understood,
            ...at,
            ...(act.text !== undefined && { text: act.text }),
          };
        case 'held':
          return { who: 'caller', does: act.held ? 'held' : 'unheld', ...at };
        case 'referred':
          return { who: 'caller', does: 'referred', to: act.to, ...at };
        default:
          return { who: 'caller', does: 'hung_up', ...at };
      }
    }),
    ...outsideOf(journal).map(
      (outside): TranscriptLine => ({ who: 'world', outside, atMs: outside.fromMs, seq: outside.seq }),
    ),
    ...journal.flatMap((entry): TranscriptLine[] => {
      const at = { atMs: entry.atMs - begin, seq: entry.seq };
      if (entry.kind === 'ended') {
        return [{ who: 'end', reason: entry.reason, ...at, ...(entry.fault && { fault: entry.fault.message }) }];
      }
      const visit = entry.kind === 'left' ? visits.find((each) => each.visit === entry.visit) : undefined;
      if (visit === undefined || entry.kind !== 'left' || isPlain(visit)) return [];
      const { step, verb, outcome, fault } = entry;
      return [{ who: 'step', step, verb, outcome, depth: visit.depth, ...at, ...(fault && { fault: fault.message }) }];
    }),
  ];
  lines.sort((one, other) => one.seq - other.seq);
  return withKeysTogether(lines);
}

/** A step that only played its prompt gets no line. */
const isPlain = ({ outcome, fault }: Visit): boolean => outcome === 'done' && fault === undefined;

/** Merges adjacent keys into one line. */
function withKeysTogether(lines: readonly TranscriptLine[]): TranscriptLine[] {
  const merged: TranscriptLine[] = [];
  for (const line of lines) {
    const last = merged.at(-1);
    if (isPress(line) && last !== undefined && isPress(last)) {
      merged[merged.length - 1] = { ...last, digits: last.digits + line.digits };
    } else {
      merged.push(line);
    }
  }
  return merged;
}

type Press = Extract<TranscriptLine, { does: 'pressed' }>;
const isPress = (line: TranscriptLine): line is Press => line.who === 'caller' && line.does === 'pressed';
