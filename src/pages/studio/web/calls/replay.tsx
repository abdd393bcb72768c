/**
 * Replay of a call on the current flow: the same path, or the first difference and both paths side by side. The current
 * path comes from a test generated from the call, which repeats the caller's actions.
 */
import type { Signal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { diffOf } from '../graph/diff.ts';
import type { Overlays } from '../graph/overlays.ts';
import { alignedWays, type ComparedPath, countsOfWays, twoWays } from '../graph/two-paths.ts';
import { TwoPaths } from '../graph/two-paths-list.tsx';
import { clockOf } from '../journal/moment.ts';
import type { TestReportData } from '../tests/test-run.ts';
import { type TestOfCall, testOfCall } from './test-of-call.ts';

export interface ReplayData {
  same: boolean;
  difference?: { atMs: number; seq?: number; message?: string; step?: string; recorded: string; now: string };
  /** Reason why the call could not be replayed. */
  refusal?: string;
  /** Path through the current flow, if it differs. */
  today?: ComparedPath;
  /** Inputs that the generated test does not have. The current path is a guess from there on. */
  guessed?: readonly string[];
}

export async function replayToday(flow: string, id: string): Promise<ReplayData> {
  const path = `/admin/v1/flows/${encodeURIComponent(flow)}/replay`;
  const { results } = await request<{ results: Record<string, Json>[] } & Record<string, Json>>(path, {
    method: 'POST',
    json: { calls: [id] },
  });
  const result = readResult(results[0]);
  if (result.difference === undefined) return result;
  // If no test can be generated, the first difference is still shown.
  const test = await testOfCall(flow, id).catch(() => undefined);
  return test === undefined ? result : { ...result, ...wayOfToday(test) };
}

function wayOfToday({ report, to_fill: masked, lacks }: TestOfCall): Pick<ReplayData, 'today' | 'guessed'> {
  const guessed = [...(masked.length > 0 ? [t('what is masked')] : []), ...lacks];
  return { today: ownWay(report), ...(guessed.length > 0 && { guessed }) };
}

const ownWay = ({ path }: Pick<TestReportData, 'path'>): ComparedPath => path.filter(({ flow }) => flow === undefined);

/** One drawing of both versions of the flow, with both paths. Undefined if the paths are equal. */
export function drawingOfBoth(
  before: FlowGraph,
  now: FlowGraph,
  [then, today]: readonly [ComparedPath, ComparedPath],
): { graph: FlowGraph; overlays: Overlays } | undefined {
  const { graph } = diffOf(before, now);
  const diff = twoWays(then, today, graph, WORDS);
  return diff && { graph, overlays: { path: countsOfWays([then, today], graph), diff } };
}

const WORDS = { added: t('today'), removed: t('then') } as const;

export function readResult(result: Readonly<Record<string, Json>> | undefined): ReplayData {
  if (result === undefined) return { same: false, refusal: t('The journal of this call is not kept any more.') };
  const found = result['first_difference'];
  if (found === null || typeof found !== 'object' || Array.isArray(found)) {
    if (result['same'] === true) return { same: true };
    const { reason, message } = result;
    return { same: false, refusal: String(message ?? reason ?? t('It cannot be replayed.')) };
  }
  return {
    same: result['same'] === true,
    difference: {
      ...(typeof found['seq'] === 'number' && { seq: found['seq'] }),
      ...(typeof found['message'] === 'string' && { message: found['message'] }),
      atMs: typeof found['at_ms'] === 'number' ? found['at_ms'] : 0,
      ...(typeof found['step'] === 'string' && { step: found['step'] }),
      recorded: wordsOf(found['recorded']),
      now: wordsOf(found['now']),
    },
  };
}

const wordsOf = (value: Json | undefined): string =>
  value === undefined || value === null ? t('nothing') : typeof value === 'string' ? value : JSON.stringify(value);

interface ResultProps {
  result: ReplayData;
  /** The recorded path. */
  then: ComparedPath;
  selected: Signal<string | undefined>;
  go(atMs: number, seq?: number): void;
  close(): void;
}

export function ReplayData({ result, then, selected, go, close }: ResultProps) {
  const { same, difference, refusal, today, guessed } = result;
  return (
    <div class={`replay-result ${same ? 'same' : 'differs'}`} role="status">
      {same && <p>{t('✓ The current flow takes the same route.')}</p>}
      {refusal !== undefined && <p>{refusal}</p>}
      {difference !== undefined && (
        <>
          <p>
            {difference.step === undefined
              ? tNodes('≠ The current flow takes another route from {clock}.', {
                  clock: <b>{clockOf(difference.atMs)}</b>,
                })
              : tNodes('≠ The current flow takes another route from {clock} in {step}.', {
                  clock: <b>{clockOf(difference.atMs)}</b>,
                  step: <b>{difference.step}</b>,
                })}{' '}
            {difference.message}
          </p>
          <dl>
            <dt>{t('then')}</dt>
            <dd>{difference.recorded}</dd>
            {difference.now !== 'nothing' && (
              <>
                <dt>{t('today')}</dt>
                <dd>{difference.now}</dd>
              </>
            )}
          </dl>
          <button type="button" class="button" onClick={() => go(difference.atMs, difference.seq)}>
            {t('Go there')}
          </button>
        </>
      )}
      {today !== undefined && <BothWays then={then} today={today} selected={selected} />}
      {guessed !== undefined && (
        <p>{t('The current route is a guess. Unknown: {guessed}.', { guessed: guessed.join('; ') })}</p>
      )}
      <button type="button" class="button quiet" aria-label={t('Close the result of the replay')} onClick={close}>
        ✕
      </button>
    </div>
  );
}

function BothWays({
  then,
  today,
  selected,
}: {
  then: ComparedPath;
  today: ComparedPath;
  selected: Signal<string | undefined>;
}) {
  const aligned = alignedWays(then, today);
  if (aligned === undefined) return <p>{t('Same steps, different prompts or requests.')}</p>;
  const names = (way: ComparedPath): string[] => way.map(({ step }) => step);
  return (
    <details>
      <summary>
        {tNodes('Both paths: <before>then</before>, <now>today</now>', {
          before: (part) => <span class="way-then">{part}</span>,
          now: (part) => <span class="way-today">{part}</span>,
        })}
      </summary>
      <TwoPaths
        label={t('Path: then and today')}
        aligned={aligned}
        before={names(then)}
        now={names(today)}
        words={WORDS}
        selected={selected}
      />
    </details>
  );
}
