/** Result of a rehearsal: figures, outcomes, and the paths through the flow with their counts. */
import { useSignal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { numberText, t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { FlowCanvas } from '../graph/canvas.tsx';
import { resultWords } from '../journal/result-words.ts';
import { useLoaded } from '../shell/load.ts';
import { countsOf } from '../tests/paths.ts';
import type { RehearsalResult, RehearsalState } from './rehearsal.ts';

export function RehearsalView({ state, stop }: { state: RehearsalState; stop(): void }) {
  const { numbers, done, result, error } = state;
  return (
    <section aria-label={t('Rehearsal')} class="rehearsal">
      {state.state === 'running' && (
        <p class="rehearsal-progress">
          <progress aria-label={t('Numbers that have their result')} value={done.numbers} max={numbers} />{' '}
          {t(
            '{done, number} of {numbers, plural, one {# number} other {# numbers}}, {calls, plural, one {# call} other {# calls}}',
            {
              done: done.numbers,
              numbers,
              calls: done.calls,
            },
          )}{' '}
          <button type="button" class="button" onClick={stop}>
            {t('Give up')}
          </button>
        </p>
      )}
      {state.state === 'stopped' && <p>{t('The rehearsal was given up.')}</p>}
      {error !== undefined && (
        <p role="alert">
          {error.msg}
          {error.hint !== undefined && `: ${error.hint}`}
        </p>
      )}
      {result !== undefined && <Result result={result} />}
    </section>
  );
}

function Result({ result }: { result: RehearsalResult }) {
  const { numbers, duration_s: seconds, calls, success, most_calls: mostCalls, talk, crashes, duplicates } = result;
  const facts: [title: string, value: string][] = [
    [t('It would take'), spanOf(seconds)],
    [t('Numbers reached'), t('{success, number} of {numbers, number}', { success, numbers })],
    [t('Calls made'), numberText(calls)],
    [t('Peak concurrent calls'), numberText(mostCalls)],
    [t('Total talk time'), spanOf(talk.seconds)],
    [t('Average call'), spanOf(talk.average_s)],
  ];
  return (
    <>
      {result.state === 'waiting' && (
        <p role="alert">{t('It is not over, and made no call for a month: its window does not open.')}</p>
      )}
      {crashes > 0 && (
        <p role="alert">
          {t('{crashes, plural, one {# call} other {# calls}} crashed, which is our mistake.', { crashes })}
        </p>
      )}
      {duplicates > 0 && (
        <p>
          {t('{duplicates, plural, one {# number was} other {# numbers were}} given more than once, and called once.', {
            duplicates,
          })}
        </p>
      )}
      <dl class="facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="shares">
        <Shares title={t('Results')} counts={result.reasons} of={numbers} wordsOf={resultWords} />
        <Shares title={t('Answered by')} counts={result.answered_by} of={talk.calls} />
        <Shares title={t('Output')} counts={result.outputs} of={talk.calls} />
      </div>
      {result.flow !== undefined && <Ways flow={result.flow} result={result} />}
    </>
  );
}

const SHOWN = 8;
/** Name of the API for calls without an output. */
const NONE = 'none';

/** Sorted by frequency, the most frequent first. */
interface SharesProps {
  title: string;
  counts: Record<string, number>;
  of: number;
  wordsOf?(name: string): string;
}

function Shares({ title, counts, of, wordsOf = (name) => name }: SharesProps) {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one);
  if (sorted.length === 0 || (sorted.length === 1 && sorted[0]![0] === NONE)) return null;
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="number">
            {t('Number')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.slice(0, SHOWN).map(([name, count]) => (
          <tr key={name}>
            <td title={name}>{wordsOf(name)}</td>
            <td class="number">
              {numberText(count)} <small>{shareOf(count, of)}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Ways({ flow, result }: { flow: string; result: RehearsalResult }) {
  const selected = useSignal<string | undefined>(undefined);
  const { loaded } = useLoaded(
    () => request<FlowGraph & Record<string, never>>(`/voice/v1/flow/${encodeURIComponent(flow)}/graph`),
    [flow],
  );
  if (loaded.value.state === 'failed') return <p role="alert">{loaded.value.error.message}</p>;
  if (loaded.value.state !== 'there') return null;
  return (
    <section class="rehearsal-graph" aria-label={t('Ways through {flow}', { flow })}>
      <FlowCanvas graph={loaded.value.value} selected={selected} overlays={{ path: countsOf(result) }} />
    </section>
  );
}

const shareOf = (count: number, of: number): string => {
  const percent = Math.round((count / Math.max(1, of)) * 100);
  return percent === 0 ? '< 1 %' : `${percent} %`;
};

/** Formats a duration with at most two units. */
export function spanOf(seconds: number): string {
  if (seconds < 60) return t('{count} s', { count: seconds });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t('{count} min', { count: minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? t('{hours} h {minutes} min', { hours, minutes: minutes % 60 })
    : t('{count, plural, one {# day} other {# days}}', { count: Math.round(hours / 24) });
}
