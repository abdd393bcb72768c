/**
 * Journals of calls of earlier versions, with their flows: every verb, outcome and kind of entry in the scenarios. The
 * current code must read them and make the same decisions. `journals.jsonl` has one call on each line and is never
 * regenerated; calls of new verbs are appended.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { compileDocument } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import type { ReplayResult } from '../../src/proof/testkit/replay-result.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { verbs } from '../../src/verbs/steps.ts';

interface RecordedCall {
  /** Flows at the time of the recording, by name; built-in flows are the current ones. */
  flows: Record<string, JsonObject>;
  schedules?: Record<string, Json>;
  secrets?: JsonObject;
  callId?: string;
  eventUrl?: string;
  /** Result of the replay in the version that recorded the call. */
  expected: ReplayResult;
  journal: JournalEntry[];
}

const builtIn = new FlowLibrary(verbs).loadBuiltIn();
const calls = readFileSync(join(import.meta.dirname, 'journals.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): RecordedCall => JSON.parse(line));

function replay({ journal, flows, expected: _, ...options }: RecordedCall): Promise<ReplayResult> {
  const compiled = new Map(Object.entries(flows).map(([name, flow]) => [name, compiledOf(flow, name)]));
  return replayJournal(journal, (flow) => compiled.get(String(flow)) ?? builtIn.find(flow), options);
}

function compiledOf(flow: JsonObject, name: string): CompiledFlow {
  const { flow: compiled, diagnostics } = compileDocument(flow, name, verbs);
  if (!compiled) throw new Error(`${name}: ${JSON.stringify(diagnostics)}`);
  return compiled;
}

const titleOf = ({ journal }: RecordedCall, index: number): string => {
  const visited = journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.verb] : []));
  return `call ${index + 1}: ${[...new Set(visited)].join(', ')}`;
};

describe('a call that an earlier version carried out', () => {
  it.each(calls.map((call, index) => [titleOf(call, index), call] as const))(
    'is replayed as before: %s',
    async (_, call) => {
      // Step runs with masked values may follow the record less often than in the earlier version, but not more often.
      const { followed, ...expected } = call.expected as Extract<ReplayResult, { ok: true }>;
      const result = await replay(call);
      expect(result).toMatchObject(expected);
      expect((result as typeof call.expected & { followed: number }).followed).toBeLessThanOrEqual(followed);
    },
  );

  it('includes every verb of that time', () => {
    const visited = calls.flatMap(({ journal }) =>
      journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.verb] : [])),
    );
    expect(new Set(visited).size).toBeGreaterThanOrEqual(34);
  });

  it('is not repeated by a flow that says something else', async () => {
    const spoken = calls.filter(({ flows }) => JSON.stringify(flows).includes('"text":"'));
    expect(spoken.length).toBeGreaterThan(10);
    let diverged = 0;
    for (const call of spoken) {
      const flows = JSON.parse(JSON.stringify(call.flows).replaceAll('"text":"', '"text":"Well, '));
      if (!(await replay({ ...call, flows })).ok) diverged++;
    }
    expect(diverged).toBeGreaterThan(spoken.length / 2);
  });
});
