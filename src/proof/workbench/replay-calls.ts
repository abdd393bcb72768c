/** Replays recorded calls with the current flows and reports the first difference of each in the form of the API. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { RecordedJournal, Surroundings } from '../../service/calls/flow-files/flow-trial.ts';
import { type JournalEntry, MASK } from '../../service/runtime/journal.ts';
import { replayJournal } from '../testkit/replay.ts';
import type { Divergence, FindFlow } from '../testkit/replay-result.ts';
import { describeEntry } from '../testkit/scenario-report.ts';
import type { JobContext } from './jobs.ts';

export type CallReplay = {
  voice_id: string;
  same: boolean;
  /** Number of step runs whose results were taken from the journal, because their values are masked. */
  followed?: number;
  same_version?: boolean;
  first_difference?: JsonObject;
};

export async function replayCalls(
  calls: readonly RecordedJournal[],
  flows: FindFlow,
  {
    schedules,
    secrets: names,
    throwIfOvertaken,
  }: Pick<Surroundings, 'schedules' | 'secrets'> & Pick<JobContext, 'throwIfOvertaken'>,
): Promise<CallReplay[]> {
  const secrets = Object.fromEntries(names.map((name) => [name, MASK]));
  const replays: CallReplay[] = [];
  for (const { voiceId, eventUrl, journal } of calls) {
    throwIfOvertaken();
    const known = defined<{ callId: string; eventUrl?: string }>({ callId: voiceId, eventUrl });
    const result = await replayJournal(journal, flows, { schedules, secrets, ...known });
    if (result.ok) {
      const { followed, sameVersion } = result;
      replays.push({ voice_id: voiceId, same: true, followed, same_version: sameVersion });
    } else {
      const difference = differenceBody(result.divergence, journal);
      replays.push({ voice_id: voiceId, same: false, first_difference: difference });
    }
  }
  return replays;
}

function differenceBody(
  { level, seq, message, recorded, replayed, place, step }: Divergence,
  journal: readonly JournalEntry[],
): JsonObject {
  const at = journal.find((entry) => entry.seq === seq) ?? journal.at(-1);
  const entered = journal.findLast((entry) => entry.kind === 'entered' && entry.seq < seq);
  const words = (entry: Divergence['recorded']): string | undefined =>
    entry && describeEntry({ ...entry, seq, atMs: at?.atMs ?? 0 } as JournalEntry);
  return defined<JsonObject>({
    ...{ level, seq, message },
    at_ms: (at?.atMs ?? 0) - (journal[0]?.atMs ?? 0),
    step: step ?? (entered?.kind === 'entered' ? entered.step : undefined),
    recorded: words(recorded),
    now: words(replayed),
    line: place?.line,
  });
}
