/** Responses to tool calls of AI agents that did not end the step: lookups and invalid calls. */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { eachIncludes, type Mismatch } from './mismatch.ts';

export function answersToAgents(
  expected: readonly Json[],
  { journal }: { journal: readonly JournalEntry[] },
  pointer: string,
): Mismatch[] {
  const entries = journal.flatMap((entry) =>
    entry.kind === 'command' && entry.command.type === 'answer_assistant'
      ? [{ seq: entry.seq, answer: entry.command.answer }]
      : [],
  );
  const inMaps = (answers: readonly Json[]): JsonObject[] => answers.map((answer) => ({ answer }));
  const actual = inMaps(entries.map(({ answer }) => answer));
  return eachIncludes(
    { what: 'the answers to the agent', pointer, seqOf: (at) => entries[at]?.seq },
    inMaps(expected),
    actual,
  );
}
