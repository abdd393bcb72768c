/**
 * The same call on the flow of today: the same way, or the first difference, and both ways beside each other. The way of
 * today is that of the call taken over as a test: what the caller did, done again.
 */
import type { Signal } from '@preact/signals';
import type { FlowGraph } from '../../../flow/graph.ts';
import { type Json, request } from '../api.ts';
import { diffOf } from '../graph/diff.ts';
import type { Marks } from '../graph/marks.ts';
import { alignedWays, countsOfWays, twoWays, type Way } from '../graph/two-paths.ts';
import { TwoPaths } from '../graph/two-paths-list.tsx';
import { clockOf } from '../journal/moment.ts';
import type { TestReport } from '../tests/test-run.ts';
import { type TestOfCall, testOfCall } from './test-of-call.ts';

export interface ReplayResult {
  same: boolean;
  difference?: { atMs: number; seq?: number; message?: string; step: string; recorded: string; now: string };
  /** Why it could not be replayed. */
  refusal?: string;
  /** The way that it takes today, where it differs. */
  today?: Way;
  /** What a test of the call does not know: from there the way of today is a guess. */
  guessed?: readonly string[];
}

export async function replayToday(flow: string, id: string): Promise<ReplayResult> {
  const path = `/admin/v1/flows/${encodeURIComponent(flow)}/replay`;
  const { results } = await request<{ results: Record<string, Json>[] } & Record<string, Json>>(path, {
    method: 'POST',
    json: { calls: [id] },
  });
  const result = readResult(results[0]);
  if (result.difference === undefined) return result;
  // Without it there is still the first difference.
  const test = await testOfCall(flow, id).catch(() => undefined);
  return test === undefined ? result : { ...result, ...wayOfToday(test) };
}

function wayOfToday({ report, to_fill: masked, lacks }: TestOfCall): Pick<ReplayResult, 'today' | 'guessed'> {
  const guessed = [...(masked.length > 0 ? ['what is masked'] : []), ...lacks];
  return { today: ownWay(report), ...(guessed.length > 0 && { guessed }) };
}

const ownWay = ({ path }: Pick<TestReport, 'path'>): Way => path.filter(({ flow }) => flow === undefined);

/** The flow as it was and as it is, in one drawing, with both ways through it; undefined where they are one. */
export function drawingOfBoth(
  before: FlowGraph,
  now: FlowGraph,
  [then, today]: readonly [Way, Way],
): { graph: FlowGraph; marks: Marks } | undefined {
  const { graph } = diffOf(before, now);
  const diff = twoWays(then, today, graph, WORDS);
  return diff && { graph, marks: { path: countsOfWays([then, today], graph), diff } };
}

const WORDS = { added: 'today', removed: 'then' } as const;

export function readResult(result: Readonly<Record<string, Json>> | undefined): ReplayResult {
  if (result === undefined) return { same: false, refusal: 'The journal of this call is not kept any more.' };
  const found = result['first_difference'];
  if (found === null || typeof found !== 'object' || Array.isArray(found)) {
    if (result['same'] === true) return { same: true };
    const { reason, message } = result;
    return { same: false, refusal: String(message ?? reason ?? 'It cannot be replayed.') };
  }
  return {
    same: result['same'] === true,
    difference: {
      ...(typeof found['seq'] === 'number' && { seq: found['seq'] }),
      ...(typeof found['message'] === 'string' && { message: found['message'] }),
      atMs: typeof found['at_ms'] === 'number' ? found['at_ms'] : 0,
      step: wordsOf(found['step']),
      recorded: wordsOf(found['recorded']),
      now: wordsOf(found['now']),
    },
  };
}

const wordsOf = (value: Json | undefined): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

interface ResultProps {
  result: ReplayResult;
  /** The way that was recorded. */
  then: Way;
  selected: Signal<string | undefined>;
  go(atMs: number, seq?: number): void;
  close(): void;
}

export function ReplayResult({ result, then, selected, go, close }: ResultProps) {
  const { same, difference, refusal, today, guessed } = result;
  return (
    <div class={`replay-result ${same ? 'same' : 'differs'}`} role="status">
      {same && <p>✓ On today’s flow this call goes the same way.</p>}
      {refusal !== undefined && <p>{refusal}</p>}
      {difference !== undefined && (
        <>
          <p>
            ≠ On today’s flow it goes another way from <b>{clockOf(difference.atMs)}</b>
            {difference.step !== 'nothing' && (
              <>
                {' '}
                in <b>{difference.step}</b>
              </>
            )}
            . {difference.message}
          </p>
          <dl>
            <dt>then</dt>
            <dd>{difference.recorded}</dd>
            {difference.now !== 'nothing' && (
              <>
                <dt>today</dt>
                <dd>{difference.now}</dd>
              </>
            )}
          </dl>
          <button type="button" class="button" onClick={() => go(difference.atMs, difference.seq)}>
            Go there
          </button>
        </>
      )}
      {today !== undefined && <BothWays then={then} today={today} selected={selected} />}
      {guessed !== undefined && <p>The way of today is a guess: it does not know {guessed.join('; ')}.</p>}
      <button type="button" class="button quiet" aria-label="Close the result of the replay" onClick={close}>
        ✕
      </button>
    </div>
  );
}

function BothWays({ then, today, selected }: { then: Way; today: Way; selected: Signal<string | undefined> }) {
  const aligned = alignedWays(then, today);
  if (aligned === undefined) return <p>It goes through the same steps: what it asks for or says there is another.</p>;
  const names = (way: Way): string[] => way.map(({ step }) => step);
  return (
    <details>
      <summary>
        Both ways: <span class="way-then">then</span>, <span class="way-today">today</span>
      </summary>
      <TwoPaths
        label="The way: then and today"
        aligned={aligned}
        before={names(then)}
        now={names(today)}
        words={WORDS}
        selected={selected}
      />
    </details>
  );
}
