/**
 * Compares the conversations before and after a change of the flow, for the same acts. New lines are marked; removed
 * lines stay at their position. Pure.
 */
import { align } from '../journal/align.ts';
import type { TranscriptLine } from '../journal/conversation.ts';
import { wordsOfAnswer } from '../journal/outside.ts';

export type ComparedLine = { line: TranscriptLine; change?: 'new' | 'gone' };

export function compareLines(before: readonly TranscriptLine[], now: readonly TranscriptLine[]): ComparedLine[] {
  if (before.length === 0) return now.map((line) => ({ line }));
  return align(before.map(keyOf), now.map(keyOf)).map((at): ComparedLine => {
    if (at.of === 'before') return { line: before[at.before]!, change: 'gone' };
    return at.of === 'now' ? { line: now[at.now]!, change: 'new' } : { line: now[at.now]! };
  });
}

/** Content of a line without its time. */
function keyOf(line: TranscriptLine): string {
  switch (line.who) {
    case 'flow':
      return `flow ${line.leg ?? ''} ${line.text}`;
    case 'caller':
      return `caller ${line.does} ${'digits' in line ? line.digits : 'text' in line ? line.text : ''}`;
    case 'step':
      return `step ${line.step} ${line.outcome}`;
    case 'world': {
      const { outside } = line;
      const answer =
        outside.what === 'request' ? `${outside.url} ${outside.answer && wordsOfAnswer(outside.answer)}` : '';
      return `world ${outside.what} ${outside.what === 'party' ? outside.to : answer}`;
    }
    default:
      return `end ${line.reason}`;
  }
}
